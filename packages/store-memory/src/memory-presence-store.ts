import {
  type Clock,
  MergeQueueError,
  PRESENCE_ROWS_PER_READ,
  type PresenceRow,
  type PresenceSpan,
  type PresenceStore,
  type QueueId,
  type WriteBudget,
} from '@mq/core';
import { frozen } from './frozen.js';

export interface MemoryPresenceStoreOptions {
  /** Must be that of the store of the queues; the system clock by default. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Keeps in this process what is shown at pull requests: nothing outlives it. */
export const memoryPresenceStore = (options: MemoryPresenceStoreOptions = {}): PresenceStore => {
  const clock = options.clock ?? { now: () => Date.now() };
  const queues = new Map<QueueId, Map<number, PresenceRow>>();
  const spans = new Map<QueueId, PresenceSpan>();
  const budgets = new Map<string, WriteBudget>();
  const rowsOf = (id: QueueId): ReadonlyMap<number, PresenceRow> => queues.get(id) ?? new Map();
  let isClosed = false;
  const refuseWhenClosed = (): void => {
    if (isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
  };
  return {
    now: async () => {
      refuseWhenClosed();
      return clock.now();
    },
    begin: async (queueId, at) => {
      refuseWhenClosed();
      const span = spans.get(queueId) ?? frozen({ begunAt: at, since: at });
      spans.set(queueId, span);
      return span;
    },
    advance: async (queueId, since) => {
      refuseWhenClosed();
      const span = spans.get(queueId);
      if (span !== undefined && span.since < since) spans.set(queueId, frozen({ ...span, since }));
    },
    open: async (queueId) => {
      refuseWhenClosed();
      return [...rowsOf(queueId).values()]
        .filter(({ closedAt }) => closedAt === null)
        .sort((one, other) => one.pr - other.pr)
        .slice(0, PRESENCE_ROWS_PER_READ);
    },
    find: async (queueId, prs) => {
      refuseWhenClosed();
      const rows = rowsOf(queueId);
      return [...new Set(prs)].flatMap((pr) => rows.get(pr) ?? []).slice(0, PRESENCE_ROWS_PER_READ);
    },
    replace: async (row) => {
      refuseWhenClosed();
      const rows = queues.get(row.queueId) ?? new Map<number, PresenceRow>();
      if ((rows.get(row.pr)?.version ?? 0) !== row.version - 1) return false;
      queues.set(row.queueId, rows.set(row.pr, frozen(row)));
      return true;
    },
    budget: async (installation) => {
      refuseWhenClosed();
      return budgets.get(installation) ?? null;
    },
    replaceBudget: async (budget) => {
      refuseWhenClosed();
      if ((budgets.get(budget.installation)?.version ?? 0) !== budget.version - 1) return false;
      budgets.set(budget.installation, frozen(budget));
      return true;
    },
    prune: async (closedBefore) => {
      refuseWhenClosed();
      for (const rows of queues.values())
        for (const [pr, { closedAt }] of rows)
          if (closedAt !== null && closedAt < closedBefore) rows.delete(pr);
    },
    close: async () => {
      isClosed = true;
    },
  };
};
