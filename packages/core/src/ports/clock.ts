import type { Instant } from '../model/ids.js';

/** Where time comes from. Deadlines that replicas share are measured by the store's time, not by this. */
export interface Clock {
  now(): Instant;
  /** Resolves at `until`, or as soon as `signal` aborts. Never rejects. */
  wait(until: Instant, signal: AbortSignal): Promise<void>;
}
