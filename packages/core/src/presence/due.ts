import type { Instant } from '../model/ids.js';
import type { PresenceRow } from '../model/presence.js';
import type { Sight } from './sight.js';

/** A pull request whose presence is out of date. */
export interface DuePresence {
  readonly pr: number;
  /** The end of an attempt: it goes first, and may use the whole budget. */
  readonly isEnd: boolean;
  /** True if what is shown has to be read, because it is not known or is read back. */
  readonly isReadBack: boolean;
  readonly since: Instant;
}

/** `at`: when the presence of a pull request is looked at again, although nothing changes until then. */
export type DueOrNot = DuePresence | { readonly pr: number; readonly at: Instant | null };

export const isDue = (due: DueOrNot): due is DuePresence => 'isEnd' in due;

/** Whether the presence of a pull request is out of date. `row` is null if nothing was ever shown. */
export const dueOf = (sight: Sight, row: PresenceRow | null, now: Instant): DueOrNot => {
  const { pr } = sight;
  const waitsUntil = Math.max(row?.lease?.until ?? 0, row?.retryAt ?? 0);
  if (waitsUntil > now) return { pr, at: waitsUntil };
  const isUnknown = row !== null && row.lease !== null;
  if (isUnknown || row?.shown?.key !== sight.key)
    return {
      pr,
      isEnd: sight.isEnded || isEndUnshown(sight, row),
      isReadBack: isUnknown,
      since: sinceOf(sight, row),
    };
  if (!sight.isEnded || row.readBackAt === null) return { pr, at: null };
  return row.readBackAt <= now
    ? { pr, isEnd: false, isReadBack: true, since: row.readBackAt }
    : { pr, at: row.readBackAt };
};

/** The attempt before this one was shown, but not its end. */
const isEndUnshown = ({ attempt }: Sight, row: PresenceRow | null): boolean =>
  row?.shown != null && row.shown.attempt < attempt && !row.shown.isEnded;

/** Of ends when they came; of the rest when it was shown last, so that each gets its turn. */
const sinceOf = (sight: Sight, row: PresenceRow | null): Instant =>
  sight.isEnded ? sight.stateSince : (row?.shownAt ?? sight.submittedAt);

/** Ends first, then what was shown longest ago. */
export const inDueOrder = (due: readonly DuePresence[]): readonly DuePresence[] =>
  due.toSorted(
    (one, other) => Number(other.isEnd) - Number(one.isEnd) || one.since - other.since || one.pr - other.pr,
  );
