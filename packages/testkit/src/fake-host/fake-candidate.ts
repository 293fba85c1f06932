import {
  type BuildCandidateRequest,
  type Candidate,
  type CandidateOutcome,
  creditsOf,
  type Instant,
  type MergeMethod,
  type Sha,
  squashMessage,
} from '@mq/core';
import { type FakeCommit, type FakeGit, mergeFiles, treeOf } from './fake-git.js';

type Part = BuildCandidateRequest['parts'][number];
type Step = Candidate['steps'][number];

type NotApplied =
  | { readonly kind: 'conflicted'; readonly paths: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'merge_content_lost'; readonly commit: Sha };

type Applied =
  | { readonly kind: 'applied'; readonly commit: FakeCommit; readonly reviewedTree: string | null }
  | NotApplied
  | { readonly kind: 'refused'; readonly message: string };

/** Applies each part on top of the previous one. Writes commits; moves no branch. */
export const buildCandidate = (git: FakeGit, request: BuildCandidateRequest): CandidateOutcome => {
  if (!git.has(request.base)) {
    return {
      kind: 'refused',
      class: 'wait',
      pr: null,
      message: `The base commit ${request.base} does not exist.`,
    };
  }
  const steps: Step[] = [];
  for (const part of request.parts) {
    if (!git.has(part.head)) return { kind: 'head_gone', pr: part.pr };
    const onto = steps.at(-1)?.commit ?? request.base;
    const applied = apply(git, onto, part, request);
    if (applied.kind === 'refused') {
      return { kind: 'refused', class: 'pull_request', pr: part.pr, message: applied.message };
    }
    if (applied.kind !== 'applied')
      return notApplied(applied, part.pr, firstBelow(git, request, steps, part, applied.kind));
    const { sha: commit, tree } = applied.commit;
    const { reviewedTree } = applied;
    steps.push({
      ...{ pr: part.pr, head: part.head, headTree: git.get(part.head).tree },
      ...{ reviewedTree, commit, tree },
    });
  }
  const { sha: commit, tree } = git.get(steps.at(-1)?.commit ?? request.base);
  return { kind: 'built', candidate: { ref: `candidates/${request.runId}`, commit, tree, steps } };
};

const notApplied = (applied: NotApplied, pr: number, below: number | 'target'): CandidateOutcome => {
  if (applied.kind === 'nothing') return { kind: 'nothing_to_land', pr, with: below };
  return { ...applied, pr, with: below };
};

/** The first of the target and the steps below on which the part alone already gives the same outcome. */
const firstBelow = (
  git: FakeGit,
  request: BuildCandidateRequest,
  steps: readonly Step[],
  part: Part,
  kind: Applied['kind'],
): number | 'target' => {
  if (apply(git, request.base, part, request).kind === kind) return 'target';
  const found = steps.find((step) => apply(git, step.commit, part, request).kind === kind);
  return found?.pr ?? 'target';
};

type Terms = Pick<BuildCandidateRequest, 'method' | 'decidedAt'>;

const apply = (git: FakeGit, onto: Sha, part: Part, terms: Terms): Applied => {
  if (git.isAncestor(part.head, onto)) return { kind: 'nothing' };
  if (terms.method === 'rebase') return rebase(git, onto, part, terms);
  const merged = git.merge(onto, part.head);
  if (merged.kind === 'unrelated') return { kind: 'refused', message: 'The histories are unrelated.' };
  if (merged.kind === 'conflicted') return merged;
  const { committedAt } = git.get(part.head);
  const commit = git.commit({
    files: merged.files,
    pr: part.pr,
    committedAt: dated(git.get(onto).committedAt, committedAt, part, terms),
    ...written(git, onto, part, terms.method),
  });
  if (commit.tree === git.get(onto).tree) return { kind: 'nothing' };
  return { kind: 'applied', commit, reviewedTree: commit.tree };
};

const written = (git: FakeGit, onto: Sha, part: Part, method: MergeMethod) => {
  const { title, body } = part.message;
  if (method === 'merge_commit') {
    const message = body === '' ? title : `${title}\n\n${body}`;
    return { parents: [onto, part.head], message, author: 'merge queue' };
  }
  const own = git.ownCommits(part.head, onto);
  const credits = creditsOf(
    own.map((commit) => ({ author: isNoMerge(commit) ? commit.author : null, message: commit.message })),
    part,
  );
  const author = credits.author ?? git.get(part.head).author;
  return { parents: [onto], message: squashMessage(part.message, credits), author };
};

const dated = (below: Instant, own: Instant, { begunAt }: Part, { decidedAt }: Terms): Instant => {
  const bounded = Math.min(own, begunAt ?? decidedAt, decidedAt);
  return below > decidedAt ? bounded : Math.max(below, bounded);
};

const isNoMerge = ({ parents }: FakeCommit): boolean => parents.length < 2;

/** Rebases commit by commit. If the result differs from the merge of the two, a merge commit with own content is an error. */
const rebase = (git: FakeGit, onto: Sha, part: Part, terms: Terms): Applied => {
  const own = git.ownCommits(part.head, onto);
  const picked = pickAll(git, onto, own.filter(isNoMerge), part, terms);
  if (picked.kind === 'refused') return picked;
  const reviewed = git.merge(onto, part.head);
  const reviewedTree = reviewed.kind === 'merged' ? treeOf(reviewed.files) : null;
  const rebasedTree = picked.kind === 'picked' ? picked.tip.tree : null;
  const lost = own.find((commit) => !isNoMerge(commit) && !git.isAutomatic(commit));
  if (lost !== undefined && (rebasedTree === null || rebasedTree !== reviewedTree)) {
    const isConflict = picked.kind === 'conflicted' && reviewed.kind === 'conflicted';
    return isConflict ? reviewed : { kind: 'merge_content_lost', commit: lost.sha };
  }
  if (picked.kind === 'conflicted') return picked;
  return picked.tip.sha === onto
    ? { kind: 'nothing' }
    : { kind: 'applied', commit: picked.tip, reviewedTree };
};

type Picked =
  | { readonly kind: 'picked'; readonly tip: FakeCommit }
  | Extract<Applied, { kind: 'conflicted' | 'refused' }>;

/** Skips commits that change nothing on the new base. */
const pickAll = (
  git: FakeGit,
  onto: Sha,
  commits: readonly FakeCommit[],
  part: Part,
  terms: Terms,
): Picked => {
  let tip = git.get(onto);
  for (const own of commits) {
    const parent = own.parents[0];
    if (parent === undefined) return { kind: 'refused', message: 'A root commit cannot be rebased.' };
    const picked = mergeFiles(git.get(parent).files, tip.files, own.files);
    if (picked.kind !== 'merged') return picked;
    const committedAt = dated(tip.committedAt, own.committedAt, part, terms);
    const { message, author } = own;
    const next = git.commit(
      { files: picked.files, parents: [tip.sha], message, author, committedAt, pr: part.pr },
      `picked ${own.sha}`,
    );
    if (next.tree !== tip.tree) tip = next;
  }
  return { kind: 'picked', tip };
};
