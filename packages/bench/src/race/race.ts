import { type Effect, type EffectId, type Input, isLive, type QueueSettings, type RunId } from '@mq/core';
import { anActor, BUILT_AT } from '@mq/testkit';
import { Agenda } from '../world/agenda.js';
import { Host } from '../world/host.js';
import { Replica } from '../world/replica.js';

/** A recorded load. Times are minutes from its beginning. */
export interface Workload {
  /** Tests that may run at once. */
  readonly W: number;
  /** How long a test of the bare target takes. */
  readonly tipDur: number;
  readonly prs: readonly Arrival[];
}

export interface Arrival {
  /** From 0: the pull request has the next number. */
  readonly i: number;
  readonly arr: number;
  readonly dur: number;
  /** True where its tests fail by itself. */
  readonly bad: boolean;
  /** The targets that it impacts. */
  readonly tg: readonly number[] | 'ALL';
}

/** What became of one pull request, and when. */
export interface End {
  readonly pr: number;
  readonly state: string;
  readonly minute: number;
}

export interface Race {
  /** In the order in which they ended. */
  readonly ends: readonly End[];
  /** Tests begun by the CI. */
  readonly runs: number;
  /** How often the queue paused itself. A race that pauses ends there. */
  readonly pauses: number;
}

const MINUTE_MS = 60_000;

/**
 * Replays a load against the rules in virtual time, until all of it has ended. A batch takes as long as the slowest of its
 * pull requests; the host answers at once; a test fails where what it holds, landed or not, is bad.
 */
export const race = (workload: Workload, settings: Partial<QueueSettings> = {}): Race =>
  new Replay(workload, settings).run();

class Replay {
  readonly #workload: Workload;
  readonly #arrivals: ReadonlyMap<number, Arrival>;
  readonly #replica: Replica;
  readonly #host: Host;
  readonly #agenda = new Agenda<() => Input | null>();
  readonly #withdrawn = new Set<EffectId>();
  readonly #ends: End[] = [];
  #now = BUILT_AT;
  #wakeAt = Number.POSITIVE_INFINITY;

  constructor(workload: Workload, settings: Partial<QueueSettings>) {
    this.#workload = workload;
    this.#arrivals = new Map(workload.prs.map((one) => [one.i + 1, one]));
    this.#replica = new Replica({
      ...{ mode: 'parallel', concurrency: workload.W, bisectionConcurrency: workload.W },
      ...{ requiredStatuses: ['build'], ...settings },
    });
    this.#host = new Host({
      isBroken: (pr) => this.#arrivals.get(pr)?.bad === true,
      testMs: (_, runId) => this.#minutesOf(runId) * MINUTE_MS,
    });
  }

  run(): Race {
    for (const arrival of this.#workload.prs) this.#arrives(arrival);
    while (this.#ends.length < this.#workload.prs.length && this.#isGoingOn()) this.#step();
    return { ends: this.#ends, runs: this.#host.started, pauses: Number(!this.#isGoingOn()) };
  }

  #isGoingOn(): boolean {
    return this.#replica.state.queue.wanted === 'running';
  }

  #step(): void {
    const next = Math.min(this.#agenda.nextAt, this.#wakeAt);
    if (next === Number.POSITIVE_INFINITY) throw new Error('The queue stands still.');
    this.#now = Math.max(this.#now, next);
    const inputs: Input[] = [];
    while (this.#agenda.nextAt <= this.#now) {
      const input = this.#agenda.take()?.() ?? null;
      if (input !== null) inputs.push(input);
    }
    if (inputs.length > 0 || this.#wakeAt <= this.#now) this.#decide(inputs);
  }

  #decide(inputs: readonly Input[]): void {
    const { writes, effects, withdraw, wakeAt } = this.#replica.decide(inputs, this.#now);
    this.#wakeAt = wakeAt ?? Number.POSITIVE_INFINITY;
    this.#host.keep(writes.verdicts);
    for (const id of withdraw) this.#withdrawn.add(id);
    for (const effect of effects) this.#agenda.put(this.#now, () => this.#carryOut(effect));
    for (const row of writes.submissions)
      if (!isLive(row))
        this.#ends.push({ pr: row.pr, state: row.state, minute: (this.#now - BUILT_AT) / MINUTE_MS });
  }

  #carryOut(effect: Effect): Input | null {
    if (this.#withdrawn.delete(effect.id)) return null;
    const fact = this.#host.answer(effect, this.#replica.state.queue, this.#now);
    const endsAt = this.#host.endsAt(effect);
    if (endsAt !== null)
      this.#agenda.put(endsAt, () => ({ id: this.#host.nextId(), type: 'noticed', what: 'checks' }));
    return fact;
  }

  #arrives({ i, arr, tg }: Arrival): void {
    const pr = i + 1;
    const asked = () => ({ id: this.#host.nextId(), actor: anActor, digest: null });
    const at = BUILT_AT + arr * MINUTE_MS;
    const targets = tg === 'ALL' ? tg : tg.map((target) => `//${target}`).sort();
    this.#agenda.put(at, () => {
      const { head } = this.#host.pull(pr, this.#now);
      return { ...asked(), type: 'set_impacted_targets', pr, head, targets, source: 'trusted' };
    });
    this.#agenda.put(at, () => {
      const pull = this.#host.pull(pr, this.#now);
      return { ...asked(), type: 'submit', pull, expectedHead: null };
    });
  }

  #minutesOf(runId: RunId): number {
    const batch = this.#replica.state.runs.get(runId)?.batch ?? [];
    const minutes = batch.map(({ pr }) => this.#arrivals.get(pr)?.dur ?? 0);
    return minutes.length === 0 ? this.#workload.tipDur : Math.max(...minutes);
  }
}
