import type { ImpactedTargets } from './impacted-targets.js';

/** Everybody ahead of one who stands in line: all before `upTo`, and these behind it. Numbers are places from the front. */
export interface Ahead {
  readonly upTo: number;
  readonly others: readonly number[];
}

/**
 * Who stands behind whom: whoever touches a target stands behind everybody before him who touches it too, and behind
 * those that they stand behind. Filled from the front of the line on. For each target only its last holder is kept: the
 * holders before that one are ahead of it already. Joining costs a look per target, however long the line is.
 */
export class Lanes {
  /** Of each one the last holders of what it touches. */
  readonly #holders: (readonly number[])[] = [];
  readonly #lastHolder = new Map<string, number>();
  /** The last one that touches everything; -1 before there is one. Nobody behind it stands behind others before it. */
  #barrier = -1;

  get length(): number {
    return this.#holders.length;
  }

  /** Puts the next one in line. */
  join(targets: ImpactedTargets): void {
    const place = this.#holders.length;
    if (targets === 'ALL') {
      this.#holders.push([]);
      this.#barrier = place;
      this.#lastHolder.clear();
      return;
    }
    this.#holders.push(this.#holdersOf(targets));
    for (const target of targets) this.#lastHolder.set(target, place);
  }

  /** Who would be ahead of the next one in line. */
  aheadOf(targets: ImpactedTargets): Ahead {
    if (targets === 'ALL') return { upTo: this.#holders.length, others: [] };
    const found = new Set<number>();
    const open = [...this.#holdersOf(targets)];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (found.has(place)) continue;
      found.add(place);
      open.push(...(this.#holders[place] ?? []));
    }
    return { upTo: this.#barrier + 1, others: [...found].sort((one, other) => one - other) };
  }

  #holdersOf(targets: readonly string[]): readonly number[] {
    const holders = new Set<number>();
    for (const target of targets) {
      const holder = this.#lastHolder.get(target);
      if (holder !== undefined) holders.add(holder);
    }
    return [...holders];
  }
}
