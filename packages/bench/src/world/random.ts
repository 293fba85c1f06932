/** A small seeded generator (splitmix32). The same seed gives the same numbers, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  }

  chance(rate: number): boolean {
    return this.next() < rate;
  }

  /** A whole number below this one. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
}
