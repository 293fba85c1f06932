import { HostError, type MergeMethod, type Sha } from '@mq/core';
import { mergeTrees } from './merge.js';
import { placeholderCommit } from './merge-content.js';
import { PULLS } from './names.js';
import { containedIn, writeCommit } from './objects.js';
import { listRefs } from './refs.js';
import type { GitRepository } from './repositories.js';

/** Time limit of the probe: the same question about another pull request. */
const PROBE_LIMIT_MS = 5_000;
const PROBES_LIMIT = 5;

/** The same repository; the signal aborts its calls. `begins` is called with the command of each call. */
const stoppedBy = (
  repo: GitRepository,
  stop: AbortSignal,
  begins: (command: string) => void,
): GitRepository => {
  const stoppable = (run: GitRepository['refs']): GitRepository['refs'] => {
    return (call) => {
      begins(call.command);
      return run({ ...call, stop });
    };
  };
  return { ...repo, refs: stoppable(repo.refs), objects: stoppable(repo.objects) };
};

/** Time limit for applying one pull request; a rebase may pick hundreds of commits. */
export const limitOf = ({ mergeLimitMs }: GitRepository, method: MergeMethod): number =>
  method === 'rebase' ? 2 * mergeLimitMs : mergeLimitMs;

/** Runs `work` with the time limit of one merge. A crash of git or a timeout is `failed`. */
export const withinLimit = async <Answer>(
  repo: GitRepository,
  work: (limited: GitRepository) => Promise<Answer>,
  limitMs: number,
): Promise<Answer | { readonly kind: 'failed'; readonly message: string }> => {
  const stop = AbortSignal.timeout(limitMs);
  let latest = '';
  const begins = (command: string): void => {
    latest = ` ${command}`;
  };
  try {
    return await work(stoppedBy(repo, stop, begins));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const message = stop.aborted ? `git${latest} needs more than ${limitMs / 1000} s for it.` : error.message;
    return { kind: 'failed', message };
  }
};

/** The error if git fails in the same way for other pull requests, which then are not named. */
export const failsForOthers = (message: string): HostError =>
  new HostError(`git fails for other pull requests too: ${message}`, 'later');

/**
 * True if the failure belongs to `head`: git can merge `tip` with itself, write a commit and read its history, and answers `ask`, the
 * same question, for another pull request. Without another pull request only `tip` is probed.
 */
export const isPullRequestFault = async (
  repo: GitRepository,
  tip: Sha,
  head: Sha,
  ask: (limited: GitRepository, other: Sha) => Promise<unknown>,
): Promise<boolean> => {
  if (!(await isAnswered(repo, (limited) => mergeAndRead(limited, tip)))) return false;
  const others = await otherHeads(repo, head);
  for (const other of others) if (await isAnswered(repo, (limited) => ask(limited, other))) return true;
  return others.length === 0;
};

/** Merges a commit with itself and writes a new commit of the result, because a full disk fails only what is not there yet. */
const mergeAndRead = async (repo: GitRepository, tip: Sha): Promise<void> => {
  const merge = await mergeTrees(repo, tip, tip);
  if (merge.kind !== 'merged') throw new HostError(`${tip} cannot be merged with itself.`, 'later');
  const probe = { ...placeholderCommit(merge.tree, [tip]), message: `probe ${Date.now()}\n` };
  const commit = await writeCommit(repo, probe);
  if (!(await containedIn(repo, commit, [tip])).has(tip))
    throw new HostError(`${commit} cannot be read.`, 'later');
};

const isAnswered = async (
  repo: GitRepository,
  question: (limited: GitRepository) => Promise<unknown>,
): Promise<boolean> => {
  const limitMs = Math.min(PROBE_LIMIT_MS, repo.mergeLimitMs);
  const answer = await withinLimit(repo, async (limited) => ({ value: await question(limited) }), limitMs);
  return 'value' in answer;
};

/** Heads of other pull requests, from both ends of the list, because faulty ones are often opened one after another. */
const otherHeads = async (repo: GitRepository, head: Sha): Promise<readonly Sha[]> => {
  const refs = await listRefs(repo, [PULLS]);
  const heads = [...refs]
    .filter(([ref, sha]) => ref.endsWith('/head') && sha !== head)
    .map(([ref, sha]) => ({ number: Number(ref.split('/').at(-2)), sha }))
    .sort((one, other) => other.number - one.number);
  const newest = [...new Set(heads.map(({ sha }) => sha))];
  const fromBothEnds = newest.flatMap((sha, index) => [sha, ...newest.slice(-1 - index).slice(0, 1)]);
  return [...new Set(fromBothEnds)].slice(0, PROBES_LIMIT);
};
