import type { Instant } from './ids.js';

/**
 * Why no time can be told, with the sentence that people read. What stands in braces is filled in when it is told.
 * Documentation is generated from this table.
 */
export const estimateObstacles = {
  ended: 'It has left the queue.',
  not_ready: 'It is not ready, and when it will be is not up to the queue.',
  paused: 'The queue is paused, and when it will go on is not known.',
  draining: 'The queue is draining and begins nothing new, and when it will go on is not known.',
  held: 'It cannot be combined with one ahead of it: whether it will land shows when that one is decided.',
  isolated: 'Its batch failed, and which of the batch is to blame is still being found out.',
  host_trouble: 'The code host does not do what it is asked.',
  little_history:
    'A forecast needs {needed} test runs of this queue that passed; {runs} of the last ones did.',
  too_many: '{live} pull requests are in the queue; a forecast is made for {limit} at most.',
  beyond_horizon: 'It is not reached within {hours} hours, or {decisions} decisions, of the queue.',
  would_leave: 'Going on like this it leaves the queue without being merged: {why}',
  stuck: 'Going on like this it is not merged: {why}',
} as const;

export type EstimateObstacle = keyof typeof estimateObstacles;

/** When a submission would be merged if from now on everything passed and took as long as it usually does. */
export type Estimate =
  | {
      readonly status: 'available';
      /** `pendingFailureResolution`: its tests failed, and what is told is when that counts, or counts no more. */
      readonly kind: 'merge' | 'pendingFailureResolution';
      /** Null only where its failure is expected to count. */
      readonly expectedMergeAt: Instant | null;
      /** The same, if everything took as long as the slowest tenth does; null where that is not within reach. */
      readonly pessimisticMergeAt: Instant | null;
      /** When its failure counts, or counts no more; null unless `kind` says so. */
      readonly expectedResolutionAt: Instant | null;
      /** Of the run that vouches for it, which may have begun or ended already; null without one. */
      readonly expectedTestStartAt: Instant | null;
      readonly expectedTestEndAt: Instant | null;
      /** How many undecided submissions stand before it: in its lane, or in the line where that is too long to tell. */
      readonly waitingBehind: number;
      /** The passed test runs from which the durations were learnt. */
      readonly basedOnRuns: number;
    }
  | { readonly status: 'unavailable'; readonly reason: EstimateObstacle; readonly sentence: string };
