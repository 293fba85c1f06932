import type { Instant } from './ids.js';
import type { QueueSettings } from './settings.js';

/** The state of `autoConcurrency` and `autoBatching`. It is reset when the setting is switched on. */
export interface Adaptation {
  /** Max concurrent test runs, below the limit of `concurrency`. */
  readonly concurrency: number;
  /** When that was lowered last. A failure of a test run created before then does not lower it again. Null if never. */
  readonly loweredAt: Instant | null;
  /** Pull requests in a full batch; null if that is `batchingMinSize`. */
  readonly batchSize: number | null;
  /** Share of pull requests that failed, weighted towards the latest; null before the first result. */
  readonly failureRate: number | null;
}

/** The initial value, as in Zuul. */
const FIRST_CONCURRENCY = 20;
/** The lower limit of concurrent test runs, unless `concurrency` is lower. */
export const LEAST_CONCURRENCY = 3;

/** The initial state of `autoConcurrency`. */
export const firstConcurrency = { concurrency: FIRST_CONCURRENCY, loweredAt: null } as const;

/** The initial state of `autoBatching`. */
export const firstBatchSize = { batchSize: null, failureRate: null } as const;

export const firstAdaptation: Adaptation = { ...firstConcurrency, ...firstBatchSize };

interface Adapting {
  readonly settings: Pick<
    QueueSettings,
    'autoConcurrency' | 'autoBatching' | 'concurrency' | 'batchingMinSize'
  >;
  readonly adaptation: Adaptation;
}

/** The effective number of concurrent test runs: `concurrency`, or fewer with `autoConcurrency`. */
export const activeConcurrency = ({ settings, adaptation }: Adapting): number =>
  settings.autoConcurrency ? Math.min(adaptation.concurrency, settings.concurrency) : settings.concurrency;

/** The effective size of a full batch: `batchingMinSize`, or fewer with `autoBatching`. */
export const activeBatchSize = ({ settings, adaptation }: Adapting): number =>
  settings.autoBatching
    ? Math.min(adaptation.batchSize ?? settings.batchingMinSize, settings.batchingMinSize)
    : settings.batchingMinSize;

/** The batch size with the fewest test runs at this share of failures: the batch passes half the time. */
export const batchSizeFor = (failureRate: number): number =>
  Math.max(1, Math.round(Math.LN2 / Math.max(failureRate, Number.EPSILON)));

/** The share of failures for which this batch size is best. */
export const failureRateFor = (batchSize: number): number => Math.LN2 / batchSize;
