import { Agenda } from '../../world/agenda.js';
import type { Ledger } from '../ledger.js';
import { doOverlap, type Workload } from '../workload.js';

interface Test {
  /** The predecessors that it includes, landed or not. */
  readonly held: ReadonlySet<number>;
  readonly startedAt: number;
  readonly willPass: boolean;
  state: 'running' | 'passed' | 'failed';
}

interface Change {
  readonly i: number;
  /** The predecessors at its arrival that overlap with it, in order. */
  readonly ahead: readonly Change[];
  readonly behind: Change[];
  /**
   * Tests by included predecessors. Several can exist at once: one continues while another without a failed predecessor
   * starts.
   */
  readonly tests: Map<string, Test>;
  state: 'pending' | 'landed' | 'rejected';
  /** The probability that it lands. */
  chance: number;
  /** What it may be tested on, the most likely first. */
  plans: readonly [Plan, ...Plan[]];
}

/** Predecessors to test it on, and the probability that exactly these land. */
interface Plan {
  readonly held: readonly Change[];
  readonly chance: number;
}

const CHANCE = { untested: 0.92, passed: 0.985, failed: 0.03 };

/** An alternative that is less likely than this is not tested. */
const LEAST_CHANCE = 0.03;

/**
 * Lanes of overlapping pull requests, each tested on its direct predecessors that have not failed, the most likely
 * first. Decides one when its predecessors are decided and a test of exactly that has ended. With more paths than one it is
 * also tested without, or with, each of the predecessors whose verdict is least certain.
 */
export const lanes = (load: Workload, ledger: Ledger, paths = 1): void =>
  new LaneRace(load, ledger, paths).run();

class LaneRace {
  readonly #load: Workload;
  readonly #ledger: Ledger;
  readonly #agenda = new Agenda<(now: number) => void>();
  /** In order of arrival. */
  readonly #pending = new Set<Change>();
  readonly #stale = new Set<Change>();
  readonly #paths: number;
  #busy = 0;

  constructor(load: Workload, ledger: Ledger, paths: number) {
    this.#load = load;
    this.#ledger = ledger;
    this.#paths = paths;
  }

  run(): void {
    for (const { i, arr } of this.#load.prs) this.#agenda.put(arr, () => this.#arrive(i));
    for (;;) {
      const now = this.#agenda.nextAt;
      const event = this.#agenda.take();
      if (event === undefined) return;
      event(now);
      this.#refresh(now);
      this.#start(now);
    }
  }

  #arrive(i: number): void {
    const { prs } = this.#load;
    const doesOverlap = (other: Change): boolean => {
      const [one, two] = [prs[i], prs[other.i]];
      return one !== undefined && two !== undefined && doOverlap(one, two);
    };
    const ahead = [...this.#pending].filter(doesOverlap);
    const start = { behind: [], tests: new Map(), state: 'pending', chance: CHANCE.untested } as const;
    const change: Change = { ...start, behind: [], i, ahead, plans: plansOn(ahead, this.#paths) };
    for (const one of ahead) one.behind.push(change);
    this.#pending.add(change);
  }

  #start(now: number): void {
    if (this.#busy >= this.#load.W) return;
    const waiting = [...this.#pending].flatMap((change) =>
      change.plans.filter(({ held }) => !change.tests.has(keyOf(held))).map((plan) => ({ change, plan })),
    );
    waiting.sort((one, other) => other.plan.chance - one.plan.chance || one.change.i - other.change.i);
    for (const { change, plan } of waiting.slice(0, this.#load.W - this.#busy)) this.#test(change, plan, now);
  }

  #test(change: Change, { held }: Plan, now: number): void {
    const undecided = held.filter(({ state }) => state === 'pending').map(({ i }) => i);
    const willPass = this.#ledger.test([...undecided, change.i]);
    const test: Test = { held: new Set(held.map(({ i }) => i)), startedAt: now, willPass, state: 'running' };
    const key = keyOf(held);
    change.tests.set(key, test);
    this.#busy += 1;
    this.#agenda.put(now + (this.#load.prs[change.i]?.dur ?? 0), (endedAt) => {
      if (change.tests.get(key) === test) this.#end(change, test, endedAt);
    });
  }

  #end(change: Change, test: Test, now: number): void {
    this.#stop(test, now);
    test.state = test.willPass ? 'passed' : 'failed';
    this.#stale.add(change);
    this.#refresh(now);
    this.#decide(change, now);
  }

  #stop({ state, startedAt }: Test, now: number): void {
    if (state !== 'running') return;
    this.#busy -= 1;
    this.#ledger.ciMinutes += now - startedAt;
  }

  /** Drops tests that can no longer count, and replans where a predecessor has changed. */
  #refresh(now: number): void {
    while (this.#stale.size > 0) {
      const change = [...this.#stale].reduce((first, one) => (one.i < first.i ? one : first));
      this.#stale.delete(change);
      if (change.state !== 'pending') continue;
      for (const [key, test] of change.tests) {
        if (canCount(change, test)) continue;
        this.#stop(test, now);
        change.tests.delete(key);
      }
      change.plans = plansOn(change.ahead, this.#paths);
      this.#assume(change, chanceOf(change));
    }
  }

  #assume(change: Change, chance: number): void {
    if (change.chance === chance) return;
    change.chance = chance;
    for (const one of change.behind) if (one.state === 'pending') this.#stale.add(one);
  }

  #decide(first: Change, now: number): void {
    const open = [first];
    for (let change = open.pop(); change !== undefined; change = open.pop()) {
      if (change.state !== 'pending' || change.ahead.some(({ state }) => state === 'pending')) continue;
      const proof = change.tests.get(keyOf(change.ahead.filter(({ state }) => state === 'landed')));
      if (proof === undefined || proof.state === 'running') continue;
      this.#pending.delete(change);
      change.state = proof.state === 'passed' ? 'landed' : 'rejected';
      if (proof.state === 'passed') this.#ledger.land(change.i, now);
      else this.#ledger.reject(change.i, now);
      for (const test of change.tests.values()) this.#stop(test, now);
      change.tests.clear();
      for (const one of change.behind) if (one.state === 'pending') this.#stale.add(one);
      open.push(...change.behind);
    }
  }
}

const keyOf = (held: readonly Change[]): string => held.map(({ i }) => i).join();

const plansOn = (ahead: readonly Change[], paths: number): readonly [Plan, ...Plan[]] => {
  const open = ahead.filter(({ state }) => state !== 'rejected');
  const held = new Set(open.filter(({ state, chance }) => state === 'landed' || chance >= 0.5));
  const undecided = open.filter(({ state }) => state === 'pending');
  const score = undecided.reduce(
    (sum, one) => sum + Math.log(held.has(one) ? one.chance : 1 - one.chance),
    0,
  );
  const best: Plan = { held: open.filter((one) => held.has(one)), chance: Math.exp(score) };
  if (paths === 1) return [best];
  const certainty = ({ chance }: Change): number => Math.abs(Math.log(chance / (1 - chance)));
  const alternatives = undecided
    .sort((one, other) => certainty(one) - certainty(other))
    .slice(0, paths - 1)
    .map((flipped) => ({
      held: open.filter((one) => held.has(one) !== (one === flipped)),
      chance: Math.exp(score - certainty(flipped)),
    }));
  return [best, ...alternatives.filter(({ chance }) => chance >= LEAST_CHANCE)];
};

const canCount = ({ ahead }: Change, { held }: Test): boolean =>
  ahead.every(({ i, state }) => (state === 'landed' ? held.has(i) : state !== 'rejected' || !held.has(i)));

const chanceOf = ({ tests, plans: [best] }: Change): number => {
  const state = tests.get(keyOf(best.held))?.state;
  return state === 'passed' ? CHANCE.passed : state === 'failed' ? CHANCE.failed : CHANCE.untested;
};
