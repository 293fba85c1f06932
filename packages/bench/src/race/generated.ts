import { PythonRandom, pythonSetOrder } from './python-random.js';
import type { Arrival, Workload } from './workload.js';

/** The parameters of a generated load. */
export interface Spec {
  /** Arrivals per hour for some hours, at random times; or this many at once, one every 0.6 s. */
  readonly arrivals: { readonly perHour: number; readonly hours: number } | { readonly atOnce: number };
  /** Share that fails on its own. */
  readonly failing: number;
  /** Durations in minutes: log-normal, capped. */
  readonly duration: Duration;
  readonly targets: Targets;
  /** Probability that two with a common target, submitted within 4 hours, conflict. */
  readonly conflicting: number;
  readonly runners: number;
  readonly tipMinutes: number;
}

interface Duration {
  readonly median: number;
  readonly sigma: number;
  readonly least: number;
  readonly most: number;
}

interface Targets {
  readonly count: number;
  /** Exponent of Zipf's law. */
  readonly skew: number;
  /** Mean number besides the first. */
  readonly extra: number;
  /** Share of pull requests that impact all of them. */
  readonly all: number;
}

const short = { median: 15, sigma: 0.35, least: 5, most: 60 };
const long = { median: 30, sigma: 0.5, least: 5, most: 120 };
const company = { count: 40, skew: 0.9, extra: 0.6, all: 0.05 };
const monorepo = { count: 300, skew: 0.7, extra: 0.6, all: 0.005 };
const giant = { count: 200, skew: 0.8, extra: 1, all: 0.02 };

const companySpec = { failing: 0.08, duration: short, targets: company, conflicting: 0.002, tipMinutes: 15 };
const monorepoSpec = {
  ...{ failing: 0.03, duration: short, targets: monorepo, conflicting: 0.0005 },
  ...{ runners: 300, tipMinutes: 15 },
};
const giantSpec = {
  ...{ failing: 0.02, duration: long, targets: giant, conflicting: 0.0007 },
  ...{ runners: 500, tipMinutes: 30 },
};

/** The named loads. Do not change them: published figures depend on them. */
export const specs = {
  E1: { ...giantSpec, arrivals: { perHour: 500, hours: 4 } },
  E1s: { ...giantSpec, arrivals: { perHour: 500, hours: 1.5 } },
  E1x100: { ...giantSpec, arrivals: { perHour: 100, hours: 4 } },
  E1x300: { ...giantSpec, arrivals: { perHour: 300, hours: 2 } },
  E2a: { ...companySpec, arrivals: { perHour: 20, hours: 10 }, runners: 40 },
  E2c: { ...companySpec, arrivals: { perHour: 60, hours: 10 }, runners: 60 },
  E3: { ...monorepoSpec, arrivals: { perHour: 250, hours: 24 } },
  E3h4: { ...monorepoSpec, arrivals: { perHour: 250, hours: 4 } },
  E3burst: { ...companySpec, arrivals: { atOnce: 200 }, runners: 50 },
  E4: {
    ...companySpec,
    ...{ failing: 0.03, conflicting: 0.0005, runners: 1 },
    arrivals: { perHour: 20, hours: 10 },
  },
} as const satisfies Record<string, Spec>;

export type LoadName = keyof typeof specs;

export const isLoadName = (name: string): name is LoadName => Object.hasOwn(specs, name);

/** Deterministic: the same load for the same name and seed. */
export const generate = (name: LoadName, seed: number): Workload => {
  const spec: Spec = specs[name];
  const draw = new Drawn(spec, new PythonRandom(seed));
  const prs = 'atOnce' in spec.arrivals ? draw.burst(spec.arrivals.atOnce) : draw.stream(spec.arrivals);
  return { name, seed, W: spec.runners, tipDur: spec.tipMinutes, prs };
};

const MINUTES_BETWEEN_BURST = 0.01;
const CONFLICT_MINUTES = 240;
const TARGETS_LIMIT = 8;

type Drawing = Pick<Arrival, 'i' | 'arr' | 'dur' | 'bad'> & {
  /** In the order in which conflicts are drawn. */
  readonly targets: readonly number[];
};

class Drawn {
  readonly #spec: Spec;
  readonly #random: PythonRandom;
  readonly #prs: Arrival[] = [];
  readonly #byTarget: Arrival[][];
  /** Cumulative weights of the targets. */
  readonly #weights: readonly number[];

  constructor(spec: Spec, random: PythonRandom) {
    this.#spec = spec;
    this.#random = random;
    const { count, skew } = spec.targets;
    this.#byTarget = Array.from({ length: count }, () => []);
    let sum = 0;
    this.#weights = Array.from({ length: count }, (_, target) => {
      sum += 1 / (target + 1) ** skew;
      return sum;
    });
  }

  stream({ perHour, hours }: { readonly perHour: number; readonly hours: number }): Arrival[] {
    for (let arr = this.#pause(perHour); arr <= hours * 60; arr += this.#pause(perHour)) {
      const one = this.#arrival(arr);
      this.#add(one, (line) => line.filter((other) => arr - other.arr <= CONFLICT_MINUTES).reverse());
    }
    return this.#prs;
  }

  burst(count: number): Arrival[] {
    for (let i = 0; i < count; i += 1) this.#add(this.#arrival(i * MINUTES_BETWEEN_BURST), (line) => line);
    return this.#prs;
  }

  #pause(perHour: number): number {
    return this.#random.exponential(perHour / 60);
  }

  #arrival(arr: number): Drawing {
    const dur = this.#duration();
    const bad = this.#random.random() < this.#spec.failing;
    return { i: this.#prs.length, arr, dur, bad, targets: this.#targets() };
  }

  #duration(): number {
    const { median, sigma, least, most } = this.#spec.duration;
    for (;;) {
      const minutes = median * Math.exp(this.#random.gauss(0, sigma));
      if (least <= minutes && minutes <= most) return minutes;
    }
  }

  #targets(): readonly number[] {
    const { count, extra, all } = this.#spec.targets;
    if (this.#random.random() < all) return Array.from({ length: count }, (_, target) => target);
    let wanted = 1;
    while (this.#random.random() < extra / (1 + extra) && wanted < TARGETS_LIMIT) wanted += 1;
    return pythonSetOrder(Array.from({ length: wanted }, () => this.#target()));
  }

  #target(): number {
    const drawn = this.#random.random() * (this.#weights.at(-1) ?? 0);
    return this.#weights.findIndex((sum) => sum > drawn);
  }

  /** `inReach` returns the pull requests of one target that may conflict, in drawing order. */
  #add({ targets, ...one }: Drawing, inReach: (line: readonly Arrival[]) => readonly Arrival[]): void {
    const seen = new Set<number>();
    const conf: number[] = [];
    const isForAll = targets.length === this.#spec.targets.count;
    const sorted = [...targets].sort((left, right) => left - right);
    const arrival: Arrival = { ...one, tg: isForAll ? 'ALL' : sorted, conf };
    for (const target of targets) {
      for (const { i } of inReach(this.#byTarget[target] ?? [])) {
        if (seen.has(i)) continue;
        seen.add(i);
        if (this.#random.random() < this.#spec.conflicting) conf.push(i);
      }
      this.#byTarget[target]?.push(arrival);
    }
    conf.sort((left, right) => left - right);
    this.#prs.push(arrival);
  }
}
