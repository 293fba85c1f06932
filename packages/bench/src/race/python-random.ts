const SIZE = 624;
const SHIFT = 397;

/**
 * The generator of Python's `random.Random(seed)` (CPython 3.11; MT19937), to reproduce loads that were generated in
 * Python. `gauss` and `exponential` may differ in the last bits, because V8 has its own `log`, `exp`, `sin` and `cos`.
 */
export class PythonRandom {
  readonly #state = new Uint32Array(SIZE);
  #index = SIZE;
  #nextGauss: number | null = null;

  /** @param seed an integer from 0 to 2^32 - 1 */
  constructor(seed: number) {
    this.#seedBy(19_650_218);
    const state = this.#state;
    let index = 1;
    for (let step = 0; step < SIZE; step += 1) {
      state[index] = ((at(state, index) ^ Math.imul(mixed(at(state, index - 1)), 1_664_525)) + seed) >>> 0;
      index = this.#following(index);
    }
    for (let step = 1; step < SIZE; step += 1) {
      state[index] =
        ((at(state, index) ^ Math.imul(mixed(at(state, index - 1)), 1_566_083_941)) - index) >>> 0;
      index = this.#following(index);
    }
    state[0] = 0x80000000;
  }

  /** From 0 (included) to 1 (excluded), with 53 bits. */
  random(): number {
    const high = this.#next() >>> 5;
    const low = this.#next() >>> 6;
    return (high * 67_108_864 + low) / 9_007_199_254_740_992;
  }

  exponential(rate: number): number {
    return -Math.log(1 - this.random()) / rate;
  }

  gauss(mean: number, deviation: number): number {
    const kept = this.#nextGauss;
    this.#nextGauss = null;
    if (kept !== null) return mean + kept * deviation;
    const angle = this.random() * 2 * Math.PI;
    const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
    this.#nextGauss = Math.sin(angle) * radius;
    return mean + Math.cos(angle) * radius * deviation;
  }

  #seedBy(seed: number): void {
    this.#state[0] = seed;
    for (let index = 1; index < SIZE; index += 1)
      this.#state[index] = Math.imul(mixed(at(this.#state, index - 1)), 1_812_433_253) + index;
  }

  #following(index: number): number {
    if (index + 1 < SIZE) return index + 1;
    this.#state[0] = at(this.#state, SIZE - 1);
    return 1;
  }

  #next(): number {
    if (this.#index >= SIZE) this.#twist();
    let word = at(this.#state, this.#index);
    this.#index += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #twist(): void {
    const state = this.#state;
    for (let index = 0; index < SIZE; index += 1) {
      const word = (at(state, index) & 0x80000000) | (at(state, (index + 1) % SIZE) & 0x7fffffff);
      state[index] = at(state, (index + SHIFT) % SIZE) ^ (word >>> 1) ^ ((word & 1) * 0x9908b0df);
    }
    this.#index = 0;
  }
}

const at = (state: Uint32Array, index: number): number => state[index] ?? 0;

const mixed = (word: number): number => word ^ (word >>> 30);

const PROBES = 9;

/**
 * The order in which CPython iterates over a set of small integers added in this order; the loads draw their conflicts
 * in it. Valid for up to 18 distinct values.
 */
export const pythonSetOrder = (values: readonly number[]): readonly number[] => {
  let table: (number | undefined)[] = new Array(8);
  let count = 0;
  for (const value of values) {
    if (!insert(table, value)) continue;
    count += 1;
    if (count * 5 < (table.length - 1) * 3) continue;
    const kept = table.filter((one) => one !== undefined);
    table = new Array(32);
    for (const one of kept) insert(table, one);
  }
  return table.filter((one) => one !== undefined);
};

/** False if the table has the value already. */
const insert = (table: (number | undefined)[], value: number): boolean => {
  const mask = table.length - 1;
  let perturbation = value;
  for (let start = value & mask; ; start = (start * 5 + 1 + perturbation) & mask) {
    const last = start + PROBES <= mask ? start + PROBES : start;
    for (let slot = start; slot <= last; slot += 1) {
      if (table[slot] === value) return false;
      if (table[slot] !== undefined) continue;
      table[slot] = value;
      return true;
    }
    perturbation >>>= 5;
  }
};
