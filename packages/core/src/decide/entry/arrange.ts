import type { SubmissionId } from '../../model/ids.js';
import type { ReasonCode } from '../../model/reasons.js';
import {
  hasFailed,
  isOpenRun,
  isSameMember,
  type Member,
  memberKey,
  remainingBatch,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import { isAdmitted, isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import type { Because } from '../draft/history-rows.js';
import { inFront, isAhead } from '../line/line.js';
import { holdsOnlyDirect, isBisected, mayShareCandidate, memberOf } from '../line/placement-input.js';
import { positionIn } from '../line/positions.js';
import { causeOfMove, causeOfStaleness, closeCause, isProven, staleReasonOf } from '../line/proof.js';
import { isBeingLanded, takeRunFromLanding } from '../moves/landing.js';
import { type Keeps, requeue } from '../moves/leave.js';
import { isWithoutRun } from '../moves/retry.js';

/**
 * Compares every test run with the line. Closes those that are stale, and requeues their batches. The order matters: a
 * pull request that is freed from a conflict may be stacked on again, which makes other runs stale, and closed runs
 * leave their members untested.
 */
export const arrange = (draft: Draft): void => {
  const newUrgents = urgentNewcomers(draft);
  endConflicts(draft);
  closeStaleRuns(draft);
  for (const { id } of [...draft.ordered('begun')]) requeueUntested(draft, id, newUrgents);
};

/** Urgent pull requests that no test has included yet. Taken before anything is requeued. */
const urgentNewcomers = (draft: Draft): ReadonlySet<SubmissionId> => {
  const newcomers = new Set<SubmissionId>();
  for (const submission of inFront(draft.ordered('waiting')))
    if (isUrgent(submission)) newcomers.add(submission.id);
  return newcomers;
};

/** A conflict with a pull request ahead lasts only while a candidate may hold both. */
const endConflicts = (draft: Draft): void => {
  for (const submission of [...draft.ordered('held')]) {
    const holder = submission.heldBy === null ? undefined : draft.submission(submission.heldBy);
    if (holder === undefined || !isAdmitted(holder) || !isInTheWay(draft, holder, submission))
      draft.change(submission, { heldBy: null });
  }
};

const isInTheWay = (draft: Draft, holder: Submission, submission: Submission): boolean =>
  isAhead(draft, holder, submission) && mayShareCandidate(draft, holder, submission);

/** All runs are compared before any is closed, because a requeue changes the stacks of others. */
const closeStaleRuns = (draft: Draft): void => {
  const staleRuns = draft.openRuns().flatMap((run) => {
    const staleReason = isSettledByVerdicts(run) ? null : staleReasonOfRun(draft, run);
    return staleReason === null ? [] : [{ run, staleReason }];
  });
  if (staleRuns.length === 0) return;
  const closable = staleRuns.filter(({ run }) => takeRunFromLanding(draft, run));
  const batches = closable.map(({ run, staleReason }) => {
    const tested = run.purpose.kind === 'compose' ? [] : draft.membersOf(run);
    return tested.map(({ id }) => ({ id, because: requeueReasonOf(draft, run, staleReason, id) }));
  });
  for (const { run, staleReason } of closable) draft.closeRun(run, closeCause(run, staleReason));
  for (const batch of batches) requeueTogether(draft, batch);
};

interface Requeued {
  readonly id: SubmissionId;
  readonly because: RequeueReason;
}

/**
 * Determines what each member keeps before any of them is requeued: a requeued member would let those behind it keep
 * more.
 */
const requeueTogether = (draft: Draft, batch: readonly Requeued[]): void => {
  const untested = batch.flatMap(({ id, because }) => {
    const submission = draft.submission(id);
    if (submission === undefined || draft.runsOf(submission).length > 0) return [];
    if (isProven(draft, submission)) return [];
    const keeps = because.keeps ?? keepsAfter(draft, submission, because.reason);
    return [{ submission, because, keeps }];
  });
  for (const { submission, because, keeps } of untested) requeue(draft, submission, because, keeps);
};

interface RequeueReason {
  readonly reason: ReasonCode;
  readonly detail: string | null;
  /** Null if it follows from the reason. */
  readonly keeps: Keeps | null;
}

/**
 * The reason for one member of a stale run. If one member is the cause (it lost its readiness, or went ahead as urgent),
 * the other members get its number as the reason.
 */
const requeueReasonOf = (
  draft: Draft,
  run: TestRun,
  staleReason: ReasonCode,
  id: SubmissionId,
): RequeueReason => {
  const batch = remainingBatch(run);
  const becauseOfMate = (batchMate: Member | undefined, keeps: Keeps): RequeueReason => ({
    reason: 'PREREQUISITE_MERGE_ITEM_PENDING',
    detail: batchMate === undefined ? null : `#${batchMate.pr}`,
    keeps,
  });
  const isReady = (one: SubmissionId) => positionIn(draft, one)?.mayBeTested === true;
  if (staleReason === 'READINESS_LOST' && isReady(id))
    return becauseOfMate(
      batch.find(({ submissionId }) => !isReady(submissionId)),
      'place',
    );
  if (staleReason === 'PREREQUISITE_MERGE_ITEM_PENDING')
    return { reason: staleReason, detail: causeOfMove(draft, run, id), keeps: null };
  const detail = causeOfStaleness(draft, run, staleReason);
  const ownMember = batch.find(({ submissionId }) => submissionId === id);
  if (staleReason === 'SKIP_THE_LINE_INTERRUPTED' && detail === `#${ownMember?.pr}`)
    return becauseOfMate(
      batch.find((one) => one !== ownMember),
      'batch',
    );
  return { reason: staleReason, detail, keeps: null };
};

const staleReasonOfRun = (draft: Draft, run: TestRun): ReasonCode | null =>
  run.purpose.kind === 'test' || run.purpose.kind === 'isolate'
    ? staleReasonOf(draft, run)
    : staleReasonOfOther(draft, run);

/** A failed run, or a prefix run that has not passed: `blame` and `bisect` decide about these. */
const isSettledByVerdicts = (run: TestRun): boolean =>
  hasFailed(run) || (run.purpose.kind === 'isolate' && run.outcome !== 'passed');

/**
 * A baseline run stays valid while pull requests land beside it. A combined candidate is stale once one of its runs
 * is.
 */
const staleReasonOfOther = (draft: Draft, run: TestRun): ReasonCode | null => {
  const isBaseline = run.purpose.kind === 'control';
  if ((isBaseline ? run.onto : run.base) !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.purpose.kind !== 'compose') return null;
  const vouchers = run.purpose.vouchers.map((id) => draft.run(id));
  const isVouched = vouchers.every(
    (one) => one !== undefined && isOpenRun(one) && !staleReasonOf(draft, one),
  );
  const keys = new Set(run.batch.map(memberKey));
  const isWhole = draft.membersOf(run).length === keys.size;
  return isVouched && isWhole ? null : 'PREREQUISITE_MERGE_ITEM_PENDING';
};

/** Requeues a submission that counts as tested, or as under test, without a run that tests or proves it. */
const requeueUntested = (draft: Draft, id: SubmissionId, newUrgents: ReadonlySet<SubmissionId>): void => {
  const submission = draft.submission(id);
  if (submission === undefined || isBeingLanded(draft, submission)) return;
  const because = whyUntested(draft, submission, newUrgents);
  if (because === null) return;
  for (const run of draft.runsOf(submission)) if (!hasFailed(run)) draft.closeRun(run, 'superseded');
  requeue(draft, submission, because, keepsAfter(draft, submission, because.reason));
};

/** Why no run stands for the state of a submission; null if one does. */
const whyUntested = (
  draft: Draft,
  submission: Submission,
  newUrgents: ReadonlySet<SubmissionId>,
): Because | null => {
  switch (submission.state) {
    case 'tests_passed':
      return isProven(draft, submission) ? null : reasonOfLostProof(draft, submission, newUrgents);
    case 'pending_failure':
      return draft.runsOf(submission).length > 0 ? null : { reason: 'PREREQUISITE_MERGE_ITEM_PENDING' };
    case 'testing':
      return draft.runsOf(submission).length > 0 ? null : whyWithoutRun(draft, submission);
    default:
      return null;
  }
};

/** If an urgent pull request came ahead, that is the reason: the submission passed without it. */
const reasonOfLostProof = (
  draft: Draft,
  { id }: Submission,
  newUrgents: ReadonlySet<SubmissionId>,
): Because => {
  const stack = positionIn(draft, id)?.stack ?? [];
  const urgent = stack.find(({ submissionId }) => newUrgents.has(submissionId));
  if (urgent === undefined) return { reason: 'PROOF_LOST' };
  return { reason: 'SKIP_THE_LINE_INTERRUPTED', detail: `#${urgent.pr}` };
};

/** A submission that waits for its retry has no run, and stays in its place. */
const whyWithoutRun = (draft: Draft, { id, retryAt }: Submission): Because | null => {
  if (positionIn(draft, id)?.mayBeTested !== true) return { reason: 'READINESS_LOST' };
  return retryAt === null ? { reason: 'RUN_NOT_BUILT' } : null;
};

/**
 * A submission keeps its place if it only waits for an urgent pull request, if pull requests behind would otherwise
 * overtake it, or while its batch is under bisection.
 */
const keepsAfter = (draft: Draft, submission: Submission, reason: ReasonCode): Keeps => {
  if (isBisected(draft, submission)) return 'batch';
  if (reason === 'SKIP_THE_LINE_INTERRUPTED') return 'batch';
  if (reason === 'PREREQUISITE_MERGE_ITEM_PENDING' && isBehindRequeued(draft, submission)) return 'batch';
  if (reason === 'READINESS_LOST') return 'nothing';
  // Without its place it would depend on every overlapping pull request that has begun, and not only on those ahead.
  if (holdsOnlyDirect(draft) && submission.suspectedBy === null) return 'place';
  return wouldBeOvertaken(draft, submission) ? 'place' : 'nothing';
};

/** True if a pull request ahead of it was requeued in its place and waits for its test. */
const isBehindRequeued = (draft: Draft, { id }: Submission): boolean =>
  (positionIn(draft, id)?.stack ?? []).some(({ submissionId }) => {
    const ahead = draft.submission(submissionId);
    const isRequeued = ahead?.state === 'pending' && ahead.place !== null;
    return isRequeued && draft.runsOf(ahead).length === 0;
  });

/** True if a pull request behind it is under test or has passed on top of it, or keeps its place for another test. */
const wouldBeOvertaken = (draft: Draft, submission: Submission): boolean => {
  const { place } = submission;
  if (place === null) return false;
  if (isTestedUnderOthers(draft, submission)) return true;
  for (const other of draft.ordered('begun'))
    if (
      other.place !== null &&
      other.place > place &&
      isBetweenTests(draft, other) &&
      !isBisected(draft, other)
    )
      return true;
  return false;
};

/** True if it was preempted, or waits for a retry after an inconclusive test run. */
const isBetweenTests = (draft: Draft, other: Submission): boolean =>
  isWithoutRun(draft, other) && (other.state === 'pending' || other.retryAt !== null);

const isTestedUnderOthers = (draft: Draft, submission: Submission): boolean => {
  const member = memberOf(submission);
  return draft
    .openRuns()
    .some((run) => !hasFailed(run) && remainingStack(run).some((one) => isSameMember(one, member)));
};
