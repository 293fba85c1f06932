import type { Instant } from '../model/ids.js';

/** The time of this process. Deadlines that replicas share use the time of the store instead. */
export interface Clock {
  now(): Instant;
  /** Resolves at `until`, or as soon as `signal` aborts. Never rejects. */
  wait(until: Instant, signal: AbortSignal): Promise<void>;
}
