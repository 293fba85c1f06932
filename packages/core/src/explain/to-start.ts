import type { Draft } from '../decide/draft/draft.js';
import { targetStillAt } from '../decide/moves/moving-base.js';
import { delayedUntil } from '../decide/moves/retry.js';
import { bisectedRuns, isLineOnHold } from '../decide/testing/bisection.js';
import { isFresh } from '../decide/testing/schedule.js';
import { activeBatchSize } from '../model/adaptation.js';
import { requiredChecksOf } from '../model/required-checks.js';
import { isUrgent, type Submission } from '../model/submission.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { aboutToDecide, nextAsked, startGate } from './gates.js';
import { type Gathered, gatheringOf } from './gathering.js';
import { holdingBack, IF_FREE, slotsLeft } from './holding-back.js';
import { behindThoseNotBegun, beyondStackLimit, notBegunAhead, undecided } from './reach.js';
import { withoutSlot } from './turn.js';
import { durationOf, prOf, prsOf, timeOf } from './words.js';

/** Why no run tests it: the queue stands, it holds back, its batch is not due, no slot is free, or those ahead come first. */
export const toStart = (draft: Draft, submission: Submission): Step => {
  const gate = startGate(draft, submission);
  if (gate !== null) return gate;
  const until = delayedUntil(draft, submission);
  if (until !== null) return endsWith(holdingBack(draft, submission, until));
  const { exists, head } = draft.queue.target;
  if (!exists || head === null || !isFresh(draft)) return endsWith(unreadTarget(draft));
  const moving = movingBase(draft, submission);
  if (moving !== null) return endsWith(moving);
  const bisection = waitForBisection(draft, submission);
  if (bisection !== null) return bisection;
  const step = toHaveItsTurn(draft, submission);
  if (requiredChecksOf(draft.queue) !== null) return step;
  const { pr } = submission;
  return { ...step, causes: [explained('required_checks', { it: prOf(pr) }, { pr }), ...step.causes] };
};

/** Null unless an open bisection keeps it from starting. */
const waitForBisection = (draft: Draft, submission: Submission): Step | null => {
  if (!isLineOnHold(draft) || isUrgent(submission)) return null;
  const members = bisectedRuns(draft).flatMap((run) => draft.membersOf(run));
  const values = { it: prOf(submission.pr), members: prsOf(members) };
  const causes = [explained('bisection_first', values, { pr: members[0]?.pr ?? null })];
  return { causes, because: members.slice(0, 1), otherwise: [] };
};

const toHaveItsTurn = (draft: Draft, submission: Submission): Step => {
  const filled = filling(draft, submission);
  const hasSlot = slotsLeft(draft, submission) > 0;
  if (filled === null) return hasSlot ? withSlots(draft, submission) : withoutSlot(draft, submission);
  const step = hasSlot ? behindThoseNotBegun(draft, submission) : withoutSlot(draft, submission);
  return step === null ? endsWith(filled) : { ...step, causes: [filled, ...step.causes] };
};

const unreadTarget = (draft: Draft): Explained => {
  const { branch, target } = draft.queue;
  const age = durationOf(draft.now - (target.readAt ?? draft.now));
  if (!target.exists) return explained('target_branch', { branch, age, deadline: '' });
  const isKnown = target.head !== null && target.readAt !== null;
  const read = isKnown ? `was read ${age} ago` : 'has not been read yet';
  return explained('target_unread', { branch, read, next: nextAsked(draft, 'branch') });
};

/** The tip would be another before its tests ended; null where that is not to be feared. */
const movingBase = (draft: Draft, { pr }: Submission): Explained | null => {
  const { branch, target, movingBase: moving } = draft.queue;
  const untilAt = targetStillAt(draft);
  if (moving === null || untilAt === null || (target.readAt ?? 0) >= untilAt) return null;
  const { rebuilds, rebuildsSince, movedAt } = moving;
  const values = {
    it: prOf(pr),
    branch,
    rebuilds: `${rebuilds} rebuilds`,
    age: durationOf(draft.now - rebuildsSince),
    still: durationOf(untilAt - movedAt),
  };
  return explained('moving_base', values, { pr, untilAt: untilAt > draft.now ? untilAt : null });
};

/** Null where its batch is due, or it is tested alone. */
const filling = (draft: Draft, submission: Submission): Explained | null => {
  const { pr } = submission;
  const gathering = gatheringOf(draft, submission);
  if (gathering === undefined || gathering.isDue) return null;
  const { members, dueAt } = gathering;
  const condition = conditionOf(draft, submission, gathering);
  const values = {
    it: prOf(pr),
    count: members.length,
    size: activeBatchSize(draft.queue),
    members: prsOf(members),
    until: timeOf(dueAt),
    slot: condition ?? '',
    alone: beginsAlone(draft, submission, gathering)
      ? `; noBatch has ${prOf(pr)} tested by itself at once`
      : '',
  };
  return explained('batch', values, { pr, untilAt: condition === null ? dueAt : null });
};

/** True where a slot is free for it, and another for those of its batch whom it would stand behind. */
const beginsAlone = (draft: Draft, submission: Submission, { members }: Gathered): boolean =>
  slotsLeft(draft, submission) > Number(members[0]?.id !== submission.id) &&
  notBegunAhead(draft, submission).length === 0;

/** What has to be so besides for a batch to be begun when it is due; null where nothing has. */
const conditionOf = (
  draft: Draft,
  submission: Submission,
  { dueAt, dueEarlier }: Gathered,
): string | null => {
  const isLater = (one: Submission) => (gatheringOf(draft, one)?.dueAt ?? Number.POSITIVE_INFINITY) > dueAt;
  const later = notBegunAhead(draft, submission).find(isLater);
  if (later !== undefined) return `, once ${prOf(later.pr)} has begun`;
  return slotsLeft(draft, submission, dueAt) > dueEarlier ? null : IF_FREE;
};

/** With slots to spare only those ahead hold it up. */
const withSlots = (draft: Draft, submission: Submission): Step => {
  const tooFar = beyondStackLimit(draft, submission);
  if (tooFar !== null) return { causes: [tooFar], because: undecided(draft), otherwise: [] };
  return behindThoseNotBegun(draft, submission) ?? endsWith(aboutToDecide(submission));
};
