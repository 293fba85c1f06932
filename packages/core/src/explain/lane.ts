import type { Draft } from '../decide/draft.js';
import { targetsOf } from '../decide/positions.js';
import type { ImpactedTargets } from '../model/impacted-targets.js';
import type { Submission } from '../model/submission.js';
import { type Told, tell } from './told.js';
import { cutName, prOf } from './words.js';

/** Behind whom it stands in its lane: the last of these that touches something of its own, and what that is. */
export const behind = (draft: Draft, submission: Submission, ahead: readonly Submission[]): Told => {
  const { holder, shared } = nearest(draft, submission, ahead);
  const more = ahead.length - 1;
  const values = {
    it: prOf(submission.pr),
    holder: holder === undefined ? 'others' : prOf(holder.pr),
    others: more <= 0 ? '' : ` and ${more} more`,
    shared,
  };
  return tell('lane_ahead', values, { pr: holder?.pr ?? null });
};

const nearest = (
  draft: Draft,
  submission: Submission,
  ahead: readonly Submission[],
): { holder: Submission | undefined; shared: string } => {
  const last = ahead.at(-1);
  if (draft.queue.settings.mode === 'single')
    return { holder: last, shared: 'in single mode everybody stands in one lane' };
  const own = targetsOf(draft, submission);
  for (const holder of ahead.toReversed()) {
    const shared = sharedBy(submission, own, holder, targetsOf(draft, holder));
    if (shared !== null) return { holder, shared };
  }
  return { holder: last, shared: 'others between them share targets with both' };
};

const sharedBy = (
  one: Submission,
  own: ImpactedTargets,
  other: Submission,
  others: ImpactedTargets,
): string | null => {
  if (own === 'ALL') return `${prOf(one.pr)} counts as touching everything (ALL)`;
  if (others === 'ALL') return `${prOf(other.pr)} counts as touching everything (ALL)`;
  const known = new Set(others);
  const both = own.filter((target) => known.has(target));
  const [first] = both;
  if (first === undefined) return null;
  if (both.length === 1) return `both touch ${cutName(first)}`;
  return `both touch ${cutName(first)} and ${both.length - 1} more of the same targets`;
};
