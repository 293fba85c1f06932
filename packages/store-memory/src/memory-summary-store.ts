import {
  type HourSummary,
  type Instant,
  MergeQueueError,
  type QueueId,
  SUMMARIES_PER_CALL,
  type SummaryStore,
} from '@mq/core';
import { frozen } from './frozen.js';

/** Keeps summaries in this process: nothing outlives it. */
export const memorySummaryStore = (): SummaryStore => {
  const queues = new Map<QueueId, Map<Instant, HourSummary>>();
  const ofQueue = (id: QueueId): readonly HourSummary[] =>
    [...(queues.get(id)?.values() ?? [])].sort((one, other) => one.hour - other.hour);
  let isClosed = false;
  const refuseWhenClosed = (): void => {
    if (isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
  };
  return {
    put: async (id, summaries) => {
      refuseWhenClosed();
      const hours = queues.get(id) ?? new Map<Instant, HourSummary>();
      for (const summary of summaries) hours.set(summary.hour, frozen(summary));
      queues.set(id, hours);
    },
    read: async ({ queueId, since, until }) => {
      refuseWhenClosed();
      return ofQueue(queueId)
        .filter(({ hour }) => hour >= since && hour < until)
        .slice(0, SUMMARIES_PER_CALL);
    },
    lastHour: async (id) => {
      refuseWhenClosed();
      return ofQueue(id).at(-1)?.hour ?? null;
    },
    prune: async (before) => {
      refuseWhenClosed();
      for (const hours of queues.values())
        for (const hour of [...hours.keys()]) if (hour < before) hours.delete(hour);
    },
    close: async () => {
      isClosed = true;
    },
  };
};
