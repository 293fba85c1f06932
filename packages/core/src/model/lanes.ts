import type { ImpactedTargets } from './impacted-targets.js';
import { addPlaces, listOf, type Places, sizeOf } from './place-set.js';

/** Those whom one stands directly behind: all before `upTo`, and the last holders of what it touches. Places from the front. */
export interface Neighbours {
  readonly upTo: number;
  readonly holders: readonly number[];
}

/** Everybody ahead of one who stands in line: all before `upTo`, and these behind it. */
export interface Ahead {
  readonly upTo: number;
  readonly others: readonly number[];
}

/**
 * Who stands behind whom: whoever touches a target stands behind everybody before it who touches it too, and behind
 * those that they stand behind. Filled from the front of the line on. For each target only its last holder is kept: the
 * holders before that one are ahead of it already. Joining costs a look per target, however long the line is; who is
 * ahead of those in the line is put together once, when it is first asked for.
 */
export class Lanes {
  /** Of each one the last holders of what it touches. */
  readonly #holders: (readonly number[])[] = [];
  /** Of each one, as far as it was asked for, everybody ahead who stands behind the barrier that it has. */
  readonly #ahead: Places[] = [];
  /** The last one that touches everything. Nobody behind it stands behind others before it. */
  #barrier = NOBODY;
  readonly #lastHolder = new Map<string, number>();

  get length(): number {
    return this.#holders.length;
  }

  /** Puts the next one in line, behind these, which are those of `next`. */
  join(targets: ImpactedTargets, { holders }: Neighbours = this.next(targets)): void {
    const place = this.#holders.length;
    this.#holders.push(holders);
    if (targets === 'ALL') this.#barrier = place;
    else for (const target of targets) this.#lastHolder.set(target, place);
  }

  /** Behind whom the next one in line would stand. Stays true, whoever joins. */
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

  /** These, and everybody ahead of them who stands behind the barrier. */
  #behind(holders: readonly number[]): Places {
    const behind: number[] = [];
    for (const holder of holders) addPlaces(behind, this.#aheadAt(holder), holder);
    return behind;
  }

  #aheadAt(place: number): Places {
    for (let next = this.#ahead.length; next <= place; next += 1)
      this.#ahead.push(this.#behind(this.#holders[next] ?? []));
    return this.#ahead[place] ?? [];
  }

  #holdersOf(targets: readonly string[]): readonly number[] {
    const holders: number[] = [];
    const barrier = this.#barrier;
    for (const target of targets) {
      const holder = this.#lastHolder.get(target) ?? NOBODY;
      if (holder > barrier && !holders.includes(holder)) holders.push(holder);
    }
    return holders;
  }
}

/** In place of a place. */
const NOBODY = -1;
