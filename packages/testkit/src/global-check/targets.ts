import type { ImpactedTargets, QueueSettings, Sha, TargetBook } from '@mq/core';

/** The targets that count as impacted by a pull request. Computed independently of the engine, which it checks. */
export const countedTargets = (
  book: TargetBook | undefined,
  head: Sha,
  { mode, trustForkTargets }: Pick<QueueSettings, 'mode' | 'trustForkTargets'>,
): ImpactedTargets => {
  if (mode === 'single') return 'ALL';
  const sets = (book?.sets ?? []).filter((set) => set.head === head);
  const isTrusted = sets.some(({ source }) => source === 'trusted') || (trustForkTargets && sets.length > 0);
  if (!isTrusted || sets.some(({ targets }) => targets === 'ALL')) return 'ALL';
  return [...new Set(sets.flatMap(({ targets }) => targets))];
};

/** True if the two overlap, so that both are in one lane. */
export const doMeet = (one: ImpactedTargets, other: ImpactedTargets): boolean =>
  one === 'ALL' || other === 'ALL' || one.some((target) => other.includes(target));
