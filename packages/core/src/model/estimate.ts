import type { Instant } from './ids.js';

/**
 * Why there is no estimate, with the sentence for people. Placeholders in braces are filled in when it is shown. The
 * reference page is generated from this table.
 */
export const estimateObstacles = {
  ended: 'It is no longer in the queue.',
  not_ready: 'It is not ready to be queued. When it will be does not depend on the queue.',
  paused: 'The queue is paused; the time of its resumption is unknown.',
  draining: 'The queue is draining and starts no new test runs; the time of its resumption is unknown.',
  held: 'It conflicts with a pull request ahead of it and waits until that one has merged or left.',
  isolated: 'Its batch failed, and the culprit is still being searched for.',
  host_trouble: 'The code host is not answering, or refuses what the queue requests.',

  little_history: 'A forecast needs {needed} passed test runs of this queue; {runs} of the last ones passed.',
  too_many: '{live} pull requests are in the queue; forecasts are limited to {limit}.',
  beyond_horizon: 'Its merge is more than {hours} hours or {decisions} decisions of the queue away.',
  would_leave: 'If nothing changes, it leaves the queue without being merged: {why}',
  stuck: 'If nothing changes, it is not merged: {why}',
} as const;

export type EstimateObstacle = keyof typeof estimateObstacles;

/** When a submission would merge if every test passed from now on and took as long as usual. */
export type Estimate =
  | {
      readonly status: 'available';
      /**
       * `pendingFailureResolution`: its tests failed, and the estimate is about when the failure is confirmed or
       * revoked.
       */
      readonly kind: 'merge' | 'pendingFailureResolution';
      /** Null only if its failure is expected to be confirmed. */
      readonly expectedMergeAt: Instant | null;
      /** The same with durations of the slowest tenth of test runs; null if that is beyond the horizon. */
      readonly pessimisticMergeAt: Instant | null;
      /** When the failure is confirmed or revoked; null for `kind: 'merge'`. */
      readonly expectedResolutionAt: Instant | null;
      /** Start and end of the test run that it will merge on, which may be in the past. Null if there is none. */
      readonly expectedTestStartAt: Instant | null;
      readonly expectedTestEndAt: Instant | null;
      /**
       * The number of undecided submissions ahead: in its lane, or in the whole line if lanes are too long to compute.
       */
      readonly waitingBehind: number;
      /** The number of passed test runs that the durations were learnt from. */
      readonly basedOnRuns: number;
    }
  | { readonly status: 'unavailable'; readonly reason: EstimateObstacle; readonly sentence: string };
