import { type Effect, type EffectId, type Input, isLive, type QueueSettings } from '@mq/core';
import { Random } from '@mq/random';
import { anActor, BUILT_AT } from '@mq/testkit';
import { Host } from './host.js';
import { Replica } from './replica.js';

/** The parameters of an endless line of pull requests. */
export interface Supply {
  readonly failureRate: number;
  readonly settings: Partial<QueueSettings>;
  /** The number of undecided pull requests in the queue at any time. */
  readonly undecided: number;
  readonly seed: number;
}

export interface Tally {
  /** Tests started by the CI, and how many of them were baseline runs. */
  readonly runs: number;
  readonly controls: number;
  readonly decided: number;
  /** Good pull requests that were failed. */
  readonly wronged: number;
}

const STEP_MS = 1_000;
const FORGET_EVERY = 200;

/** One queue that tests as fast as it requests. A decided pull request is replaced in the same decision. */
export class Line {
  readonly #replica: Replica;
  readonly #host: Host;
  readonly #supply: Supply;
  readonly #effects = new Map<EffectId, Effect>();
  readonly #broken: boolean[] = [];
  readonly #random: Random;
  #now = BUILT_AT;
  #wakeAt: number | null = null;
  #lastPr = 0;
  #steps = 0;
  #tally: Tally = { runs: 0, controls: 0, decided: 0, wronged: 0 };

  constructor(supply: Supply) {
    this.#supply = supply;
    this.#random = new Random(supply.seed);
    this.#host = new Host({ isBroken: (pr) => this.isBroken(pr), testMs: () => 0 });
    this.#replica = new Replica(supply.settings);
    this.#decide(this.#newcomers(supply.undecided));
  }

  /** The result so far, once at least this many more are decided. */
  advance(decided: number): Tally {
    const until = this.#tally.decided + decided;
    while (this.#tally.decided < until) this.#step();
    return this.#tally;
  }

  #step(): void {
    this.#now += STEP_MS;
    this.#steps += 1;
    if (this.#steps % FORGET_EVERY === 0) this.#host.forget(this.#replica.state);
    const [effect] = this.#effects.values();
    if (effect === undefined) {
      if (this.#wakeAt === null) throw new Error('The queue has nothing more to do.');
      this.#now = Math.max(this.#now, this.#wakeAt);
      return this.#decide([]);
    }
    this.#effects.delete(effect.id);
    const fact = this.#host.answer(effect, this.#replica.state.queue, this.#now);
    if (effect.type === 'start_checks') this.#count(effect);
    if (fact === null) return;
    const missing = this.#supply.undecided - this.#undecidedAfter(fact);
    this.#decide([...this.#newcomers(missing), fact]);
  }

  #decide(inputs: readonly Input[]): void {
    const decision = this.#replica.decide(inputs, this.#now);
    this.#wakeAt = decision.wakeAt;
    this.#host.keep(decision.writes.verdicts);
    for (const id of decision.withdraw) this.#effects.delete(id);
    for (const effect of decision.effects) this.#effects.set(effect.id, effect);
    for (const { pr, state } of decision.writes.submissions) {
      if (state !== 'merged' && state !== 'failed') continue;
      const wronged = this.#tally.wronged + Number(state === 'failed' && !this.isBroken(pr));
      this.#tally = { ...this.#tally, decided: this.#tally.decided + 1, wronged };
    }
  }

  #count({ runId }: Extract<Effect, { type: 'start_checks' }>): void {
    const isControl = this.#replica.state.runs.get(runId)?.purpose.kind === 'control';
    const { runs, controls } = this.#tally;
    this.#tally = { ...this.#tally, runs: runs + 1, controls: controls + Number(isControl) };
  }

  /** The number that are neither gone nor known to be good after these writes. */
  #undecidedAfter(input: Input): number {
    const rows = new Map(this.#replica.state.submissions);
    if (input.type === 'checks_seen')
      for (const row of this.#replica.foresee([input], this.#now).writes.submissions) rows.set(row.id, row);
    return [...rows.values()].filter((row) => isLive(row) && row.state !== 'tests_passed').length;
  }

  #newcomers(count: number): readonly Input[] {
    return Array.from({ length: Math.max(0, count) }, (): Input => {
      this.#lastPr += 1;
      const pull = this.#host.pull(this.#lastPr, this.#now);
      return {
        id: this.#host.nextId(),
        actor: anActor,
        digest: null,
        type: 'submit',
        pull,
        expectedHead: null,
      };
    });
  }

  /** Drawn in order, so that the same seed breaks the same ones in any order of requests. */
  isBroken(pr: number): boolean {
    while (this.#broken.length <= pr) this.#broken.push(this.#random.chance(this.#supply.failureRate));
    return this.#broken[pr] ?? false;
  }
}
