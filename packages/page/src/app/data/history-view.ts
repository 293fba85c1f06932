import type { Client } from '@mq/client';
import type { EnqueuedPullRequest, QueueRef } from './queue-view.js';

/** Pull requests that have left the queue, newest first. */
export interface HistoryView {
  readonly left: readonly EnqueuedPullRequest[];
}

const PER_STATE = 50;

export const loadHistoryView = async (
  client: Client,
  ref: QueueRef,
  signal: AbortSignal,
): Promise<HistoryView> => {
  const pages = await Promise.all(
    (['merged', 'failed', 'cancelled'] as const).map((state) =>
      client.listPullRequests({ ...ref, state, take: PER_STATE }, { signal }),
    ),
  );
  const left = pages
    .flatMap(({ pullRequests }) => pullRequests)
    .sort((one, other) => other.stateChangedAt.localeCompare(one.stateChangedAt));
  return { left };
};
