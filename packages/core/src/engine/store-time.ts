import type { Instant } from '../model/ids.js';
import type { Clock } from '../ports/clock.js';

const TIME_FRESH_MS = 1_000;

/** The store's time as estimated by this process. Times that replicas compare must not come from their own clocks. */
export class StoreTime {
  #aheadMs = 0;
  #heardAt: Instant | null = null;

  constructor(private readonly clock: Clock) {}

  /** Records the store's current time. */
  heard(now: Instant): void {
    this.#heardAt = this.clock.now();
    this.#aheadMs = now - this.#heardAt;
  }

  /** Whether the store's time was recorded within the last second. False if the clock of this process jumped. */
  get isFresh(): boolean {
    if (this.#heardAt === null) return false;
    const ageMs = this.clock.now() - this.#heardAt;
    return ageMs >= 0 && ageMs < TIME_FRESH_MS;
  }

  now(): Instant {
    return this.clock.now() + this.#aheadMs;
  }
}
