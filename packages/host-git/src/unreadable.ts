import {
  type BuildCandidateRequest,
  type Candidate,
  type CandidateOutcome,
  HostError,
  type Sha,
} from '@mq/core';
import { faultOfAddedTrees, faultsOfAllTrees } from './added-trees.js';
import type { CommitObject } from './commit-objects.js';
import { readable } from './git.js';
import { areWhole, readCommit, readCommits, unreadableIn } from './objects.js';
import { failsForAll, isPullRequestFault, withinLimit } from './pull-request-fault.js';
import type { GitRepository } from './repositories.js';

const unreadable = (pr: number, message: string): CandidateOutcome => ({
  ...{ kind: 'faulty', pr, with: 'target' },
  fault: { code: 'PULL_REQUEST_UNREADABLE', message },
});

/**
 * The commits of a request; missing ones are omitted. They are read together, and one by one if that fails. A head that then cannot be
 * read, for instance because of its size, is the outcome.
 */
export const readParts = async (
  repo: GitRepository,
  { base, parts }: BuildCandidateRequest,
): Promise<ReadonlyMap<Sha, CommitObject> | CandidateOutcome> => {
  const read = (shas: readonly Sha[]) =>
    withinLimit(repo, async (limited) => ({ commits: await readCommits(limited, shas) }), repo.mergeLimitMs);
  const together = await read([base, ...parts.map(({ head }) => head)]);
  if ('commits' in together) return together.commits;
  const found = new Map(await readCommits(repo, [base]));
  for (const { pr, head } of parts) {
    const one = await read([head]);
    if ('message' in one) {
      if (!(await isPullRequestFault(repo, base, readCommit))) throw failsForAll(one.message);
      return unreadable(pr, `The head ${head} of #${pr} cannot be read: ${one.message}`);
    }
    const commit = one.commits.get(head);
    // Messages are read again where they are needed, so that only one is in memory.
    if (commit !== undefined) found.set(head, { ...commit, message: Buffer.alloc(0) });
  }
  return found;
};

/** Null if everything is readable. Git before 2.45 merges an unreadable tree as if it were empty. */
export const unreadablePart = async (
  repo: GitRepository,
  { base, parts }: BuildCandidateRequest,
): Promise<CandidateOutcome | null> => {
  const heads = parts.map(({ head }) => head);
  if (heads.length === 0) return null;
  const whole = await withinLimit(repo, (limited) => areWhole(limited, heads, base), repo.mergeLimitMs);
  if (whole === true) return null;
  for (const { pr, head } of parts) {
    const found = await whyUnreadable(repo, head, base);
    if (found === null) continue;
    const message = `An object that #${pr} adds with ${head} cannot be read (see git fsck): ${found}`;
    const isOwn = await isPullRequestFault(repo, base, async (limited, other) => {
      if ((await unreadableIn(limited, other, base)) !== null) throw new HostError(message, 'later');
    });
    if (!isOwn) throw failsForAll(found);
    return unreadable(pr, message);
  }
  return null;
};

/** The error of git, also if git crashes or exceeds the limit of a merge; null if every object of `head` exists. */
const whyUnreadable = async (repo: GitRepository, head: Sha, base: Sha): Promise<string | null> => {
  const ask = async (limited: GitRepository) => ({ found: await unreadableIn(limited, head, base) });
  const answer = await withinLimit(repo, ask, repo.mergeLimitMs);
  return 'found' in answer ? answer.found : answer.message;
};

/**
 * The first step that adds a tree which git cannot read or merge, because it would land and stop what comes later. Null if there is
 * none. A fault that the same folder of the target already has counts for no step.
 */
export const unreadableStep = async (
  repo: GitRepository,
  base: CommitObject,
  steps: Candidate['steps'],
): Promise<CandidateOutcome | null> => {
  const top = steps.at(-1);
  if (top === undefined) return null;
  const whole = await withinLimit(repo, faultBetween(base.sha, top.commit), repo.mergeLimitMs);
  if (whole.kind === 'none') return null;
  const allOfBase = async (limited: GitRepository) => ({
    faults: await faultsOfAllTrees(limited, base.tree),
  });
  const known = await withinLimit(repo, allOfBase, repo.mergeLimitMs);
  if ('message' in known) throw new HostError(`The target cannot be read: ${known.message}`, 'later');
  let below = base.sha;
  for (const { pr, commit } of steps) {
    const added = await withinLimit(repo, faultBetween(below, commit, known.faults), repo.mergeLimitMs);
    below = commit;
    if (added.kind === 'none') continue;
    const message = `#${pr} adds a folder that git cannot merge (see git fsck): ${added.message}`;
    const ask = async (limited: GitRepository, other: Sha) => faultOfAddedTrees(limited, other, base.sha);
    if (added.kind === 'failed' && !(await isPullRequestFault(repo, base.sha, ask)))
      throw failsForAll(added.message);
    return unreadable(pr, message);
  }
  return null;
};

type Fault = { readonly kind: 'none' } | { readonly kind: 'found'; readonly message: string };

const faultBetween =
  (below: Sha, commit: Sha, known?: ReadonlySet<string>) =>
  async (limited: GitRepository): Promise<Fault> => {
    const message = await faultOfAddedTrees(limited, commit, below, known);
    return message === null ? { kind: 'none' } : { kind: 'found', message: readable(message) };
  };
