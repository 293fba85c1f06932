import { type Content, NOTHING, type Verdicts } from './verdicts.js';
import { truthOf, type Workload } from './workload.js';

/** Why the engine started a test run. `innocent` are those that can land. */
export const causes = [
  ...['first', 'again', 'incomplete stack', 'culprit confirmed', 'innocent confirmed'],
  ...['confirmed again', 'bisection', 'baseline'],
] as const;
export type Cause = (typeof causes)[number];
export type RunsByCause = Readonly<Partial<Record<Cause, number>>>;

/** The result of a policy on a load. */
export interface Outcome {
  /** Minutes from submission to merge or rejection. */
  readonly waits: readonly number[];
  /** The number of started tests and their total time; cancelled ones count until then. */
  readonly runs: number;
  readonly ciMinutes: number;
  /** Empty if the policy does not say it. */
  readonly runsByCause: RunsByCause;
  /** Pull requests that can land. */
  readonly innocents: number;
  /** Rejected although they pass on top of what has landed. */
  readonly innocentsRejected: number;
  /** Landings after which the target fails. */
  readonly redMain: number;
  /** Undecided when the race was called off. */
  readonly undecided: number;
  /** Those of them that cannot pass. */
  readonly culpritsStayed: number;
  /** How often the queue paused itself and had to be resumed. */
  readonly pauses: number;
}

/** Counts the events of a load. Pull requests are identified by position; times are minutes. */
export class Ledger {
  readonly landed = new Set<number>();
  runs = 0;
  ciMinutes = 0;
  pauses = 0;
  readonly runsByCause: Partial<Record<Cause, number>> = {};
  readonly #load: Workload;
  readonly #verdicts: Verdicts;
  readonly #waits: number[] = [];
  readonly #undecided: Set<number>;
  #tip: Content = NOTHING;
  #innocentsRejected = 0;
  #redMain = 0;

  constructor(load: Workload, verdicts: Verdicts) {
    this.#load = load;
    this.#verdicts = verdicts;
    this.#undecided = new Set(load.prs.keys());
  }

  get undecided(): number {
    return this.#undecided.size;
  }

  /** Starts a test of these on top of what has landed, and returns its verdict. */
  test(prs: readonly number[]): boolean {
    this.runs += 1;
    const held = new Set<number>();
    let content = this.#tip;
    for (const i of prs) {
      content = this.#verdicts.adding(content, i, (other) => held.has(other) || this.landed.has(other));
      held.add(i);
    }
    return this.#verdicts.passes(content);
  }

  land(i: number, now: number): void {
    this.#decide(i, now);
    const isLanded = (other: number) => this.landed.has(other);
    if (this.#verdicts.fails(i, isLanded)) this.#redMain += 1;
    this.#tip = this.#verdicts.adding(this.#tip, i, isLanded);
    this.landed.add(i);
  }

  reject(i: number, now: number): void {
    this.#decide(i, now);
    if (!this.#verdicts.fails(i, (other) => this.landed.has(other))) this.#innocentsRejected += 1;
  }

  #decide(i: number, now: number): void {
    if (!this.#undecided.delete(i)) throw new Error(`#${i + 1} was decided twice.`);
    this.#waits.push(now - (this.#load.prs[i]?.arr ?? Number.NaN));
  }

  outcome(): Outcome {
    const truth = truthOf(this.#load);
    return {
      waits: this.#waits,
      runs: this.runs,
      ciMinutes: this.ciMinutes,
      runsByCause: this.runsByCause,
      innocents: truth.filter((passes) => passes).length,
      innocentsRejected: this.#innocentsRejected,
      redMain: this.#redMain,
      undecided: this.#undecided.size,
      culpritsStayed: [...this.#undecided].filter((i) => truth[i] === false).length,
      pauses: this.pauses,
    };
  }
}
