import type { Random } from '@mq/random';

// Test runs per pull request of strategies to find the broken ones, where each is broken independently with the same
// probability.

/** The lower bound of every strategy: the information that one verdict gives. */
export const entropy = (p: number): number => -p * Math.log2(p) - (1 - p) * Math.log2(1 - p);

const GROUP_LIMIT = 64;
const PRECISION = 1e-7;

export interface Optimum {
  readonly runs: number;
  /** The size of the first group. */
  readonly size: number;
}

/**
 * The best nested plan (Sobel and Groll's R1) for an endless line: test a group; if it is known to contain a broken
 * one, test a first part of it. Passed members land; undecided ones return to the line.
 */
export const optimum = (p: number): Optimum => {
  let low = 0;
  let high = 1;
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (gainOf(p, middle).gain > 0) high = middle;
    else low = middle;
  }
  return { runs: high, size: gainOf(p, high).size };
};

/** The gain of the best first group, if each test run costs one and each decided pull request is worth `price`. */
const gainOf = (p: number, price: number): { readonly gain: number; readonly size: number } => {
  const q = 1 - p;
  const known = [0, price];
  let best = { gain: Number.NEGATIVE_INFINITY, size: 1 };
  for (let size = 1; size <= GROUP_LIMIT; size += 1) {
    if (size > 1) known[size] = bestCut(q, size, price, known);
    const passes = q ** size;
    const gain = passes * size * price + (1 - passes) * (known[size] ?? 0) - 1;
    if (gain > best.gain) best = { gain, size };
  }
  return best;
};

const bestCut = (q: number, size: number, price: number, known: readonly number[]): number => {
  let best = Number.NEGATIVE_INFINITY;
  for (let cut = 1; cut < size; cut += 1) {
    const passes = (q ** cut - q ** size) / (1 - q ** size);
    const gain = passes * (cut * price + (known[size - cut] ?? 0)) + (1 - passes) * (known[cut] ?? 0) - 1;
    best = Math.max(best, gain);
  }
  return best;
};

/** Our plan without disturbances: halves of what is unknown, in order, until one is left. */
export const prefixBisection = (p: number, size: number): number => {
  const q = 1 - p;
  let runs = 1;
  for (let culprit = 1; culprit <= size; culprit += 1)
    runs += q ** (culprit - 1) * p * searchRuns(size, culprit);
  return runs / ((1 - q ** size) / p);
};

/** The batch size with which that plan needs the fewest test runs. */
export const bestPrefixSize = (p: number): number => {
  const runs = Array.from({ length: GROUP_LIMIT }, (_, index) => prefixBisection(p, index + 1));
  return runs.indexOf(Math.min(...runs)) + 1;
};

const searchRuns = (size: number, culprit: number): number => {
  let [passed, failed, runs] = [0, size, 0];
  for (; failed - passed > 1; runs += 1) {
    const cut = passed + Math.round((failed - passed) / 2);
    if (culprit <= cut) failed = cut;
    else passed = cut;
  }
  return runs;
};

/** Executes that plan on given changes, batch by batch, to compare it with the formula. */
export class PrefixPlan {
  runs = 0;
  decided = 0;

  constructor(
    private readonly size: number,
    private readonly isBroken: (pr: number) => boolean,
  ) {}

  advanceTo(decided: number): number {
    while (this.decided < decided) {
      let culprit = 1;
      while (culprit <= this.size && !this.isBroken(this.decided + culprit)) culprit += 1;
      this.runs += 1 + (culprit > this.size ? 0 : searchRuns(this.size, culprit));
      this.decided += Math.min(culprit, this.size);
    }
    return this.runs;
  }
}

/** Halving as in bors: a failed batch is cut in two, and both halves are tested, down to single pull requests. */
export const halving = (p: number, size: number): number => {
  const q = 1 - p;
  let runs = 1;
  for (let parts = 1, length = size; length > 1; parts *= 2, length /= 2)
    runs += 2 * parts * (1 - q ** length);
  return runs / size;
};

export const bestHalving = (p: number): Optimum =>
  [1, 2, 4, 8, 16, 32, 64]
    .map((size) => ({ size, runs: halving(p, size) }))
    .reduce((best, one) => (one.runs < best.runs ? one : best));

/** The same, executed on drawn changes. */
export const simulatedHalving = (p: number, size: number, batches: number, random: Random): number => {
  let runs = 0;
  const test = (changes: readonly boolean[]): void => {
    runs += 1;
    if (changes.length === 1 || !changes.includes(true)) return;
    test(changes.slice(0, changes.length / 2));
    test(changes.slice(changes.length / 2));
  };
  for (let batch = 0; batch < batches; batch += 1) test(Array.from({ length: size }, () => random.chance(p)));
  return runs / (batches * size);
};
