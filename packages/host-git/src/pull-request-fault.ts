import { HostError, type MergeMethod, type Sha } from '@mq/core';
import { mergeTrees } from './merge.js';
import { placeholderCommit } from './merge-content.js';
import { containedIn, readCommit, readTree, writeBlob, writeCommit, writeTree } from './objects.js';
import type { GitRepository } from './repositories.js';
import { RunningTime } from './running-time.js';
import { StorageError } from './storage-error.js';

/** Time limit of the probe, and of the same question about it. */
const PROBE_LIMIT_MS = 5_000;
/** The name sorts behind all others of a tree. */
const PROBE_ENTRY = Buffer.concat([
  Buffer.from('100644 '),
  Buffer.from([255, 255]),
  Buffer.from('mq-probe\0'),
]);

/** The same repository; its calls are stopped when the time is over. `calls` is called with the command of each call. */
const stoppedBy = (
  repo: GitRepository,
  time: RunningTime,
  calls: (command: string) => void,
): GitRepository => {
  const stoppable = (run: GitRepository['refs']): GitRepository['refs'] => {
    return (call) => {
      calls(call.command);
      return run({ ...call, stop: time.over, begins: time.count });
    };
  };
  return { ...repo, refs: stoppable(repo.refs), objects: stoppable(repo.objects) };
};

/** Time limit for applying one pull request; a rebase may pick hundreds of commits. */
export const limitOf = ({ mergeLimitMs }: GitRepository, method: MergeMethod): number =>
  method === 'rebase' ? 2 * mergeLimitMs : mergeLimitMs;

/**
 * Runs `work` with the time limit of one merge, for which waiting behind the processes of others does not count. A crash of git or a
 * timeout is `failed`. Throws if git cannot write objects.
 */
export const withinLimit = async <Answer>(
  repo: GitRepository,
  work: (limited: GitRepository) => Promise<Answer>,
  limitMs: number,
): Promise<Answer | { readonly kind: 'failed'; readonly message: string }> => {
  const time = new RunningTime(limitMs);
  let latest = '';
  const calls = (command: string): void => {
    latest = ` ${command}`;
  };
  try {
    return await work(stoppedBy(repo, time, calls));
  } catch (error) {
    if (!(error instanceof HostError) || error instanceof StorageError) throw error;
    const message = time.over.aborted
      ? `git${latest} needs more than ${limitMs / 1000} s for it.`
      : error.message;
    return { kind: 'failed', message };
  }
};

/** The error if git fails in the same way for a sound change, so that no pull request is named. */
export const failsForAll = (message: string): HostError =>
  new HostError(`git fails for a sound change too: ${message}`, 'later');

/**
 * True if the failure belongs to the pull request, and git works: it merges `tip` with a new commit on it that adds one file, reads
 * the history of that commit, and answers `ask`, the same question, for it. Other pull requests do not matter, because each of them
 * may be faulty too.
 */
export const isPullRequestFault = async (
  repo: GitRepository,
  tip: Sha,
  ask: (limited: GitRepository, probe: Sha) => Promise<unknown>,
): Promise<boolean> => {
  const probe = await answered(repo, (limited) => mergedProbe(limited, tip));
  return probe !== null && (await answered(repo, (limited) => ask(limited, probe.value))) !== null;
};

/** Writes new objects only, because a full disk fails only what is not there yet. */
const mergedProbe = async (repo: GitRepository, tip: Sha): Promise<Sha> => {
  const onto = await readCommit(repo, tip);
  const root = onto === null ? null : await readTree(repo, onto.tree);
  if (root === null) throw new HostError(`${tip} cannot be read.`, 'later');
  const message = `probe ${Date.now()} ${Math.random()}\n`;
  const file = await writeBlob(repo, message);
  const tree = await writeTree(repo, Buffer.concat([root, PROBE_ENTRY, Buffer.from(file, 'hex')]));
  const probe = await writeCommit(repo, { ...placeholderCommit(tree, [tip]), message });
  const merge = await mergeTrees(repo, tip, probe);
  if (merge.kind !== 'merged') throw new HostError(`${tip} cannot be merged with a commit on it.`, 'later');
  if (!(await containedIn(repo, probe, [tip])).has(tip))
    throw new HostError(`${probe} cannot be read.`, 'later');
  return probe;
};

/** Null if git fails or exceeds the limit. */
const answered = async <Value>(
  repo: GitRepository,
  question: (limited: GitRepository) => Promise<Value>,
): Promise<{ readonly value: Value } | null> => {
  const limitMs = Math.min(PROBE_LIMIT_MS, repo.mergeLimitMs);
  const answer = await withinLimit(repo, async (limited) => ({ value: await question(limited) }), limitMs);
  return 'value' in answer ? answer : null;
};
