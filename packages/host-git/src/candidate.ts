import {
  type BuildCandidateRequest,
  type Candidate,
  type CandidateOutcome,
  HostError,
  type Sha,
  squashMessage,
} from '@mq/core';
import { type CommitDates, commitDatesOf, dated } from './commit-dates.js';
import { authorLine, authorOf, type CommitObject, type NewCommit } from './commit-objects.js';
import { mergeTrees } from './merge.js';
import { candidateRef } from './names.js';
import { readCommit, writeCommit } from './objects.js';
import { failsForAll, isPullRequestFault, limitOf, withinLimit } from './pull-request-fault.js';
import { type Applied, rebase, unrelated } from './rebase.js';
import { changeRefs } from './refs.js';
import type { GitRepository } from './repositories.js';
import { creditsOfBranch } from './squash.js';
import { readParts, unreadablePart, unreadableStep } from './unreadable.js';

type Part = BuildCandidateRequest['parts'][number];
type Method = BuildCandidateRequest['method'];
type Step = Candidate['steps'][number];

/** Builds a candidate without a work tree or an index, and without running code of the parts. Stores it at its ref. */
export const buildCandidate = async (
  repo: GitRepository,
  request: BuildCandidateRequest,
): Promise<CandidateOutcome> => {
  const ref = candidateRef(request.runId);
  const commits = await readParts(repo, request);
  if ('kind' in commits) return commits;
  const base = commits.get(request.base);
  if (base === undefined) {
    return {
      kind: 'refused',
      class: 'wait',
      pr: null,
      message: `The commit ${request.base} is not in the repository.`,
    };
  }
  const gone = request.parts.find((part) => !commits.has(part.head));
  if (gone !== undefined) return { kind: 'head_gone', pr: gone.pr };
  const unreadable = await unreadablePart(repo, request);
  if (unreadable !== null) return unreadable;
  const outcome = await stack(repo, request, base, commits);
  if (outcome.kind !== 'built') return outcome;
  const { commit, steps } = outcome.candidate;
  const hostile = await unreadableStep(repo, base, steps);
  if (hostile !== null) return hostile;
  if (await changeRefs(repo, [{ kind: 'update', ref, to: commit }])) return outcome;
  throw new HostError(`${ref} could not be written.`, 'later');
};

type Attempted = Applied | { readonly kind: 'failed'; readonly message: string };

const stack = async (
  repo: GitRepository,
  request: BuildCandidateRequest,
  base: CommitObject,
  heads: ReadonlyMap<Sha, CommitObject>,
): Promise<CandidateOutcome> => {
  const below: { readonly pr: number | 'target'; readonly commit: CommitObject }[] = [
    { pr: 'target', commit: base },
  ];
  const { runId, parts, method } = request;
  const steps: Step[] = [];
  let onto = base;
  for (const part of parts) {
    const head = heads.get(part.head);
    if (head === undefined) return { kind: 'head_gone', pr: part.pr };
    const change = { head, part, method, dating: commitDatesOf(request, part) };
    const attempt = (under: CommitObject): Promise<Attempted> =>
      withinLimit(repo, (limited) => apply(limited, under, change), limitOf(repo, method));
    const applied = await attempt(onto);
    switch (applied.kind) {
      case 'refused':
        return { kind: 'refused', class: 'pull_request', pr: part.pr, message: applied.message };
      case 'failed': {
        const { message } = applied;
        const ask = async (limited: GitRepository, other: Sha): Promise<Attempted> =>
          apply(limited, base, { ...change, head: await written(limited, other) });
        if (!(await isPullRequestFault(repo, base.sha, ask))) throw failsForAll(message);
        const culprit = await firstBelow(below, applied.kind, attempt);
        return {
          kind: 'faulty',
          pr: part.pr,
          with: culprit,
          fault: { code: 'MERGE_NOT_COMPUTABLE', message },
        };
      }
      case 'conflicted':
      case 'merge_content_lost':
      case 'nothing': {
        const first = await firstBelow(below, applied.kind, attempt);
        return notApplied(applied, part.pr, first);
      }
      case 'applied':
        onto = await written(repo, applied.commit);
        steps.push({
          pr: part.pr,
          head: part.head,
          headTree: head.tree,
          reviewedTree: applied.reviewedTree,
          commit: applied.commit,
          tree: applied.tree,
        });
        below.push({ pr: part.pr, commit: onto });
    }
  }
  const ref = candidateRef(runId);
  return { kind: 'built', candidate: { ref, commit: onto.sha, tree: onto.tree, steps } };
};

/**
 * Finds where a part first fails: the lowest commit, from the target upwards, on which it has the same outcome.
 * Returns the pull request of that commit. The topmost is known to have it.
 */
const firstBelow = async (
  below: readonly { readonly pr: number | 'target'; readonly commit: CommitObject }[],
  kind: Attempted['kind'],
  applyOn: (commit: CommitObject) => Promise<Attempted>,
): Promise<number | 'target'> => {
  for (const { pr, commit } of below.slice(0, -1)) if ((await applyOn(commit)).kind === kind) return pr;
  return below.at(-1)?.pr ?? 'target';
};

const notApplied = (
  applied: Extract<Applied, { kind: 'conflicted' | 'merge_content_lost' | 'nothing' }>,
  pr: number,
  first: number | 'target',
): CandidateOutcome => {
  switch (applied.kind) {
    case 'nothing':
      return { kind: 'nothing_to_land', pr, with: first };
    case 'conflicted':
      return { kind: 'conflicted', pr, with: first, paths: applied.paths };
    case 'merge_content_lost':
      return { kind: 'merge_content_lost', pr, with: first, commit: applied.commit };
  }
};

interface Change {
  readonly head: CommitObject;
  readonly part: Part;
  readonly method: Method;
  readonly dating: CommitDates;
}

const apply = async (repo: GitRepository, onto: CommitObject, change: Change): Promise<Applied> => {
  const { head, method, dating } = change;
  if (method === 'rebase') return rebase(repo, onto, head, dating);
  const merge = await mergeTrees(repo, onto.sha, head.sha);
  if (merge.kind === 'unrelated') return unrelated;
  if (merge.kind === 'conflicted') return merge;
  const { tree } = merge;
  if (tree === onto.tree) return { kind: 'nothing' };
  const committedAtSeconds = dated(onto.committedAtSeconds, head.committedAtSeconds, dating);
  const made = method === 'squash' ? await squashed(repo, onto, change) : merged(onto, change);
  const commit = await writeCommit(repo, { tree, committedAtSeconds, ...made });
  return { kind: 'applied', commit, tree, reviewedTree: tree };
};

type Made = Pick<NewCommit, 'parents' | 'author' | 'message'>;

const merged = (onto: CommitObject, { head, part, dating }: Change): Made => ({
  parents: [onto.sha, head.sha],
  author: authorLine(authorOf(head), head, dating.ownSeconds),
  message: messageOf(part),
});

const squashed = async (
  repo: GitRepository,
  onto: CommitObject,
  { head, part, dating }: Change,
): Promise<Made> => {
  const credits = await creditsOfBranch(repo, onto.sha, head.sha, part);
  return {
    parents: [onto.sha],
    author: authorLine(credits.author, head, dating.ownSeconds),
    message: squashMessage(part.message, credits),
  };
};

const messageOf = ({ message: { title, body } }: Part): string => {
  const text = body.trim() === '' ? title : `${title}\n\n${body}`;
  return `${text.replaceAll('\0', ' ').trimEnd()}\n`;
};

const written = async (repo: GitRepository, sha: Sha): Promise<CommitObject> => {
  const commit = await readCommit(repo, sha);
  if (commit === null) throw new HostError(`The commit ${sha} was written but cannot be found.`, 'later');
  return commit;
};
