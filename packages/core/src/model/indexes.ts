import type { Instant } from './ids.js';
import { compareInLine } from './order.js';
import { isAdmitted, isLive, type Submission } from './submission.js';

type Compare = (one: Submission, other: Submission) => number;

/** Rows in an order that is kept up. Putting and taking one costs a search, whatever the length. */
class Sorted {
  readonly rows: Submission[] = [];

  constructor(
    readonly compare: Compare,
    readonly holds: (submission: Submission) => boolean,
  ) {}

  replace(before: Submission | undefined, after: Submission | undefined): void {
    const isIn = after !== undefined && this.holds(after);
    if (before !== undefined && this.holds(before)) {
      const at = this.#search(before);
      if (isIn && this.compare(before, after) === 0) this.rows[at] = after;
      else this.rows.splice(at, 1);
      if (isIn && this.compare(before, after) === 0) return;
    }
    if (isIn) this.rows.splice(this.#search(after), 0, after);
  }

  /** Where it stands, or would stand. */
  #search(submission: Submission): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.rows[middle];
      if (row !== undefined && this.compare(row, submission) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The orders in which rules go through live submissions, so that none of them has to go through all. */
export class SubmissionIndexes {
  /** Admitted ones whose tests have begun, and those that wait for that. */
  readonly begun: Sorted;
  readonly waiting: Sorted;
  /** Those that are not ready, or no longer, by when that began. */
  readonly unready = new Sorted(bySince(unreadySince), (one) => isLive(one) && unreadySince(one) !== null);
  /** Those whom the host does not know, by when that began. */
  readonly missing = new Sorted(bySince(missingSince), (one) => isLive(one) && one.missingSince !== null);
  /** Those that wait because of another one ahead. */
  readonly held = new Sorted(
    bySince(() => 0),
    (one) => isLive(one) && one.heldBy !== null,
  );

  constructor(ageingMsPerPoint: number) {
    const compare: Compare = (one, other) => compareInLine(one, other, ageingMsPerPoint);
    this.begun = new Sorted(compare, (one) => isAdmitted(one) && one.place !== null);
    this.waiting = new Sorted(compare, (one) => isAdmitted(one) && one.place === null);
  }

  /** A row in place of the one before it. Undefined stands for none. */
  replace(before: Submission | undefined, after: Submission | undefined): void {
    for (const index of [this.begun, this.waiting, this.unready, this.missing, this.held])
      index.replace(before, after);
  }
}

export type IndexName = keyof Pick<SubmissionIndexes, 'begun' | 'waiting' | 'unready' | 'missing' | 'held'>;

/** Two indexes as one, without the rows of the first that are hidden. */
export function* merged(
  base: SubmissionIndexes,
  over: SubmissionIndexes,
  name: IndexName,
  isHidden: (submission: Submission) => boolean,
): Generator<Submission> {
  const { compare } = base[name];
  const changed = over[name].rows;
  let next = 0;
  for (const row of base[name].rows) {
    if (isHidden(row)) continue;
    for (let other = changed[next]; other !== undefined && compare(other, row) < 0; other = changed[next]) {
      yield other;
      next += 1;
    }
    yield row;
  }
  yield* changed.slice(next);
}

function unreadySince(submission: Submission): Instant | null {
  return submission.state === 'not_ready' ? submission.stateSince : submission.asideSince;
}

function missingSince(submission: Submission): Instant | null {
  return submission.missingSince;
}

function bySince(since: (submission: Submission) => Instant | null): Compare {
  return (one, other) => (since(one) ?? 0) - (since(other) ?? 0) || one.pr - other.pr;
}
