import type { Effect, EffectId, Input, QueueSettings } from '@mq/core';
import { Random } from '@mq/random';
import { anActor, BUILT_AT } from '@mq/testkit';
import { cpuTimeMs } from '../cpu-time.js';
import { Agenda } from './agenda.js';
import { Host } from './host.js';
import { Replica } from './replica.js';
import { drawTargets } from './targets.js';

/** A queue of constant length: each pull request that leaves is replaced. */
export interface Load {
  readonly submissions: number;
  readonly settings: Partial<QueueSettings>;
  readonly seed: number;
}

/** One decision of a queue under load. */
export interface Step {
  readonly inputs: readonly Input[];
  readonly now: number;
  /** Its CPU time: deciding, and applying the rows. */
  readonly tookMs: number;
}

const BROKEN_RATE = 0.02;
const CANCEL_RATE = 0.05;
const TEST_MS = { least: 300_000, more: 600_000 };
const ANSWER_MS = { least: 50, more: 400 };
const FOLLOWS_WITHIN_MS = 20_000;
const FILL_AT_ONCE = 1_000;
const FORGET_EVERY = 500;

/**
 * Discrete events in virtual time: people submit, upload targets and cancel; a CI tests for 5 to 15 minutes and sends a
 * hint at each end; the host answers within half a second. The queue does the rest.
 */
export class Traffic {
  readonly replica: Replica;
  /** The inputs that filled the queue. */
  readonly filling: readonly Step[];
  readonly #host: Host;
  readonly #random: Random;
  readonly #agenda = new Agenda<() => Input | null>();
  readonly #withdrawn = new Set<EffectId>();
  readonly #load: Load;
  #now = BUILT_AT;
  #wakeAt = Number.POSITIVE_INFINITY;
  #lastPr = 0;
  #steps = 0;

  constructor(load: Load) {
    this.#load = load;
    this.#random = new Random(load.seed);
    const broken = new Random(load.seed + 1);
    const isBroken: boolean[] = [];
    this.#host = new Host({
      isBroken: (pr) => {
        while (isBroken.length <= pr) isBroken.push(broken.chance(BROKEN_RATE));
        return isBroken[pr] ?? false;
      },
      testMs: () => this.#within(TEST_MS),
    });
    this.replica = new Replica(load.settings);
    this.filling = this.#fill();
  }

  /** Decides one input. */
  step(): Step {
    return this.#take(1);
  }

  /** Decides all inputs within this time of the first one together, as a busy replica does. */
  stepWithin(windowMs: number): Step {
    return this.#take(Number.POSITIVE_INFINITY, windowMs);
  }

  #take(limit: number, windowMs = 0): Step {
    const inputs: Input[] = [];
    const until = this.#agenda.nextAt + windowMs;
    if (this.#wakeAt < this.#agenda.nextAt) this.#now = Math.max(this.#now, this.#wakeAt);
    else
      while (inputs.length < limit && this.#agenda.nextAt <= until) {
        this.#now = this.#agenda.nextAt;
        const input = this.#agenda.take()?.() ?? null;
        if (input !== null) inputs.push(input);
      }
    return inputs.length === 0 && this.#wakeAt > this.#now
      ? this.#take(limit, windowMs)
      : this.#decide(inputs);
  }

  #decide(inputs: readonly Input[]): Step {
    const startedMs = cpuTimeMs();
    const decision = this.replica.decide(inputs, this.#now);
    const tookMs = cpuTimeMs() - startedMs;
    this.#wakeAt = decision.wakeAt ?? Number.POSITIVE_INFINITY;
    for (const { result } of decision.answers)
      if (!result.ok && result.refusal.code !== 'NOT_ACTIVE' && result.refusal.code !== 'LANDING_UNDER_WAY')
        throw new Error(result.refusal.detail);
    this.#host.keep(decision.writes.verdicts);
    for (const id of decision.withdraw) this.#withdrawn.add(id);
    for (const effect of decision.effects) this.#perform(effect);
    for (const { state } of decision.writes.submissions)
      if (state === 'merged' || state === 'failed' || state === 'cancelled') this.#follow();
    this.#steps += 1;
    if (this.#steps % FORGET_EVERY === 0) this.#host.forget(this.replica.state);
    return { inputs, now: this.#now, tookMs };
  }

  #perform(effect: Effect): void {
    this.#agenda.put(this.#now + this.#within(ANSWER_MS), () => {
      if (this.#withdrawn.delete(effect.id)) return null;
      const answer = this.#host.answer(effect, this.replica.state.queue, this.#now);
      const endsAt = this.#host.endsAt(effect);
      if (endsAt !== null)
        this.#agenda.put(endsAt, () => ({ id: this.#host.nextId(), type: 'noticed', what: 'checks' }));
      return answer;
    });
  }

  /** Submits a pull request after another one has left, and sometimes changes one. */
  #follow(): void {
    const at = this.#now + this.#random.int(0, FOLLOWS_WITHIN_MS - 1);
    const [upload, submit] = this.#newcomer();
    this.#agenda.put(at, () => upload());
    this.#agenda.put(at + 1_000, () => submit());
    if (!this.#random.chance(CANCEL_RATE)) return;
    this.#agenda.put(at + 2_000, () => {
      const prs = [...this.replica.state.byPr.keys()];
      const pr = this.#random.pick(prs);
      return { ...this.#asked(), type: 'cancel', pr };
    });
  }

  #newcomer(): readonly [() => Input, () => Input] {
    this.#lastPr += 1;
    const pr = this.#lastPr;
    const targets = drawTargets(this.#random);
    return [
      () => {
        const { head } = this.#host.pull(pr, this.#now);
        return { ...this.#asked(), type: 'set_impacted_targets', pr, head, targets, source: 'trusted' };
      },
      () => ({
        ...this.#asked(),
        type: 'submit',
        pull: this.#host.pull(pr, this.#now),
        expectedHead: null,
      }),
    ];
  }

  #fill(): readonly Step[] {
    const steps: Step[] = [];
    while (this.#lastPr < this.#load.submissions) {
      const inputs: Input[] = [];
      for (let count = 0; count < FILL_AT_ONCE && this.#lastPr < this.#load.submissions; count += 1)
        inputs.push(...this.#newcomer().map((make) => make()));
      steps.push(this.#decide(inputs));
    }
    return steps;
  }

  #asked() {
    return { id: this.#host.nextId(), actor: anActor, digest: null };
  }

  #within({ least, more }: { readonly least: number; readonly more: number }): number {
    return this.#random.int(least, least + more - 1);
  }
}
