import type { Instant, Sha } from './ids.js';
import type { QueueSettings } from './settings.js';

/**
 * What a pull request touches: everything, or these targets (sorted, without duplicates). The empty list touches
 * nothing.
 */
export type ImpactedTargets = 'ALL' | readonly string[];

/** One upload of targets. It is valid for one head only. */
export interface TargetSet {
  readonly head: Sha;
  readonly targets: ImpactedTargets;
  /** `fork` if the list comes from the untrusted CI run of a fork. */
  readonly source: 'trusted' | 'fork';
  readonly at: Instant;
}

/** The uploads for one pull request, newest first. They may arrive before it is submitted. */
export interface TargetBook {
  readonly pr: number;
  readonly sets: readonly TargetSet[];
}

export const TARGETS_LIMIT = 100_000;
export const TARGET_CHARS_LIMIT = 1_000;
/** Bytes of stored uploads per repository, unless the service sets another limit. */
export const TARGET_BYTES_LIMIT = 256 * 1024 * 1024;
/** Uploads kept per pull request. The one for the head in the queue is kept in any case. */
export const TARGET_SETS_LIMIT = 5;

/** A list that contains `ALL` counts as `ALL`: read as the name of a target, it would overlap with almost nothing. */
export const normalTargets = (targets: ImpactedTargets): ImpactedTargets => {
  if (targets === 'ALL' || targets.includes('ALL')) return 'ALL';
  return isAscending(targets) ? targets : [...new Set(targets)].sort();
};

const isAscending = (targets: readonly string[]): boolean =>
  targets.every((target, n) => n === 0 || (targets[n - 1] ?? '') < target);

/** The targets of both lists. Linear in the lengths: both are sorted. */
export const unitedTargets = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const united: string[] = [];
  let [left, right] = [0, 0];
  for (;;) {
    const [mine, theirs] = [one[left], other[right]];
    if (mine === undefined) return [...united, ...other.slice(right)];
    if (theirs === undefined) return [...united, ...one.slice(left)];
    const isMine = mine <= theirs;
    united.push(isMine ? mine : theirs);
    if (isMine) left += 1;
    if (theirs <= mine) right += 1;
  }
};

/** Adds an upload to the book, replacing one with the same head and source. */
export const withTargets = (
  book: TargetBook | undefined,
  pr: number,
  set: TargetSet,
  keep: Sha | null,
): TargetBook => {
  const otherSets = (book?.sets ?? []).filter((old) => old.head !== set.head || old.source !== set.source);
  const newest = [set, ...otherSets];
  return { pr, sets: newest.filter((one, index) => index < TARGET_SETS_LIMIT || one.head === keep) };
};

/** The targets uploaded for this head, trusted or not; null if there are none. */
export const targetsAt = (book: TargetBook | undefined, head: Sha): ImpactedTargets | null => {
  const sets = setsAt(book, head);
  return (sets.find((set) => set.source === 'trusted') ?? sets[0])?.targets ?? null;
};

type Trust = Pick<QueueSettings, 'mode' | 'trustForkTargets'>;

/**
 * Up to this many test slots are few: batches form across lanes, and bisections come before the line. With three, the better
 * choice depends on the load (`docs/evidence/race-limits.md`).
 */
export const FEW_SLOTS = 2;

/**
 * True if all pull requests form one lane: in single mode, and in parallel mode if batches share few test slots. These can
 * only test a few lanes at once, so a batch takes the front of the line whatever it touches. The setting counts, not the number
 * of `autoConcurrency` below it, so no test starts again when that number changes.
 */
export const isOneLane = ({
  mode,
  batch,
  concurrency,
}: Pick<QueueSettings, 'mode' | 'batch' | 'concurrency'>): boolean =>
  mode === 'single' || (batch && concurrency <= FEW_SLOTS);

/**
 * The targets that count. A list from a fork can only add to a trusted list, unless the queue trusts forks; without a
 * trusted list the pull request touches everything.
 */
export const targetsInForce = (book: TargetBook | undefined, head: Sha, settings: Trust): ImpactedTargets => {
  if (settings.mode === 'single') return 'ALL';
  const sets = setsAt(book, head);
  if (!isTrusted(sets, settings)) return 'ALL';
  const [first, second] = sets;
  if (first !== undefined && second === undefined) return first.targets;
  return normalTargets(sets.flatMap(({ targets }) => targets));
};

/** Whether a pull request counts as touching everything only because no list but that of a fork exists. */
export const isListedByForkAlone = (book: TargetBook | undefined, head: Sha, settings: Trust): boolean => {
  const sets = setsAt(book, head);
  return settings.mode === 'parallel' && sets.length > 0 && !isTrusted(sets, settings) && !isOfAll(sets);
};

/** True if the second list has every target of the first. Linear in the lengths: both are sorted. */
export const areWithin = (targets: ImpactedTargets, outer: ImpactedTargets): boolean => {
  if (outer === 'ALL') return true;
  if (targets === 'ALL') return false;
  let at = 0;
  return targets.every((target) => {
    while ((outer[at] ?? target) < target) at += 1;
    return outer[at] === target;
  });
};

/** True if a list has this target. Logarithmic in its length: it is sorted. */
export const hasTarget = (targets: readonly string[], target: string): boolean => {
  let [from, to] = [0, targets.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((targets[middle] ?? '') < target) from = middle + 1;
    else to = middle;
  }
  return targets[from] === target;
};

const setsAt = (book: TargetBook | undefined, head: Sha): readonly TargetSet[] => {
  const sets = book?.sets ?? [];
  return sets.every((set) => set.head === head) ? sets : sets.filter((set) => set.head === head);
};

const isTrusted = (sets: readonly TargetSet[], { trustForkTargets }: Trust): boolean =>
  sets.some((set) => set.source === 'trusted' || trustForkTargets);

const isOfAll = (sets: readonly TargetSet[]): boolean => sets.some(({ targets }) => targets === 'ALL');

/** Linear in the lengths: both lists are sorted. */
export const doOverlap = (one: ImpactedTargets, other: ImpactedTargets): boolean => {
  if (one === 'ALL' || other === 'ALL') return true;
  let [left, right] = [0, 0];
  for (;;) {
    const [mine, theirs] = [one[left], other[right]];
    if (mine === undefined || theirs === undefined) return false;
    if (mine === theirs) return true;
    if (mine < theirs) left += 1;
    else right += 1;
  }
};
