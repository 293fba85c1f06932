import type { Draft } from '../decide/draft/draft.js';
import { targetStillAt } from '../decide/moves/moving-base.js';
import { delayedUntil } from '../decide/moves/retry.js';
import { bisectedRuns, doesBisectionHoldLine, slotsForBisections } from '../decide/testing/bisection.js';
import { isFresh } from '../decide/testing/schedule.js';
import { freeSlots, runsInLine } from '../decide/testing/slots.js';
import { activeBatchSize } from '../model/adaptation.js';
import { FEW_SLOTS } from '../model/impacted-targets.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { Submission } from '../model/submission.js';
import { behindThoseNotBegun, beyondStackLimit, firstUndecided, notBegunAhead } from './ahead.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { aboutToDecide, nextAsked, startGate } from './gates.js';
import { type Gathered, gatheringOf } from './gathering.js';
import { IF_FREE, isTestedWithUrgent, slotsLeft, waitForRetry } from './holding-back.js';
import { durationOf, prOf, prsOf, timeOf } from './phrases.js';
import { withoutSlot } from './turn.js';

/**
 * Why no test run has started: the queue starts none, a retry is not due, its batch is not due, no slot is free, or
 * others go first.
 */
export const toStart = (draft: Draft, submission: Submission): ChainStep => {
  const gate = startGate(draft, submission);
  if (gate !== null) return gate;
  const until = delayedUntil(draft, submission);
  if (until !== null) return endOfChain(waitForRetry(draft, submission, until));
  const { exists, head } = draft.queue.target;
  if (!exists || head === null || !isFresh(draft)) return endOfChain(unreadTarget(draft));
  const moving = movingBase(draft, submission);
  if (moving !== null) return endOfChain(moving);
  const bisection = waitForBisection(draft, submission);
  if (bisection !== null) return bisection;
  const step = toHaveItsTurn(draft, submission);
  if (requiredChecksOf(draft.queue) !== null) return step;
  const { pr } = submission;
  return { ...step, causes: [causeOf('required_checks', { it: prOf(pr) }, { pr }), ...step.causes] };
};

/** The wait for an open bisection that keeps it from starting; null without one. */
const waitForBisection = (draft: Draft, submission: Submission): ChainStep | null => {
  if (!doesBisectionHoldLine(draft) || isTestedWithUrgent(draft, submission)) return null;
  const members = bisectedRuns(draft).flatMap((run) => draft.membersOf(run));
  const { concurrency } = draft.queue.settings;
  const values = {
    it: prOf(submission.pr),
    members: prsOf(members),
    slots: concurrency === 1 ? 'one test slot' : `${concurrency} test slots`,
    sooner: isOneEndEnough(draft) ? ' or a test run of the line ends' : '',
    enough: FEW_SLOTS + 1,
    concurrency,
  };
  const causes = [causeOf('bisection_first', values, { pr: members[0]?.pr ?? null })];
  return { causes, waitsOf: members.slice(0, 1), fallback: [] };
};

/** True if the line starts a test once one of its test runs has ended, also while bisections are open. */
const isOneEndEnough = (draft: Draft): boolean =>
  runsInLine(draft).length > 0 && freeSlots(draft) + 1 > slotsForBisections(draft);

const toHaveItsTurn = (draft: Draft, submission: Submission): ChainStep => {
  const filled = filling(draft, submission);
  const hasSlot = slotsLeft(draft, submission) > 0;
  if (filled === null) return hasSlot ? withSlots(draft, submission) : withoutSlot(draft, submission);
  const step = hasSlot ? behindThoseNotBegun(draft, submission) : withoutSlot(draft, submission);
  return step === null ? endOfChain(filled) : { ...step, causes: [filled, ...step.causes] };
};

const unreadTarget = (draft: Draft): ExplainedCause => {
  const { branch, target } = draft.queue;
  const age = durationOf(draft.now - (target.readAt ?? draft.now));
  if (!target.exists) return causeOf('target_branch', { branch, age, deadline: '' });
  const isKnown = target.head !== null && target.readAt !== null;
  const read = isKnown ? `was last read ${age} ago` : 'has not been read yet';
  return causeOf('target_unread', { branch, read, next: nextAsked(draft, 'branch') });
};

/** The wait for a target that keeps moving (the tests would be stale before they end); null if it is still. */
const movingBase = (draft: Draft, { pr }: Submission): ExplainedCause | null => {
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
  return causeOf('moving_base', values, { pr, untilAt: untilAt > draft.now ? untilAt : null });
};

/** The wait for its batch to fill; null if the batch is due or it is tested alone. */
const filling = (draft: Draft, submission: Submission): ExplainedCause | null => {
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
    alone: beginsAlone(draft, submission, gathering) ? `; to test ${prOf(pr)} alone now, set noBatch` : '',
  };
  return causeOf('batch', values, { pr, untilAt: condition === null ? dueAt : null });
};

/** True if a slot is free for it, and another for the members of its batch that it would be behind. */
const beginsAlone = (draft: Draft, submission: Submission, { members }: Gathered): boolean =>
  slotsLeft(draft, submission) > Number(members[0]?.id !== submission.id) &&
  notBegunAhead(draft, submission).length === 0;

/** The condition under which the batch starts when it is due; null without one. */
const conditionOf = (
  draft: Draft,
  submission: Submission,
  { dueAt, dueEarlier }: Gathered,
): string | null => {
  const isLater = (one: Submission) => (gatheringOf(draft, one)?.dueAt ?? Number.POSITIVE_INFINITY) > dueAt;
  const later = notBegunAhead(draft, submission).find(isLater);
  if (later !== undefined) return `, once ${prOf(later.pr)} has started`;
  return slotsLeft(draft, submission, dueAt) > dueEarlier ? null : IF_FREE;
};

/** With a free slot, only pull requests ahead block it. */
const withSlots = (draft: Draft, submission: Submission): ChainStep => {
  const tooFar = beyondStackLimit(draft, submission);
  if (tooFar !== null) return { causes: [tooFar], waitsOf: firstUndecided(draft), fallback: [] };
  return behindThoseNotBegun(draft, submission) ?? endOfChain(aboutToDecide(submission));
};
