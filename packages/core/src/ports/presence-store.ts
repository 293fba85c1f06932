import type { Instant, QueueId } from '../model/ids.js';
import type { PresenceRow, PresenceSpan, WriteBudget } from '../model/presence.js';

/**
 * Stores what was shown at pull requests, for all replicas. Every method is atomic, safe for concurrent use, and durable
 * once it resolves. An exception means that the outcome is unknown. It never decides what is shown, or when.
 */
export interface PresenceStore {
  /** The time of the store, the same for all processes. */
  now(): Promise<Instant>;
  /** The span of a queue. The first call for a queue sets both of its times to `at`; later calls change nothing. Idempotent. */
  begin(queueId: QueueId, at: Instant): Promise<PresenceSpan>;
  /** Moves `since` of a queue forward. A time before the stored one changes nothing. Idempotent. */
  advance(queueId: QueueId, since: Instant): Promise<void>;
  /** Lists the rows of a queue that are not closed, by pull request number. At most `PRESENCE_ROWS_PER_READ`. */
  open(queueId: QueueId): Promise<readonly PresenceRow[]>;
  /** Reads the rows of these pull requests, closed or not, in any order. At most `PRESENCE_ROWS_PER_READ`. */
  find(queueId: QueueId, prs: readonly number[]): Promise<readonly PresenceRow[]>;
  /**
   * Stores a row if the stored version is lower by exactly 1; an absent row has version 0. Otherwise changes nothing and
   * answers false.
   */
  replace(row: PresenceRow): Promise<boolean>;
  /** Reads the write budget of an installation; null if none was ever stored. */
  budget(installation: string): Promise<WriteBudget | null>;
  /** Stores a write budget under the condition of `replace`. Otherwise changes nothing and answers false. */
  replaceBudget(budget: WriteBudget): Promise<boolean>;
  /** Removes the rows that were closed before this instant. Idempotent. */
  prune(closedBefore: Instant): Promise<void>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export const PRESENCE_ROWS_PER_READ = 10_000;
