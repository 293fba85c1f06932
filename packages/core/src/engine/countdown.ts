import type { Clock } from '../ports/clock.js';

/** A span of time on the clock of this process. It ends early if that clock is set back, so that no wait becomes hours long. */
export class Countdown {
  #startedAt = Number.NEGATIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** Starts, or starts again. */
  start(ms: number): void {
    this.#startedAt = this.clock.now();
    this.#until = this.#startedAt + ms;
  }

  end(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** True before the first start. */
  get isOver(): boolean {
    return this.leftMs === 0;
  }

  get leftMs(): number {
    const now = this.clock.now();
    return now < this.#startedAt ? 0 : Math.max(0, this.#until - now);
  }
}
