import type { ImpactedTargets, QueueSettings, Sha, TargetBook } from '@mq/core';

/** What a pull request counts as touching, worked out anew: whoever watches a queue does not believe it. */
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

/** True where one lane holds both. */
export const doMeet = (one: ImpactedTargets, other: ImpactedTargets): boolean =>
  one === 'ALL' || other === 'ALL' || one.some((target) => other.includes(target));
