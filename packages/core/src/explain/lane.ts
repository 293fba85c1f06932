import type { Draft } from '../decide/draft/draft.js';
import { targetsOf } from '../decide/line/placement-input.js';
import { FEW_SLOTS, isListedByForkAlone, isOneLane } from '../model/impacted-targets.js';
import type { Submission } from '../model/submission.js';
import { causeOf, type ExplainedCause } from './chain-step.js';
import { cutName, prOf } from './phrases.js';

/** The wait behind others in a lane. Names the last of them that shares a target with it, and the target. */
export const waitBehindLane = (
  draft: Draft,
  submission: Submission,
  ahead: readonly Submission[],
): ExplainedCause => {
  const { holder, shared } = nearest(draft, submission, ahead);
  const more = ahead.length - 1;
  const values = {
    it: prOf(submission.pr),
    holder: holder === undefined ? 'others' : prOf(holder.pr),
    others: more <= 0 ? '' : ` and ${more} more`,
    shared,
  };
  return causeOf('lane_ahead', values, { pr: holder?.pr ?? null });
};

const nearest = (
  draft: Draft,
  submission: Submission,
  ahead: readonly Submission[],
): { holder: Submission | undefined; shared: string } => {
  const last = ahead.at(-1);
  const { settings } = draft.queue;
  if (settings.mode === 'single')
    return { holder: last, shared: 'in single mode all pull requests are in one lane' };
  if (isOneLane(settings))
    return {
      holder: last,
      shared: `with batches and at most ${FEW_SLOTS} test slots all pull requests are in one lane`,
    };
  for (const holder of ahead.toReversed()) {
    const shared = sharedBy(draft, submission, holder);
    if (shared !== null) return { holder, shared };
  }
  return { holder: last, shared: 'pull requests between them share targets with both' };
};

const sharedBy = (draft: Draft, one: Submission, other: Submission): string | null => {
  const [own, theirs] = [targetsOf(draft, one), targetsOf(draft, other)];
  if (own === 'ALL') return everything(draft, one);
  if (theirs === 'ALL') return everything(draft, other);
  const otherTargets = new Set(theirs);
  const both = own.filter((target) => otherTargets.has(target));
  const [first] = both;
  if (first === undefined) return null;
  if (both.length === 1) return `both touch ${cutName(first)}`;
  return `both touch ${cutName(first)} and ${both.length - 1} more targets`;
};

const everything = (draft: Draft, { pr, head }: Submission): string => {
  const counts = `${prOf(pr)} counts as touching everything (ALL)`;
  return isListedByForkAlone(draft.targets(pr), head, draft.queue.settings)
    ? `${counts} until a trusted upload names its targets: only a run in its fork has listed them`
    : counts;
};
