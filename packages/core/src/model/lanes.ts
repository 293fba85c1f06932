import type { ImpactedTargets } from './impacted-targets.js';

/** Everybody ahead of one who stands in line: all before `upTo`, and these behind it. Numbers are places from the front. */
export interface Ahead {
  readonly upTo: number;
  readonly others: readonly number[];
}

/**
 * Who stands behind whom: whoever touches a target stands behind everybody before him who touches it too, and behind
 * those that they stand behind. Filled from the front of the line on. For each target only its last holder has to be
 * kept: the holders before that one are ahead of it already.
 */
export class Lanes {
  readonly #ahead: Ahead[] = [];
  readonly #lastHolder = new Map<string, number>();
  /** The last one that touches everything; -1 before there is one. */
  #barrier = -1;

  get length(): number {
    return this.#ahead.length;
  }

  /** Who would be ahead of the next one in line. */
  aheadOf(targets: ImpactedTargets): Ahead {
    return targets === 'ALL' ? { upTo: this.#ahead.length, others: [] } : this.#behindHolders(targets);
  }

  /** Puts the next one in line; who is ahead of it. */
  join(targets: ImpactedTargets): Ahead {
    const place = this.#ahead.length;
    const ahead = this.aheadOf(targets);
    this.#ahead.push(ahead);
    if (targets === 'ALL') {
      this.#barrier = place;
      this.#lastHolder.clear();
    } else for (const target of targets) this.#lastHolder.set(target, place);
    return ahead;
  }

  #behindHolders(targets: readonly string[]): Ahead {
    const upTo = this.#barrier + 1;
    const holders = new Set<number>();
    for (const target of targets) {
      const holder = this.#lastHolder.get(target);
      if (holder !== undefined) holders.add(holder);
    }
    const [only] = holders;
    if (only === undefined) return { upTo, others: [] };
    if (holders.size === 1) return { upTo, others: [...this.#othersOf(only), only] };
    const all = new Set<number>();
    for (const holder of holders) {
      for (const other of this.#othersOf(holder)) all.add(other);
      all.add(holder);
    }
    return { upTo, others: [...all].sort((one, other) => one - other) };
  }

  #othersOf(place: number): readonly number[] {
    return this.#ahead[place]?.others ?? [];
  }
}
