import { MqError, type Operations } from '@mq/client';
import { type JsonSchema, objectOf, type QueueName, type Schemas } from './command.js';

export interface Spread {
  /** The number of values. */
  readonly count: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** How long tests and merges of a queue took lately. Null for a kind of which there was none. */
export interface UsualDurations {
  /** The start of the period. */
  readonly since: string;
  /** The last test runs that passed. */
  readonly testRun: Spread | null;
  /** From joining the queue to the merge, at most 5 % off. */
  readonly timeToMerge: Spread | null;
}

/** The number of days in the period, today included. */
export const DAYS = 7;
const DAY_MS = 24 * 3_600_000;
/** Max test results that are read, newest first. A batch has one result for each pull request. */
const RESULTS_LIMIT = 100;

const quantileOf = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

export const spreadOf = (durationsMs: readonly number[]): Spread | null => {
  const sorted = durationsMs.toSorted((one, other) => one - other);
  if (sorted.length === 0) return null;
  return { count: sorted.length, medianMs: quantileOf(sorted, 0.5), p95Ms: quantileOf(sorted, 0.95) };
};

/** The duration of each test run that passed. */
export const passedDurations = (results: readonly Schemas['TestingResult'][]): readonly number[] => {
  const byRun = new Map<string, number>();
  for (const { testRunId, outcome, testingDurationMs } of results)
    if (outcome === 'passed' && testingDurationMs !== null) byRun.set(testRunId, testingDurationMs);
  return [...byRun.values()];
};

type StatisticsCalls = Pick<Operations, 'listMergeQueueTestingResults' | 'getQueueStatistics'>;

/** Null if the server does not answer: the queue is then shown without them. */
export const usualDurations = async (
  client: StatisticsCalls,
  { repo, targetBranch }: QueueName,
  now: number,
  signal: AbortSignal,
): Promise<UsualDurations | null> => {
  // Days are whole ones of UTC, and today is one of them.
  const since = new Date((Math.floor(now / DAY_MS) - (DAYS - 1)) * DAY_MS).toISOString();
  const request = { repo, targetBranch, since };
  try {
    const [{ testingResults }, { total }] = await Promise.all([
      client.listMergeQueueTestingResults({ ...request, take: RESULTS_LIMIT }, { signal }),
      client.getQueueStatistics({ ...request, bucket: 'day' }, { signal }),
    ]);
    return {
      since,
      testRun: spreadOf(passedDurations(testingResults)),
      timeToMerge: total.timeInQueue === null ? null : { count: total.landed, ...total.timeInQueue },
    };
  } catch (error) {
    if (error instanceof MqError) return null;
    throw error;
  }
};

const spread: JsonSchema = {
  anyOf: [
    objectOf({ count: { type: 'integer' }, medianMs: { type: 'integer' }, p95Ms: { type: 'integer' } }),
    { type: 'null' },
  ],
};

export const usualDurationsSchema: JsonSchema = {
  anyOf: [objectOf({ since: { type: 'string' }, testRun: spread, timeToMerge: spread }), { type: 'null' }],
  description: `How long test runs that passed and merges took in the last ${DAYS} days (UTC); null if the server does not answer it.`,
};
