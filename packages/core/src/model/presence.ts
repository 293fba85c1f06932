import type { Instant, QueueId } from './ids.js';

/** What was shown at a pull request last. */
export interface ShownPresence {
  /** The key of the facts that were shown. */
  readonly key: string;
  readonly attempt: number;
  readonly isEnded: boolean;
  /** The digest of commit and status; null if none was set. */
  readonly status: string | null;
  /** The state labels that the queue has added. */
  readonly labels: readonly string[];
}

/** What is known of the presence of one pull request of a queue. It holds no content: that is projected when it is shown. */
export interface PresenceRow {
  readonly queueId: QueueId;
  readonly pr: number;
  /**
   * Increases by one with each write of the row, from 1. The comment contains the version of the write that leased
   * it.
   */
  readonly version: number;
  /** Null before anything was shown. */
  readonly shown: ShownPresence | null;
  readonly shownAt: Instant | null;
  /** The comment that is edited; null if none is known. */
  readonly commentId: string | null;
  /** The last attempt whose end was announced by a comment of its own, or needed none. */
  readonly noticedAttempt: number;
  /** How many such comments were made. */
  readonly notices: number;
  /** Held while it is being shown; null otherwise. */
  readonly lease: { readonly owner: string; readonly until: Instant } | null;
  /** When it is read back and repaired; null if that is not due (any more). */
  readonly readBackAt: Instant | null;
  /** Failures in a row, with the last one and the time of the next try. */
  readonly failures: number;
  readonly failure: string | null;
  readonly retryAt: Instant | null;
  /** When its end was shown and read back; null while there may be more to show. */
  readonly closedAt: Instant | null;
}

export const newPresence = (queueId: QueueId, pr: number): PresenceRow => ({
  ...{ queueId, pr, version: 0, shown: null, shownAt: null, commentId: null, noticedAttempt: 0, notices: 0 },
  ...{ lease: null, readBackAt: null, failures: 0, failure: null, retryAt: null, closedAt: null },
});

/** Since when the presence of a queue is shown, and what of its end may still be outstanding. */
export interface PresenceSpan {
  readonly begunAt: Instant;
  /** All attempts that ended before this have been shown. */
  readonly since: Instant;
}

/** Writes of the last hour at one installation of a code host. */
export interface WriteBudget {
  readonly installation: string;
  /** Increases by one with each write of the row, from 1. */
  readonly version: number;
  /** Oldest first. */
  readonly spent: readonly SpentWrites[];
}

export interface SpentWrites {
  readonly at: Instant;
  readonly writes: number;
  readonly isRoutine: boolean;
}
