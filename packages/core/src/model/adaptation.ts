import type { Instant } from './ids.js';
import type { QueueSettings } from './settings.js';

/** What `autoConcurrency` and `autoBatching` go by; of each it begins again when that is switched on. */
export interface Adaptation {
  /** Test runs at once, where `concurrency` allows them. */
  readonly concurrency: number;
  /** When that was lowered last: a failure of a test run that was created before does not lower it again. Null before. */
  readonly loweredAt: Instant | null;
  /** Pull requests in a full batch; null while that is `batchingMinSize`. */
  readonly batchSize: number | null;
  /** Share of pull requests that failed, of which the last ones weigh most; null before the first one. */
  readonly failureRate: number | null;
}

/** As Zuul begins. */
const FIRST_CONCURRENCY = 20;
/** Fewer test runs at once are never set, where `concurrency` allows them. */
export const LEAST_CONCURRENCY = 3;

/** Where `autoConcurrency` begins. */
export const firstConcurrency = { concurrency: FIRST_CONCURRENCY, loweredAt: null } as const;

/** Where `autoBatching` begins. */
export const firstBatchSize = { batchSize: null, failureRate: null } as const;

export const firstAdaptation: Adaptation = { ...firstConcurrency, ...firstBatchSize };

interface Adapting {
  readonly settings: Pick<
    QueueSettings,
    'autoConcurrency' | 'autoBatching' | 'concurrency' | 'batchingMinSize'
  >;
  readonly adaptation: Adaptation;
}

/** Test runs at once in force: `concurrency`, or fewer with `autoConcurrency`. */
export const activeConcurrency = ({ settings, adaptation }: Adapting): number =>
  settings.autoConcurrency ? Math.min(adaptation.concurrency, settings.concurrency) : settings.concurrency;

/** Pull requests in a full batch in force: `batchingMinSize`, or fewer with `autoBatching`. */
export const activeBatchSize = ({ settings, adaptation }: Adapting): number =>
  settings.autoBatching
    ? Math.min(adaptation.batchSize ?? settings.batchingMinSize, settings.batchingMinSize)
    : settings.batchingMinSize;

/** The batch that passes half the time, at this share of failures, costs the fewest test runs. */
export const batchSizeFor = (failureRate: number): number =>
  Math.max(1, Math.round(Math.LN2 / Math.max(failureRate, Number.EPSILON)));

/** The share of failures for which that is this size. */
export const failureRateFor = (batchSize: number): number => Math.LN2 / batchSize;
