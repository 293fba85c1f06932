import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { quantile } from '../numbers.js';

/** How much later than due timers came, in ms. */
export interface Delays {
  /** The values of Node's histogram, minus its interval. */
  readonly p99Ms: number;
  /** The delay of a timer that is due at a random instant: a stop of 100 ms counts for each instant in it. */
  readonly anyInstantP99Ms: number;
  readonly maxMs: number;
}

const INTERVAL_MS = 5;

/** Measures the delay of the event loop of this process. */
export class LoopDelay {
  #histogram: IntervalHistogram | null = null;
  #timer: NodeJS.Timeout | null = null;
  #delaysMs: number[] = [];

  begin(): void {
    this.#histogram = monitorEventLoopDelay({ resolution: INTERVAL_MS });
    this.#histogram.enable();
    this.#delaysMs = [];
    this.#wait();
  }

  end(): Delays {
    this.#histogram?.disable();
    if (this.#timer !== null) clearTimeout(this.#timer);
    const p99Ms = (this.#histogram?.percentile(99) ?? Number.NaN) / 1e6 - INTERVAL_MS;
    const delaysMs = this.#delaysMs.flatMap(ofEachInstant);
    return {
      p99Ms: Math.max(0, p99Ms),
      anyInstantP99Ms: quantile(delaysMs, 0.99),
      maxMs: delaysMs.reduce((longest, delayMs) => Math.max(longest, delayMs), 0),
    };
  }

  #wait(): void {
    const dueMs = performance.now() + INTERVAL_MS;
    this.#timer = setTimeout(() => {
      this.#delaysMs.push(Math.max(0, performance.now() - dueMs));
      this.#wait();
    }, INTERVAL_MS);
  }
}

/** Timers that would have fallen due during the delay came late too. */
const ofEachInstant = (delayMs: number): readonly number[] =>
  Array.from({ length: 1 + Math.floor(delayMs / INTERVAL_MS) }, (_, n) => delayMs - n * INTERVAL_MS);
