import { doOverlap, hasTarget, type ImpactedTargets } from './impacted-targets.js';

/** A longer list is searched instead of indexed: to index the longest takes 100 ms, for each decision. */
const INDEXED_TARGETS_LIMIT = 1_000;
/** Max lists that are searched, since each is for every submission behind it. The others are indexed. */
const SEARCHED_LISTS_LIMIT = 8;
/** A search in a list of the longest length takes about this many comparisons. */
const COMPARISONS = 17;

/**
 * Finds the earlier submissions that share a target with one, and no others. Filled from the front of the line. Numbers are
 * ranks in the line.
 */
export class Overlaps {
  /** The ranks that hold a target. Most targets have one, which is stored without a list. */
  readonly #byTarget = new Map<string, number | number[]>();
  readonly #searched: { readonly rank: number; readonly targets: readonly string[] }[] = [];
  readonly #touchingAll: number[] = [];
  #length = 0;

  /** Adds the next submission of the line. */
  join(targets: ImpactedTargets): void {
    const rank = this.#length;
    this.#length += 1;
    if (targets === 'ALL') this.#touchingAll.push(rank);
    else if (targets.length > INDEXED_TARGETS_LIMIT && this.#searched.length < SEARCHED_LISTS_LIMIT)
      this.#searched.push({ rank, targets });
    else this.#index(targets, rank);
  }

  /** The ranks that the next submission with these targets overlaps with, from the front. */
  of(targets: ImpactedTargets): readonly number[] {
    if (targets === 'ALL') return Array.from({ length: this.#length }, (_, rank) => rank);
    const ranks = new Set(this.#touchingAll);
    for (const one of this.#searched) if (doShare(one.targets, targets)) ranks.add(one.rank);
    for (const holders of this.#holdersOf(targets))
      if (typeof holders === 'number') ranks.add(holders);
      else for (const rank of holders) ranks.add(rank);
    return [...ranks].sort((one, other) => one - other);
  }

  #index(targets: readonly string[], rank: number): void {
    for (const target of targets) {
      const ranks = this.#byTarget.get(target);
      if (ranks === undefined) this.#byTarget.set(target, rank);
      else if (typeof ranks === 'number') this.#byTarget.set(target, [ranks, rank]);
      else ranks.push(rank);
    }
  }

  /** Goes through the index or through the list, whichever is shorter. */
  *#holdersOf(targets: readonly string[]): Generator<number | readonly number[]> {
    if (targets.length > this.#byTarget.size) {
      for (const [target, holders] of this.#byTarget) if (hasTarget(targets, target)) yield holders;
      return;
    }
    for (const target of targets) {
      const holders = this.#byTarget.get(target);
      if (holders !== undefined) yield holders;
    }
  }
}

/** True if the lists share a target. A much shorter list is looked up in the other. */
const doShare = (long: readonly string[], other: readonly string[]): boolean =>
  other.length * COMPARISONS < long.length
    ? other.some((target) => hasTarget(long, target))
    : doOverlap(long, other);
