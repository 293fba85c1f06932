import { setTimeout } from 'node:timers/promises';
import { HostError, type Sha } from '@mq/core';
import type { GiteaApi } from './api.js';
import type { Pulls } from './pulls.js';

/** Max attempts to mark a pull request as merged, because the host accepts it only once it knows the new tip. */
const TRIES = 5;
const PAUSE_MS = 200;

export interface MarkingParts {
  readonly api: GiteaApi;
  readonly path: string;
  readonly pulls: Pick<Pulls, 'read'>;
  /** Called for a pull request that landed but cannot be marked as merged, with the host's reason. */
  readonly onUnmarked: (fault: UnmarkedPull) => void;
  /** Between two attempts; by default it waits. */
  readonly pause?: (delayMs: number) => Promise<unknown>;
}

/** A pull request whose commits are on the target but that the host still shows as open. */
export interface UnmarkedPull {
  readonly pr: number;
  readonly commit: string;
  readonly message: string;
}

/**
 * Marks a pull request as merged. Idempotent. 404: it was closed or deleted meanwhile. 405: it is already merged, or the
 * repository does not allow manual merge marks. 409: the host does not know yet that the branch contains the commit.
 * 500: among others, another process has marked it at the same time.
 */
export const markMerged = async (
  parts: MarkingParts,
  { pr, commit }: { readonly pr: number; readonly commit: Sha },
): Promise<void> => {
  const { api, path, onUnmarked, pause = setTimeout } = parts;
  const body = { Do: 'manually-merged', MergeCommitID: commit };
  for (let tries = 1; ; tries += 1) {
    const { status, value } = await api.call(`${path}/pulls/${pr}/merge`, {
      method: 'POST',
      body,
      statuses: [404, 405, 409, 500],
    });
    if (status < 300 || status === 404) return;
    const message = textOf(value);
    if (status === 405 && /already merged/i.test(message)) return;
    if (status !== 409 && (await isMerged(parts, pr))) return;
    if (status === 405) return onUnmarked({ pr, commit, message });
    if (tries === TRIES) throw new HostError(`#${pr} has landed and is not marked yet: ${message}`, 'later');
    await pause(PAUSE_MS * tries);
  }
};

const isMerged = async ({ pulls }: MarkingParts, pr: number): Promise<boolean> => {
  const [pull] = await pulls.read([pr], false);
  return pull !== undefined && !('unreadable' in pull) && pull.merged;
};

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
    ? value.message.slice(0, 300)
    : '';
