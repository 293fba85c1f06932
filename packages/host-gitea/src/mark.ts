import { setTimeout } from 'node:timers/promises';
import { HostError, type Sha } from '@mq/core';
import type { GiteaApi } from './api.js';
import type { Pulls } from './pulls.js';

/** Max attempts to mark a pull request as merged, because the host accepts it only once it knows the new tip. */
const TRIES = 5;
const PAUSE_MS = 200;
/** A pull request that the host fails to mark for this long is left unmarked, so that the queue goes on. */
export const MARK_WAIT_MS = 600_000;

export interface MarkingParts {
  readonly api: GiteaApi;
  readonly path: string;
  readonly pulls: Pick<Pulls, 'read'>;
  /** Called for a pull request that landed but cannot be marked as merged, with the host's reason. */
  readonly onUnmarked: (fault: UnmarkedPull) => void;
  /** For each pull request that the host fails to mark: when it first did, in ms since 1970. Kept between calls. */
  readonly failingSince: Map<number, number>;
  /** True if the target still contains the commit. The host marks only then. */
  readonly isOnTarget: (commit: Sha) => Promise<boolean>;
  /** In ms since 1970. */
  readonly now?: () => number;
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
 *
 * Throws (`later`) while the host fails to mark it, for `MARK_WAIT_MS` at most and only while the target contains the
 * commit. Then it is reported as unmarked.
 */
export const markMerged = async (
  parts: MarkingParts,
  { pr, commit }: { readonly pr: number; readonly commit: Sha },
): Promise<void> => {
  const { api, path, onUnmarked, failingSince, pause = setTimeout } = parts;
  const body = { Do: 'manually-merged', MergeCommitID: commit };
  for (let tries = 1; ; tries += 1) {
    const { status, value } = await api.call(`${path}/pulls/${pr}/merge`, {
      method: 'POST',
      body,
      statuses: [404, 405, 409, 500],
    });
    const message = textOf(value);
    const isDone =
      status < 300 ||
      status === 404 ||
      (status === 405 && /already merged/i.test(message)) ||
      (status !== 409 && (await isMerged(parts, pr)));
    const isFinal = status === 405 || (tries === TRIES && (await willNeverBeMarked(parts, pr, commit)));
    if (isDone || isFinal) failingSince.delete(pr);
    if (isDone) return;
    if (isFinal) return onUnmarked({ pr, commit, message });
    if (tries === TRIES) throw new HostError(`#${pr} has landed and is not marked yet: ${message}`, 'later');
    await pause(PAUSE_MS * tries);
  }
};

const willNeverBeMarked = async (
  { failingSince, isOnTarget, now = Date.now }: MarkingParts,
  pr: number,
  commit: Sha,
): Promise<boolean> => {
  const since = failingSince.get(pr) ?? now();
  failingSince.set(pr, since);
  return now() - since >= MARK_WAIT_MS || !(await isOnTarget(commit));
};

const isMerged = async ({ pulls }: MarkingParts, pr: number): Promise<boolean> => {
  const [pull] = await pulls.read([pr], false);
  return pull !== undefined && !('unreadable' in pull) && pull.merged;
};

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
    ? value.message.slice(0, 300)
    : '';
