import type { BuildTrialRequest, MergeMethod, Sha, Trial, TrialOutcome } from '@mq/core';
import { type FakeCommit, type FakeGit, mergeFiles } from './fake-git.js';

type Part = BuildTrialRequest['parts'][number];
type Step = Trial['steps'][number];

type Applied =
  | { readonly kind: 'applied'; readonly commit: FakeCommit }
  | { readonly kind: 'conflicted'; readonly paths: readonly string[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly message: string };

/** Puts each part on the one before. Writes commits and moves no branch. */
export const buildTrial = (git: FakeGit, request: BuildTrialRequest): TrialOutcome => {
  if (!git.has(request.base)) {
    return { kind: 'refused', class: 'wait', pr: null, message: `The base ${request.base} is not there.` };
  }
  const steps: Step[] = [];
  for (const part of request.parts) {
    if (!git.has(part.head)) return { kind: 'head_gone', pr: part.pr };
    const onto = steps.at(-1)?.commit ?? request.base;
    const applied = apply(git, onto, part, request.method);
    if (applied.kind === 'refused') {
      return { kind: 'refused', class: 'pull_request', pr: part.pr, message: applied.message };
    }
    if (applied.kind !== 'applied') {
      const below = firstBelow(git, request, steps, part, applied.kind);
      return applied.kind === 'nothing'
        ? { kind: 'nothing_to_land', pr: part.pr, with: below }
        : { kind: 'conflicted', pr: part.pr, with: below, paths: applied.paths };
    }
    const { sha: commit, tree } = applied.commit;
    steps.push({ pr: part.pr, head: part.head, headTree: git.get(part.head).tree, commit, tree });
  }
  const { sha: commit, tree } = git.get(steps.at(-1)?.commit ?? request.base);
  return { kind: 'built', trial: { ref: `trials/${request.runId}`, commit, tree, steps } };
};

/** The first of what lies below, target first, on which the part already comes to the same. */
const firstBelow = (
  git: FakeGit,
  request: BuildTrialRequest,
  steps: readonly Step[],
  part: Part,
  kind: Applied['kind'],
): number | 'target' => {
  if (apply(git, request.base, part, request.method).kind === kind) return 'target';
  const found = steps.find((step) => apply(git, step.commit, part, request.method).kind === kind);
  return found?.pr ?? 'target';
};

const apply = (git: FakeGit, onto: Sha, part: Part, method: MergeMethod): Applied => {
  if (git.isAncestor(part.head, onto)) return { kind: 'nothing' };
  if (method === 'rebase') return rebase(git, onto, part);
  const merged = git.merge(onto, part.head);
  if (merged.kind === 'unrelated') return { kind: 'refused', message: 'The histories are unrelated.' };
  if (merged.kind === 'conflicted') return merged;
  const { title, body } = part.message;
  const commit = git.commit({
    files: merged.files,
    parents: method === 'merge_commit' ? [onto, part.head] : [onto],
    message: body === '' ? title : `${title}\n\n${body}`,
    author: method === 'squash' ? git.get(part.head).author : 'merge queue',
    pr: part.pr,
  });
  return commit.tree === git.get(onto).tree ? { kind: 'nothing' } : { kind: 'applied', commit };
};

/** Picks the own commits one by one; merges are left out, and what changes nothing here is skipped. */
const rebase = (git: FakeGit, onto: Sha, part: Part): Applied => {
  let tip = git.get(onto);
  for (const own of git.ownCommits(part.head, onto)) {
    const parent = own.parents[0];
    if (parent === undefined) return { kind: 'refused', message: 'A root commit cannot be rebased.' };
    const picked = mergeFiles(git.get(parent).files, tip.files, own.files);
    if (picked.kind !== 'merged') return picked;
    const next = git.commit(
      { files: picked.files, parents: [tip.sha], message: own.message, author: own.author, pr: part.pr },
      `picked ${own.sha}`,
    );
    if (next.tree !== tip.tree) tip = next;
  }
  return tip.sha === onto ? { kind: 'nothing' } : { kind: 'applied', commit: tip };
};
