import type { Instant, QueueId } from '../model/ids.js';
import type { PresenceRow, PresenceSpan, WriteBudget } from '../model/presence.js';

/**
 * Stores what was shown at pull requests, for all replicas. Every method is atomic, safe for concurrent use, and durable
 * once it resolves. An exception means that the outcome is unknown. It never decides what is shown, or when.
 */
export interface PresenceStore {
  /** The time of the store, the same for all processes. */
  now(): Promise<Instant>;
  /** The span of a queue. The first call for a queue sets both of its times to `at`. */
  begin(queueId: QueueId, at: Instant): Promise<PresenceSpan>;
  /** Moves `since` of a queue forward; a time before the stored one changes nothing. */
  advance(queueId: QueueId, since: Instant): Promise<void>;
  /** The rows of a queue that are not closed, by number, at most `PRESENCE_ROWS_PER_READ`. */
  open(queueId: QueueId): Promise<readonly PresenceRow[]>;
  /** The rows of these pull requests, at most `PRESENCE_ROWS_PER_READ`, closed or not, in any order. */
  find(queueId: QueueId, prs: readonly number[]): Promise<readonly PresenceRow[]>;
  /** Stores a row if the stored version is lower by exactly 1; one that is absent has version 0. Otherwise answers false. */
  replace(row: PresenceRow): Promise<boolean>;
  /** Null if nothing was ever spent. */
  budget(installation: string): Promise<WriteBudget | null>;
  /** Stores a budget under the same condition as a row. */
  replaceBudget(budget: WriteBudget): Promise<boolean>;
  /** Removes the rows that were closed before this instant. */
  prune(closedBefore: Instant): Promise<void>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export const PRESENCE_ROWS_PER_READ = 10_000;
