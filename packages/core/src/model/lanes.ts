import type { ImpactedTargets } from './impacted-targets.js';
import { addRanks, listOf, type RankSet, sizeOf } from './rank-set.js';

/**
 * The direct predecessors of a submission: all before `upTo`, and the last holder of each of its targets. Numbers are
 * ranks in the line, from the front.
 */
export interface Neighbours {
  readonly upTo: number;
  readonly holders: readonly number[];
}

/** All submissions ahead of one: all ranks before `upTo`, and `others` behind that. */
export interface Ahead {
  readonly upTo: number;
  readonly others: readonly number[];
}

/**
 * Computes the lanes: a submission is behind every earlier one that shares a target with it, and behind all that those
 * are behind. Filled from the front of the line. Only the last holder of each target is kept, since earlier holders are
 * ahead of it already. Adding one costs a lookup per target, independent of the length of the line; the transitive sets
 * are computed once, on first use.
 */
export class Lanes {
  /** By rank, the last holders of its targets. */
  readonly #holders: (readonly number[])[] = [];
  /** By rank, computed lazily: the ranks ahead that are behind its barrier. */
  readonly #ahead: RankSet[] = [];
  /** The last rank that touches everything. Submissions behind it need no other predecessors before it. */
  #barrier = NONE;
  readonly #lastHolder = new Map<string, number>();

  get length(): number {
    return this.#holders.length;
  }

  /** Adds the next submission of the line, behind the neighbours that `next` gave. */
  join(targets: ImpactedTargets, { holders }: Neighbours = this.next(targets)): void {
    const rank = this.#holders.length;
    this.#holders.push(holders);
    if (targets === 'ALL') this.#barrier = rank;
    else for (const target of targets) this.#lastHolder.set(target, rank);
  }

  /** The neighbours of the next submission with these targets. Stays valid when others join. */
  next(targets: ImpactedTargets): Neighbours {
    if (targets === 'ALL') return { upTo: this.#holders.length, holders: [] };
    return { upTo: this.#barrier + 1, holders: this.#holdersOf(targets) };
  }

  aheadOf({ upTo, holders }: Neighbours): Ahead {
    return { upTo, others: listOf(this.#behind(holders)) };
  }

  countAheadOf({ upTo, holders }: Neighbours): number {
    return upTo + sizeOf(this.#behind(holders));
  }

  /** These ranks, and all ranks ahead of them that are behind the barrier. */
  #behind(holders: readonly number[]): RankSet {
    const behind: number[] = [];
    for (const holder of holders) addRanks(behind, this.#aheadAt(holder), holder);
    return behind;
  }

  #aheadAt(rank: number): RankSet {
    for (let next = this.#ahead.length; next <= rank; next += 1)
      this.#ahead.push(this.#behind(this.#holders[next] ?? []));
    return this.#ahead[rank] ?? [];
  }

  #holdersOf(targets: readonly string[]): readonly number[] {
    const holders: number[] = [];
    const barrier = this.#barrier;
    for (const target of targets) {
      const holder = this.#lastHolder.get(target) ?? NONE;
      if (holder > barrier && !holders.includes(holder)) holders.push(holder);
    }
    return holders;
  }
}

/** No rank. */
const NONE = -1;
