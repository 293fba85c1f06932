import type { ImpactedTargets } from './impacted-targets.js';

/**
 * Finds the earlier submissions that share a target with one, and no others. Filled from the front of the line. Numbers are
 * ranks in the line.
 */
export class Overlaps {
  /** The ranks that hold a target. Most targets have one, which is stored without a list, since there may be many targets. */
  readonly #byTarget = new Map<string, number | number[]>();
  readonly #touchingAll: number[] = [];
  #length = 0;

  /** Adds the next submission of the line. */
  join(targets: ImpactedTargets): void {
    const rank = this.#length;
    this.#length += 1;
    if (targets === 'ALL') {
      this.#touchingAll.push(rank);
      return;
    }
    for (const target of targets) {
      const ranks = this.#byTarget.get(target);
      if (ranks === undefined) this.#byTarget.set(target, rank);
      else if (typeof ranks === 'number') this.#byTarget.set(target, [ranks, rank]);
      else ranks.push(rank);
    }
  }

  /** The ranks that the next submission with these targets overlaps with, from the front. */
  of(targets: ImpactedTargets): readonly number[] {
    if (targets === 'ALL') return Array.from({ length: this.#length }, (_, rank) => rank);
    const ranks = new Set(this.#touchingAll);
    for (const target of targets) {
      const held = this.#byTarget.get(target);
      if (typeof held === 'number') ranks.add(held);
      else for (const rank of held ?? []) ranks.add(rank);
    }
    return [...ranks].sort((one, other) => one - other);
  }
}
