import type { Instant, QueueId } from '../model/ids.js';
import type { HourSummary } from '../model/summary.js';

export interface SummaryQuery {
  readonly queueId: QueueId;
  /** Hours that begin at `since` or later, and before `until`. */
  readonly since: Instant;
  readonly until: Instant;
}

/**
 * Stores hourly summaries of queues, for all replicas. They are kept longer than the history that they were made from. Every
 * method is atomic, safe for concurrent use, and durable once it resolves. An exception means that the outcome is unknown.
 */
export interface SummaryStore {
  /** Stores summaries in one write, at most `SUMMARIES_PER_CALL`. Replaces those of the same queue and hour. Idempotent. */
  put(queueId: QueueId, summaries: readonly HourSummary[]): Promise<void>;
  /** Lists the summaries in the range by hour, ascending. At most `SUMMARIES_PER_CALL`; later ones are left out. */
  read(query: SummaryQuery): Promise<readonly HourSummary[]>;
  /** The hour of the last summary of a queue; null if it has none. */
  lastHour(queueId: QueueId): Promise<Instant | null>;
  /** Removes the summaries of hours that began before this instant. */
  prune(before: Instant): Promise<void>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export const SUMMARIES_PER_CALL = 1_000;
