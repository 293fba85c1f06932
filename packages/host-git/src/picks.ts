import { HostError, isSha, type Sha } from '@mq/core';
import { mergeTrees } from './merge.js';
import { areRelated, type CommitObject, readCommits, writeCommit } from './objects.js';
import type { GitRepository } from './repositories.js';

/** A rebase of more commits than this is refused: every pick is a few processes, and a trial must not take minutes. */
export const PICKS_LIMIT = 250;

export type Applied =
  | { readonly kind: 'applied'; readonly commit: Sha; readonly tree: string }
  | { readonly kind: 'conflicted'; readonly paths: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly message: string };

/** Puts the own commits of `head` on `onto`, oldest first, without merges; what changes nothing there is left out. */
export const rebase = async (
  repo: GitRepository,
  onto: CommitObject,
  head: CommitObject,
): Promise<Applied> => {
  if (!(await areRelated(repo, onto.sha, head.sha))) return unrelated;
  const own = await ownCommits(repo, onto.sha, head.sha);
  if (own === null) {
    const message = `It has more than ${PICKS_LIMIT} commits of its own; the limit of a rebase is ${PICKS_LIMIT}.`;
    return { kind: 'refused', message };
  }
  let tip = { commit: onto.sha, tree: onto.tree, committedAtSeconds: onto.committedAtSeconds };
  for (const picked of own) {
    const parent = picked.parents[0];
    if (parent === undefined) {
      return {
        kind: 'refused',
        message: `It brings a root commit (${picked.sha}), which cannot be rebased.`,
      };
    }
    const tree = await pick(repo, tip, parent, picked);
    if (typeof tree !== 'string') return tree;
    if (tree === tip.tree) continue;
    const committedAtSeconds = Math.max(tip.committedAtSeconds, picked.committedAtSeconds);
    const { author, encoding, message } = picked;
    const parents = [tip.commit];
    const commit = await writeCommit(repo, { tree, parents, author, committedAtSeconds, encoding, message });
    tip = { commit, tree, committedAtSeconds };
  }
  return tip.commit === onto.sha
    ? { kind: 'nothing' }
    : { kind: 'applied', commit: tip.commit, tree: tip.tree };
};

export const unrelated: Applied = {
  kind: 'refused',
  message: 'It has no commit in common with the target branch (unrelated histories).',
};

/**
 * The tree of a commit's change on top of `tip`. Git before 2.40 cannot be told the merge base, so it is given one: a
 * commit with the tip's tree and the picked commit's parent.
 */
const pick = async (
  repo: GitRepository,
  tip: { readonly commit: Sha; readonly tree: string },
  parent: Sha,
  picked: CommitObject,
): Promise<string | Applied> => {
  if (parent === tip.commit) return picked.tree;
  const stand = await writeCommit(repo, {
    tree: tip.tree,
    parents: [parent],
    author: 'mq <mq@localhost> 0 +0000',
    committedAtSeconds: 0,
    message: 'stands in for the tip\n',
  });
  const merge = await mergeTrees(repo, stand, picked.sha);
  if (merge.kind === 'merged') return merge.tree;
  return merge.kind === 'conflicted' ? merge : unrelated;
};

/** Null where there are more than may be picked. */
const ownCommits = async (
  repo: GitRepository,
  onto: Sha,
  head: Sha,
): Promise<readonly CommitObject[] | null> => {
  const { stdout } = await repo.objects({
    command: 'rev-list',
    args: [
      '--topo-order',
      '--no-merges',
      `--max-count=${PICKS_LIMIT + 1}`,
      '--end-of-options',
      head,
      `^${onto}`,
    ],
  });
  const shas = stdout.toString('latin1').split('\n').filter(isSha).reverse();
  if (shas.length > PICKS_LIMIT) return null;
  const commits = await readCommits(repo, shas);
  return shas.map((sha) => {
    const commit = commits.get(sha);
    if (commit === undefined) throw new HostError(`The commit ${sha} is missing.`, 'later');
    return commit;
  });
};
