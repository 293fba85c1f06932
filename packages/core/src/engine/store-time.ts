import type { Instant } from '../model/ids.js';
import type { Clock } from '../ports/clock.js';

/** The store's time, as far as this process knows it: what replicas compare must not come from their own clocks. */
export class StoreTime {
  #aheadMs = 0;

  constructor(private readonly clock: Clock) {}

  /** The store has just said what time it is. */
  heard(now: Instant): void {
    this.#aheadMs = now - this.clock.now();
  }

  now(): Instant {
    return this.clock.now() + this.#aheadMs;
  }
}
