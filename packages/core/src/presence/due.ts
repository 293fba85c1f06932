import type { Instant } from '../model/ids.js';
import type { PresenceRow } from '../model/presence.js';
import type { PresenceFacts } from './facts.js';

/** A pull request whose presence is out of date or has to be read back. */
export interface DuePresence {
  readonly pr: number;
  /** True for the end of an attempt, which is shown first and may use the whole write budget. */
  readonly isEnd: boolean;
  /** True if the host's present state must be read first: after a write with unknown outcome, or to verify it. */
  readonly isReadBack: boolean;
  readonly since: Instant;
}

/** `at`: when to check the pull request again even if nothing changes; null if only a change can make it due. */
export type DueOrNot = DuePresence | { readonly pr: number; readonly at: Instant | null };

export const isDue = (due: DueOrNot): due is DuePresence => 'isEnd' in due;

/** Decides whether the presence of a pull request is due. `row` is null if nothing was ever shown. */
export const dueOf = (facts: PresenceFacts, row: PresenceRow | null, now: Instant): DueOrNot => {
  const { pr } = facts;
  const waitsUntil = Math.max(row?.lease?.until ?? 0, row?.retryAt ?? 0);
  if (waitsUntil > now) return { pr, at: waitsUntil };
  const isUnknown = row !== null && row.lease !== null;
  if (isUnknown || row?.shown?.key !== facts.key)
    return {
      pr,
      isEnd: facts.isEnded || isEndUnshown(facts, row),
      isReadBack: isUnknown,
      since: sinceOf(facts, row),
    };
  if (!facts.isEnded || row.readBackAt === null) return { pr, at: null };
  return row.readBackAt <= now
    ? { pr, isEnd: false, isReadBack: true, since: row.readBackAt }
    : { pr, at: row.readBackAt };
};

/** True if a previous attempt was shown but its end was not. */
const isEndUnshown = ({ attempt }: PresenceFacts, row: PresenceRow | null): boolean =>
  row?.shown != null && row.shown.attempt < attempt && !row.shown.isEnded;

/** The key of the order: for an end its time; else the time of the last update, so that none starves. */
const sinceOf = (facts: PresenceFacts, row: PresenceRow | null): Instant =>
  facts.isEnded ? facts.stateSince : (row?.shownAt ?? facts.submittedAt);

/** Sorts ends first, then by `since`. */
export const inDueOrder = (due: readonly DuePresence[]): readonly DuePresence[] =>
  due.toSorted(
    (one, other) => Number(other.isEnd) - Number(one.isEnd) || one.since - other.since || one.pr - other.pr,
  );
