/** A limit of the time in which at least one of some processes runs. Time in which all of them wait for a slot does not count. */
export class RunningTime {
  readonly #over = new AbortController();
  #leftMs: number;
  #running = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
  }

  /** Aborted when the time is used up. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Counts a process from now until it has answered. */
  readonly count = (answer: Promise<unknown>): void => {
    this.#running += 1;
    if (this.#running === 1) {
      this.#since = performance.now();
      this.#timer = setTimeout(() => this.#over.abort(), this.#leftMs);
    }
    const ended = (): void => {
      this.#running -= 1;
      if (this.#running > 0) return;
      clearTimeout(this.#timer);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
    };
    answer.then(ended, ended);
  };
}
