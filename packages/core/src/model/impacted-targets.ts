import type { Instant, Sha } from './ids.js';

/** What a pull request touches: everything, or these targets (sorted, each once). The empty list touches nothing. */
export type ImpactedTargets = 'ALL' | readonly string[];

/** One upload. It speaks for one head only. */
export interface TargetSet {
  readonly head: Sha;
  readonly targets: ImpactedTargets;
  /** `fork` where the pull request's own, untrusted run made the list. */
  readonly source: 'trusted' | 'fork';
  readonly at: Instant;
}

/** The uploads for one pull request, newest first. They may come before it is submitted. */
export interface TargetBook {
  readonly pr: number;
  readonly sets: readonly TargetSet[];
}

export const TARGETS_LIMIT = 100_000;
export const TARGET_CHARS_LIMIT = 1_000;
/** Uploads kept for one pull request; the one of the head in the queue is kept in any case. */
export const TARGET_SETS_LIMIT = 5;

export const normalTargets = (targets: ImpactedTargets): ImpactedTargets =>
  targets === 'ALL' ? targets : [...new Set(targets)].sort();

/** The book with one upload more. The same head and source replace what was there. */
export const withTargets = (
  book: TargetBook | undefined,
  pr: number,
  set: TargetSet,
  keep: Sha | null,
): TargetBook => {
  const others = (book?.sets ?? []).filter((old) => old.head !== set.head || old.source !== set.source);
  const newest = [set, ...others];
  return { pr, sets: newest.filter((one, index) => index < TARGET_SETS_LIMIT || one.head === keep) };
};

/** What is known to be touched at this head; null where nothing was uploaded for it. */
export const targetsAt = (book: TargetBook | undefined, head: Sha): ImpactedTargets | null => {
  const sets = (book?.sets ?? []).filter((set) => set.head === head);
  return (sets.find((set) => set.source === 'trusted') ?? sets[0])?.targets ?? null;
};
