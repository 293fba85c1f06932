import { type Content, NOTHING, type Verdicts } from './verdicts.js';
import { truthOf, type Workload } from './workload.js';

/** What a policy made of a load. */
export interface Outcome {
  /** From submitted to merged or rejected, in minutes. */
  readonly waits: readonly number[];
  /** Tests begun, and what they took; those that were cancelled count until then. */
  readonly runs: number;
  readonly ciMinutes: number;
  /** Rejected, although they pass on what has landed. */
  readonly innocentsRejected: number;
  /** Landings after which the target fails. */
  readonly redMain: number;
  /** Neither merged nor rejected when the race was called off. */
  readonly undecided: number;
  /** Those of them that cannot pass. */
  readonly culpritsStayed: number;
  /** How often the queue stopped and had to be started again. */
  readonly pauses: number;
}

/** Counts what happens to the pull requests of a load. They are named by position, times are minutes. */
export class Ledger {
  readonly landed = new Set<number>();
  runs = 0;
  ciMinutes = 0;
  pauses = 0;
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

  /** Tests these on what has landed, and returns the verdict that the test will end with. */
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
      innocentsRejected: this.#innocentsRejected,
      redMain: this.#redMain,
      undecided: this.#undecided.size,
      culpritsStayed: [...this.#undecided].filter((i) => truth[i] === false).length,
      pauses: this.pauses,
    };
  }
}
