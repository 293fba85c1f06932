import { Agenda } from '../../world/agenda.js';
import type { Ledger } from '../ledger.js';
import type { Workload } from '../workload.js';

export interface LineOptions {
  /** The number of tests at once at the head of the line. */
  readonly window: number;
  /** True if the window grows by one with each landing and is halved by each rejection, down to 3. */
  readonly isAdaptive: boolean;
}

interface Test {
  readonly startedAt: number;
  readonly willPass: boolean;
  state: 'running' | 'passed' | 'failed';
}

const LEAST_WINDOW = 3;

/**
 * One line, each tested on everything ahead that has not failed. A failure restarts all tests behind it. Decides from
 * the head.
 */
export const line = (load: Workload, ledger: Ledger, options: LineOptions): void =>
  new Line(load, ledger, options).run();

class Line {
  readonly #load: Workload;
  readonly #ledger: Ledger;
  readonly #isAdaptive: boolean;
  readonly #agenda = new Agenda<(now: number) => void>();
  readonly #tests = new Map<number, Test>();
  readonly #pending: number[] = [];
  #window: number;
  #busy = 0;

  constructor(load: Workload, ledger: Ledger, { window, isAdaptive }: LineOptions) {
    this.#load = load;
    this.#ledger = ledger;
    this.#window = window;
    this.#isAdaptive = isAdaptive;
  }

  run(): void {
    for (const { i, arr } of this.#load.prs) this.#agenda.put(arr, () => this.#pending.push(i));
    for (;;) {
      const now = this.#agenda.nextAt;
      const event = this.#agenda.take();
      if (event === undefined) return;
      event(now);
      this.#start(now);
    }
  }

  #start(now: number): void {
    const ahead: number[] = [];
    for (const i of this.#pending.slice(0, this.#window)) {
      if (this.#busy >= this.#load.W) return;
      if (!this.#tests.has(i)) this.#test(i, ahead, now);
      if (this.#tests.get(i)?.state !== 'failed') ahead.push(i);
    }
  }

  #test(i: number, ahead: readonly number[], now: number): void {
    const willPass = this.#ledger.test([...ahead, i]);
    const test: Test = { startedAt: now, willPass, state: 'running' };
    this.#tests.set(i, test);
    this.#busy += 1;
    this.#agenda.put(now + (this.#load.prs[i]?.dur ?? 0), (endedAt) => this.#end(i, test, endedAt));
  }

  #end(i: number, test: Test, now: number): void {
    if (this.#tests.get(i) !== test) return;
    this.#stop(test, now);
    test.state = test.willPass ? 'passed' : 'failed';
    if (!test.willPass) this.#restartBehind(i, now);
    this.#decide(now);
  }

  #restartBehind(failed: number, now: number): void {
    for (const i of this.#pending.slice(this.#pending.indexOf(failed) + 1)) {
      const test = this.#tests.get(i);
      if (test?.state === 'running') this.#stop(test, now);
      this.#tests.delete(i);
    }
  }

  #stop({ startedAt }: Test, now: number): void {
    this.#busy -= 1;
    this.#ledger.ciMinutes += now - startedAt;
  }

  #decide(now: number): void {
    for (const i of [...this.#pending]) {
      const state = this.#tests.get(i)?.state;
      if (state !== 'passed' && state !== 'failed') return;
      this.#pending.shift();
      this.#tests.delete(i);
      if (state === 'passed') this.#ledger.land(i, now);
      else this.#ledger.reject(i, now);
      if (this.#isAdaptive)
        this.#window = state === 'passed' ? this.#window + 1 : Math.max(LEAST_WINDOW, this.#window >> 1);
    }
  }
}
