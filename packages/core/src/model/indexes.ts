import type { Instant } from './ids.js';
import { compareInLine, type OrderFields } from './order.js';
import { isAdmitted, isLive, type Submission } from './submission.js';

/** Sorted views of live submissions, so that rules need not scan all of them. */
export interface SubmissionIndexes {
  /** The ageing that the line is ordered by. */
  readonly ageingMsPerPoint: number;
  /** Admitted submissions whose tests have begun, and admitted ones that wait for that. */
  readonly begun: Submission[];
  readonly waiting: Submission[];
  /** Submissions that are not ready or on hold, by the start of that. */
  readonly unready: Submission[];
  /** Submissions that the host does not know, by the start of that. */
  readonly missing: Submission[];
  /** Submissions that wait because of another one ahead. */
  readonly held: Submission[];
  /** Submissions on which the host failed, by the time of the next try. */
  readonly faulty: Submission[];
  /** The numbers of all live pull requests, ascending. */
  readonly numbers: number[];
}

export type IndexName = Exclude<keyof SubmissionIndexes, 'ageingMsPerPoint' | 'numbers'>;
/** The indexes that together are the line. */
export type LineIndexName = 'begun' | 'waiting';
export const emptyIndexes = (ageingMsPerPoint: number): SubmissionIndexes => ({
  ageingMsPerPoint,
  begun: [],
  waiting: [],
  unready: [],
  missing: [],
  held: [],
  faulty: [],
  numbers: [],
});

/** A copy that can be changed on its own. */
export const copyOfIndexes = (indexes: SubmissionIndexes): SubmissionIndexes => {
  const { ageingMsPerPoint, begun, waiting, unready, missing, held, faulty, numbers } = indexes;
  return {
    ageingMsPerPoint,
    begun: begun.slice(),
    waiting: waiting.slice(),
    unready: unready.slice(),
    missing: missing.slice(),
    held: held.slice(),
    faulty: faulty.slice(),
    numbers: numbers.slice(),
  };
};

/** Replaces a row, or inserts it if `before` is undefined. One binary search per index. */
export const reindex = (
  indexes: SubmissionIndexes,
  before: Submission | undefined,
  after: Submission,
): void => {
  putIn((name) => indexes[name], indexes.ageingMsPerPoint, before, after);
  const isThere = isLive(after);
  if (isThere !== wasThere(before)) putNumber(indexes.numbers, after.pr, isThere);
};

const wasThere = (before: Submission | undefined): boolean => before !== undefined && isLive(before);

/** Copy-on-write indexes of a state: one that a decision changes is copied first, once. */
export class Orders {
  readonly #base: SubmissionIndexes;
  readonly #own: { -readonly [Name in keyof SubmissionIndexes]: SubmissionIndexes[Name] };

  constructor(base: SubmissionIndexes) {
    this.#base = base;
    this.#own = { ...base };
  }

  get numbers(): readonly number[] {
    return this.#own.numbers;
  }

  /** The current rows. Callers must iterate over a copy if they put rows meanwhile. */
  of(name: IndexName): readonly Submission[] {
    return this.#own[name];
  }

  put(before: Submission | undefined, after: Submission): void {
    putIn(this.#toBeChanged, this.#own.ageingMsPerPoint, before, after);
    const isThere = isLive(after);
    if (isThere === wasThere(before)) return;
    if (this.#own.numbers === this.#base.numbers) this.#own.numbers = this.#base.numbers.slice();
    putNumber(this.#own.numbers, after.pr, isThere);
  }

  /** The number of rows before `standing`, whether or not it is among them. One binary search. */
  rank(name: LineIndexName, standing: OrderFields): number {
    return search(this.#own[name], standing, compareInLine, this.#own.ageingMsPerPoint);
  }

  readonly #toBeChanged = (name: IndexName): Submission[] => {
    if (this.#own[name] === this.#base[name]) this.#own[name] = this.#base[name].slice();
    return this.#own[name];
  };
}

const putIn = (
  rowsOf: (name: IndexName) => Submission[],
  ageingMsPerPoint: number,
  before: Submission | undefined,
  after: Submission,
): void => {
  for (const name of indexNames) {
    const { holds, compare } = kinds[name];
    const was = before !== undefined && holds(before) ? before : undefined;
    const isIn = holds(after);
    if (was === undefined && !isIn) continue;
    const rows = rowsOf(name);
    const index = was === undefined ? 0 : search(rows, was, compare, ageingMsPerPoint);
    if (was !== undefined && isIn && compare(was, after, ageingMsPerPoint) === 0) rows[index] = after;
    else {
      if (was !== undefined) rows.splice(index, 1);
      if (isIn) rows.splice(search(rows, after, compare, ageingMsPerPoint), 0, after);
    }
  }
};

/** Adds or removes the number of a pull request. Idempotent. */
const putNumber = (numbers: number[], number: number, isThere: boolean): void => {
  const index = indexOfNumber(numbers, number);
  if (isThere === (numbers[index] === number)) return;
  if (isThere) numbers.splice(index, 0, number);
  else numbers.splice(index, 1);
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
const faultRetryAt = ({ fault }: Submission): Instant | null => fault?.retryAt ?? null;
const missingSince = (submission: Submission): Instant | null => submission.missingSince;

const kinds: Readonly<Record<IndexName, Kind>> = {
  begun: { holds: (one) => isAdmitted(one) && one.place !== null, compare: compareInLine },
  waiting: { holds: (one) => isAdmitted(one) && one.place === null, compare: compareInLine },
  unready: { holds: (one) => isLive(one) && unreadySince(one) !== null, compare: bySince(unreadySince) },
  missing: { holds: (one) => isLive(one) && one.missingSince !== null, compare: bySince(missingSince) },
  held: { holds: (one) => isLive(one) && one.heldBy !== null, compare: bySince(() => null) },
  faulty: { holds: (one) => isLive(one) && faultRetryAt(one) !== null, compare: bySince(faultRetryAt) },
};

const indexNames = Object.keys(kinds) as readonly IndexName[];

/** The index of a row, or the index at which it would be inserted. */
const search = <Row extends OrderFields>(
  rows: readonly Submission[],
  one: Row,
  compare: (row: Submission, one: Row, ageingMsPerPoint: number) => number,
  ageingMsPerPoint: number,
): number => {
  // Most new rows come last.
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

const indexOfNumber = (numbers: readonly number[], number: number): number => {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
};
