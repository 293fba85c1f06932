import { HostError, isSha, type Sha } from '@mq/core';
import { type CommitDates, dated } from './commit-dates.js';
import { type CommitObject, kept } from './commit-objects.js';
import { mergeTrees } from './merge.js';
import { firstWithContent, placeholderCommit } from './merge-content.js';
import { areRelated, type ObjectReader, readCommits, writeCommit } from './objects.js';
import type { GitRepository } from './repositories.js';

/** Max commits of a rebase. Each pick takes a few processes, and a candidate must not take minutes. */
export const PICKS_LIMIT = 250;

export type Applied =
  | {
      readonly kind: 'applied';
      readonly commit: Sha;
      readonly tree: string;
      /** The tree of the merge of the head and the commit below; null if they conflict. */
      readonly reviewedTree: string | null;
    }
  | { readonly kind: 'conflicted'; readonly paths: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'merge_content_lost'; readonly commit: Sha }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Rebases the own commits of `head` onto `onto`, oldest first. Skips commits that change nothing there, and merge commits.
 * If the result then differs from the merge of the two, a merge commit with content of its own is an error.
 */
export const rebase = async (
  repo: GitRepository,
  onto: CommitObject,
  head: CommitObject,
  dating: CommitDates,
): Promise<Applied> => {
  if (!(await areRelated(repo, onto.sha, head.sha))) return unrelated;
  const own = await ownCommits(repo, onto.sha, head.sha, '--no-merges');
  const merges = await ownCommits(repo, onto.sha, head.sha, '--min-parents=2');
  if (own === null || merges === null) {
    const message = `It has more than ${PICKS_LIMIT} commits of its own; the limit of a rebase is ${PICKS_LIMIT}.`;
    return { kind: 'refused', message };
  }
  const picked = await pickAll(repo, onto, own, dating);
  if (picked.kind === 'refused' || (picked.kind === 'conflicted' && merges.length === 0)) return picked;
  const isOnTop = own.some(({ parents }) => parents.includes(onto.sha));
  const merge = isOnTop
    ? ({ kind: 'merged', tree: head.tree } as const)
    : await mergeTrees(repo, onto.sha, head.sha);
  const reviewedTree = merge.kind === 'merged' ? merge.tree : null;
  const rebasedTree = picked.kind === 'nothing' ? onto.tree : picked.kind === 'picked' ? picked.tree : null;
  if (merges.length > 0 && (rebasedTree === null || rebasedTree !== reviewedTree)) {
    const lost = await firstWithContent(repo, merges);
    if (lost !== null && picked.kind === 'conflicted' && merge.kind === 'conflicted') return merge;
    if (lost !== null) return { kind: 'merge_content_lost', commit: lost };
  }
  return picked.kind === 'picked' ? { ...picked, kind: 'applied', reviewedTree } : picked;
};

export const unrelated: Extract<Applied, { kind: 'refused' }> = {
  kind: 'refused',
  message: 'It has no commit in common with the target branch (unrelated histories).',
};

type Picked =
  | { readonly kind: 'picked'; readonly commit: Sha; readonly tree: string }
  | Extract<Applied, { kind: 'conflicted' | 'nothing' | 'refused' }>;

const pickAll = async (
  repo: GitRepository,
  onto: CommitObject,
  own: readonly CommitObject[],
  dating: CommitDates,
): Promise<Picked> => {
  let tip = { commit: onto.sha, tree: onto.tree, committedAtSeconds: onto.committedAtSeconds };
  for (const picked of own) {
    const parent = picked.parents[0];
    if (parent === undefined) {
      return {
        kind: 'refused',
        message: `It contains a root commit (${picked.sha}), which cannot be rebased.`,
      };
    }
    const tree = await pick(repo, tip, parent, picked);
    if (typeof tree !== 'string') return tree;
    if (tree === tip.tree) continue;
    const committedAtSeconds = dated(tip.committedAtSeconds, picked.committedAtSeconds, dating);
    const commit = await writeCommit(repo, {
      ...{ tree, parents: [tip.commit], committedAtSeconds },
      ...kept(picked, dating.ownSeconds),
    });
    tip = { commit, tree, committedAtSeconds };
  }
  return tip.commit === onto.sha
    ? { kind: 'nothing' }
    : { kind: 'picked', commit: tip.commit, tree: tip.tree };
};

/**
 * The tree of a commit's change on top of `tip`. Git before 2.40 takes no merge base as an option, so it gets one: a
 * commit with the tip's tree and the picked commit's parent. A commit on the tip itself is merged too, because git fails
 * there on a tree that would stop every later merge.
 */
const pick = async (
  repo: GitRepository,
  tip: { readonly commit: Sha; readonly tree: string },
  parent: Sha,
  picked: CommitObject,
): Promise<string | Extract<Picked, { kind: 'conflicted' | 'refused' }>> => {
  const stand =
    parent === tip.commit ? parent : await writeCommit(repo, placeholderCommit(tip.tree, [parent]));
  const merge = await mergeTrees(repo, stand, picked.sha);
  if (merge.kind === 'merged') return merge.tree;
  return merge.kind === 'conflicted' ? merge : unrelated;
};

/** The commits of `head` that `onto` does not have, oldest first; null if there are more than `PICKS_LIMIT`. */
const ownCommits = async (
  repo: GitRepository,
  onto: Sha,
  head: Sha,
  which: '--no-merges' | '--min-parents=2',
): Promise<readonly CommitObject[] | null> => {
  const shas = await ownShas(repo, onto, head, which, PICKS_LIMIT + 1);
  if (shas.length > PICKS_LIMIT) return null;
  const commits = await readCommits(repo, shas);
  return shas.map((sha) => {
    const commit = commits.get(sha);
    if (commit === undefined) throw new HostError(`The commit ${sha} is missing.`, 'later');
    return commit;
  });
};

/** The commits of `head` that `onto` does not have, in topological order, oldest first. At most the newest `limit`. */
export const ownShas = async (
  repo: ObjectReader,
  onto: Sha,
  head: Sha,
  which: '--no-merges' | '--min-parents=2' | '--min-parents=0',
  limit: number,
): Promise<readonly Sha[]> => {
  const { stdout } = await repo.objects({
    command: 'rev-list',
    args: ['--topo-order', which, `--max-count=${limit}`, '--end-of-options', head, `^${onto}`],
  });
  return stdout.toString('latin1').split('\n').filter(isSha).reverse();
};
