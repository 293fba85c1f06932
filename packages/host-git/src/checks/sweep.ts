import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { changeRefs } from '../refs.js';
import type { GitRepository } from '../repositories.js';
import { type AskIfRunning, CHECKS, storedChecks, withEnds } from './results.js';

/** Max completed checks that a repository keeps, with their logs. */
export const RESULTS_KEPT = 1000;
const REFS_PER_CHANGE = 500;

/** Removes the oldest results and logs beyond the limit. Queues have stored the verdicts that they rely on by then. */
export const sweepResults = async (repo: GitRepository, isRunning: AskIfRunning): Promise<void> => {
  const stored = await storedChecks(repo, [CHECKS]);
  if (stored.length <= RESULTS_KEPT) return;
  // An abandoned check may still be taken over.
  const settled = await withEnds(repo, stored, async (check) => (await isRunning(check)) || null);
  const old = settled
    .filter(({ record }) => record.status === 'completed')
    .sort((one, other) => (other.record.completedAt ?? 0) - (one.record.completedAt ?? 0))
    .slice(RESULTS_KEPT);
  for (let at = 0; at < old.length; at += REFS_PER_CHANGE) {
    const part = old.slice(at, at + REFS_PER_CHANGE);
    const swept = await changeRefs(
      repo,
      part.map(({ ref, blob }) => ({ kind: 'delete', ref, was: blob })),
    );
    if (!swept) continue;
    for (const { record } of part) await rm(join(repo.folder, 'logs', `${record.id}.log`), { force: true });
  }
};
