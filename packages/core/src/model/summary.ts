import { type HistoryRow, isUntestedPass, type Moved, type RunChanged } from './history.js';
import type { Instant } from './ids.js';
import type { SubmissionState } from './submission.js';

/** Max checks of one summary; a check beyond them is not counted. */
export const SUMMARY_CHECKS_LIMIT = 200;
export const HOUR_MS = 3_600_000;

/** The tests of a check that ended: failures include flakes, which passed when they were tested again. */
export interface CheckCount {
  readonly tests: number;
  readonly failures: number;
  readonly flakes: number;
}

/** What happened in one queue in a span of time. Summaries of adjacent spans are added by `addSummaries`. */
export interface Summary {
  readonly landed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** The time from admission to the end, for those that landed: the number of pull requests in each `durationClass`. */
  readonly timesInQueue: Readonly<Record<string, number>>;
  /** CI time in milliseconds, by `purpose cause use` of the test run. */
  readonly ciMs: Readonly<Record<string, number>>;
  readonly checks: Readonly<Record<string, CheckCount>>;
}

/** The summary of one hour of one queue. */
export interface HourSummary extends Summary {
  /** The start of the hour. */
  readonly hour: Instant;
}

export const emptySummary: Summary = {
  ...{ landed: 0, failed: 0, cancelled: 0 },
  ...{ timesInQueue: {}, ciMs: {}, checks: {} },
};

export const hourOf = (at: Instant): Instant => Math.floor(at / HOUR_MS) * HOUR_MS;

/** Each class is a tenth longer than the one before, so that its middle is at most 5 % off. */
const CLASS_GROWTH = 1.1;

export const durationClass = (ms: number): number =>
  ms < 1 ? 0 : Math.floor(Math.log(ms) / Math.log(CLASS_GROWTH)) + 1;

const middleOf = (classNumber: number): number =>
  classNumber === 0 ? 0 : Math.round(CLASS_GROWTH ** (classNumber - 0.5));

/** The duration that this share is not longer than, at most 5 % off; null if nothing was counted. */
export const quantileOf = (classes: Summary['timesInQueue'], share: number): number | null => {
  const counted = Object.entries(classes)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([one], [other]) => one - other);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(total * share);
  for (const [name, count] of counted) {
    left -= count;
    if (left <= 0) return middleOf(name);
  }
  return null;
};

/** Causes of a pass that merged something or was used in a decision. */
const usefulPasses: ReadonlySet<string> = new Set(['landed', 'vouched_for', 'isolated', 'judged']);

/** A failure counts as useful; a pass only if it merged or decided something; anything else does not. */
export const isUsedRun = ({ outcome, cause }: Pick<RunChanged, 'outcome' | 'cause'>): boolean =>
  outcome === 'failed' ||
  outcome === 'timed_out' ||
  (outcome === 'passed' && cause !== null && usefulPasses.has(cause));

/** The cause of CI time, from its name in a summary. */
export const ciCauseOf = (name: string) => {
  const [purpose = '', cause = '', use = ''] = name.split(' ');
  return { purpose, cause, isUsed: use === 'used' };
};

/** What one row of the history adds; null for nothing. */
export const summaryOf = (row: HistoryRow): Summary | null => {
  if (row.type === 'moved') return summaryOfMove(row);
  return row.type === 'run' ? summaryOfRun(row) : null;
};

const endings = { merged: 'landed', failed: 'failed', cancelled: 'cancelled' } as const satisfies Partial<
  Record<SubmissionState, keyof Summary>
>;

const summaryOfMove = ({ to, at, admittedAt, flakes = [] }: Moved): Summary | null => {
  const checks = Object.fromEntries(flakes.map((name) => [name, { tests: 0, failures: 0, flakes: 1 }]));
  if (to !== 'merged' && to !== 'failed' && to !== 'cancelled')
    return flakes.length === 0 ? null : { ...emptySummary, checks };
  const isTimed = to === 'merged' && admittedAt !== null;
  return {
    ...emptySummary,
    [endings[to]]: 1,
    timesInQueue: isTimed ? { [durationClass(at - admittedAt)]: 1 } : {},
    checks,
  };
};

const summaryOfRun = (row: RunChanged): Summary | null => {
  const { change, purpose, cause, ciMs = 0, passedChecks = [], failedChecks = [] } = row;
  if (change === 'closed' && ciMs > 0) {
    const name = `${purpose} ${cause ?? 'none'} ${isUsedRun(row) ? 'used' : 'wasted'}`;
    return { ...emptySummary, ciMs: { [name]: ciMs } };
  }
  if (change !== 'ended' || isUntestedPass(row)) return null;
  const tested = [
    ...passedChecks.map((name) => [name, { tests: 1, failures: 0, flakes: 0 }] as const),
    ...failedChecks.map((name) => [name, { tests: 1, failures: 1, flakes: 0 }] as const),
  ];
  return tested.length === 0 ? null : { ...emptySummary, checks: Object.fromEntries(tested) };
};

export const addSummaries = (one: Summary, other: Summary): Summary => ({
  landed: one.landed + other.landed,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled,
  timesInQueue: added(one.timesInQueue, other.timesInQueue, plus),
  ciMs: added(one.ciMs, other.ciMs, plus),
  checks: added(one.checks, other.checks, addCounts, SUMMARY_CHECKS_LIMIT),
});

const plus = (one: number, other: number): number => one + other;

const addCounts = (one: CheckCount, other: CheckCount): CheckCount => ({
  tests: one.tests + other.tests,
  failures: one.failures + other.failures,
  flakes: one.flakes + other.flakes,
});

const added = <Value>(
  ones: Readonly<Record<string, Value>>,
  others: Readonly<Record<string, Value>>,
  add: (one: Value, other: Value) => Value,
  limit = Number.POSITIVE_INFINITY,
): Readonly<Record<string, Value>> => {
  const names = Object.keys(others);
  if (names.length === 0) return ones;
  const sum = new Map(Object.entries(ones));
  for (const name of names) {
    const [one, other] = [sum.get(name), others[name] as Value];
    if (one !== undefined) sum.set(name, add(one, other));
    else if (sum.size < limit) sum.set(name, other);
  }
  return Object.fromEntries(sum);
};

/** Adds the rows to the summaries of their hours. */
export const summarize = (rows: readonly HistoryRow[], hours: Map<Instant, Summary>): void => {
  for (const row of rows) {
    const more = summaryOf(row);
    if (more === null) continue;
    const hour = hourOf(row.at);
    hours.set(hour, addSummaries(hours.get(hour) ?? emptySummary, more));
  }
};
