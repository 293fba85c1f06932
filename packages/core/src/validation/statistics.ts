import type { Instant } from '../model/ids.js';
import type { CheckCount } from '../model/summary.js';
import type { QueueRef } from './requests.js';

export const statisticsBuckets = ['hour', 'day', 'week'] as const;
export type StatisticsBucket = (typeof statisticsBuckets)[number];
/** Max buckets of one answer. */
export const STATISTICS_BUCKETS_LIMIT = 400;
/** Max days of one answer. */
export const STATISTICS_DAYS_LIMIT = 400;
/** Max checks of one bucket: those that failed most often. */
export const STATISTICS_CHECKS_LIMIT = 50;

export interface StatisticsRequest extends QueueRef {
  /** Rounded down to the start of a bucket in UTC; weeks begin on Monday. */
  readonly since: Instant;
  /** Rounded up; now by default. */
  readonly until?: Instant;
  /** Default: days. */
  readonly bucket?: StatisticsBucket;
}

export interface StatisticsOfSpan {
  readonly since: Instant;
  readonly until: Instant;
  readonly landed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** From admission to landing, at most 5 % off; null if nothing landed. */
  readonly timeInQueueMs: { readonly median: number; readonly p95: number } | null;
  /** Most first. `isUsed`: the test run decided something. */
  readonly ci: readonly {
    readonly purpose: string;
    readonly cause: string;
    readonly isUsed: boolean;
    readonly ms: number;
  }[];
  /** At most `STATISTICS_CHECKS_LIMIT`, most failures first. */
  readonly checks: readonly (CheckCount & { readonly name: string })[];
}

export interface Statistics {
  readonly bucket: StatisticsBucket;
  readonly total: StatisticsOfSpan;
  readonly buckets: readonly StatisticsOfSpan[];
}
