import type { Instant } from './ids.js';
import { compareInLine, type Standing } from './order.js';
import { isAdmitted, isLive, type Submission } from './submission.js';

/** The orders in which rules go through live submissions, so that none of them has to go through all. */
export interface SubmissionIndexes {
  /** By which the line is ordered. */
  readonly ageingMsPerPoint: number;
  /** Admitted ones whose tests have begun, and those that wait for that. */
  readonly begun: Submission[];
  readonly waiting: Submission[];
  /** Those that are not ready, or no longer, by when that began. */
  readonly unready: Submission[];
  /** Those whom the host does not know, by when that began. */
  readonly missing: Submission[];
  /** Those that wait because of another one ahead. */
  readonly held: Submission[];
  /** All of them, by the numbers of their pull requests. */
  readonly numbered: Submission[];
}

export type IndexName = Exclude<keyof SubmissionIndexes, 'ageingMsPerPoint'>;
/** Those that together are the line. */
export type LineIndexName = 'begun' | 'waiting';

export const emptyIndexes = (ageingMsPerPoint: number): SubmissionIndexes => ({
  ageingMsPerPoint,
  begun: [],
  waiting: [],
  unready: [],
  missing: [],
  held: [],
  numbered: [],
});

/** Puts a row in place of the one before it. Undefined stands for none. Costs a search in each, whatever their length. */
export const reindex = (
  indexes: SubmissionIndexes,
  before: Submission | undefined,
  after: Submission | undefined,
): void => {
  for (const name of indexNames) {
    const { holds, compare } = kinds[name];
    const rows = indexes[name];
    const was = before !== undefined && holds(before);
    const is = after !== undefined && holds(after);
    const isInPlace = was && is && compare(before, after, indexes.ageingMsPerPoint) === 0;
    const placeOf = (one: Submission) => search(rows, one, compare, indexes.ageingMsPerPoint);
    if (was) rows.splice(placeOf(before), 1, ...(isInPlace ? [after] : []));
    if (is && !isInPlace) rows.splice(placeOf(after), 0, after);
  }
};

/** Two indexes as one, without the rows of the first that are hidden. */
export function* merged(
  base: SubmissionIndexes,
  over: SubmissionIndexes,
  name: IndexName,
  isHidden: (submission: Submission) => boolean,
): Generator<Submission> {
  const { compare } = kinds[name];
  const changed = over[name];
  let next = 0;
  for (const row of base[name]) {
    if (isHidden(row)) continue;
    for (
      let other = changed[next];
      other !== undefined && compare(other, row, base.ageingMsPerPoint) < 0;
      other = changed[next]
    ) {
      yield other;
      next += 1;
    }
    yield row;
  }
  yield* changed.slice(next);
}

/** How many stand before one in two indexes as one, of which the rows of a third are hidden in the first. A search in each. */
export const rankIn = (
  base: SubmissionIndexes,
  hidden: SubmissionIndexes,
  over: SubmissionIndexes,
  name: LineIndexName,
  standing: Standing,
): number => {
  const rank = ({ [name]: rows, ageingMsPerPoint }: SubmissionIndexes) =>
    search(rows, standing, compareInLine, ageingMsPerPoint);
  return rank(base) - rank(hidden) + rank(over);
};

interface Kind {
  readonly holds: (submission: Submission) => boolean;
  readonly compare: (one: Submission, other: Submission, ageingMsPerPoint: number) => number;
}

const bySince =
  (since: (submission: Submission) => Instant | null): Kind['compare'] =>
  (one, other) =>
    (since(one) ?? 0) - (since(other) ?? 0) || one.pr - other.pr;

const unreadySince = ({ state, stateSince, asideSince }: Submission): Instant | null =>
  state === 'not_ready' ? stateSince : asideSince;
const missingSince = (submission: Submission): Instant | null => submission.missingSince;

const kinds: Readonly<Record<IndexName, Kind>> = {
  begun: { holds: (one) => isAdmitted(one) && one.place !== null, compare: compareInLine },
  waiting: { holds: (one) => isAdmitted(one) && one.place === null, compare: compareInLine },
  unready: { holds: (one) => isLive(one) && unreadySince(one) !== null, compare: bySince(unreadySince) },
  missing: { holds: (one) => isLive(one) && one.missingSince !== null, compare: bySince(missingSince) },
  held: { holds: (one) => isLive(one) && one.heldBy !== null, compare: bySince(() => null) },
  numbered: { holds: isLive, compare: (one, other) => one.pr - other.pr },
};

const indexNames = Object.keys(kinds) as readonly IndexName[];

/** Where one stands among rows, or would stand. */
const search = <Row extends Standing>(
  rows: readonly Submission[],
  one: Row,
  compare: (row: Submission, one: Row, ageingMsPerPoint: number) => number,
  ageingMsPerPoint: number,
): number => {
  // Whoever comes stands behind all others, mostly.
  const last = rows[rows.length - 1];
  if (last === undefined || compare(last, one, ageingMsPerPoint) < 0) return rows.length;
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && compare(row, one, ageingMsPerPoint) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};
