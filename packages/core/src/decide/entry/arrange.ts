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
import { positionIn } from '../line/positions.js';
import { closeCause, flawOf, isProven, whoMovedFor, whoseDoing } from '../line/proof.js';
import { isBisected, memberOf } from '../line/standpoint.js';
import { isBeingLanded, takeRunFromLanding } from '../moves/landing.js';
import { type Kept, requeue } from '../moves/leave.js';
import { isWithoutRun } from '../moves/retry.js';

/**
 * Who stands behind whom. A run that no longer says what would land is let go of, and its batch waits again. The order matters:
 * once a pull request is not held any more it may be built on, which makes other runs untrue, and what those tested is untested.
 */
export const arrange = (draft: Draft): void => {
  const newcomers = urgentNewcomers(draft);
  freeHeld(draft);
  letGoOfUntrue(draft);
  for (const { id } of [...draft.ordered('begun')]) sendBackUntested(draft, id, newcomers);
};

/** The urgent ones that no test has held yet, before anybody is sent back. */
const urgentNewcomers = (draft: Draft): ReadonlySet<SubmissionId> => {
  const found = new Set<SubmissionId>();
  for (const submission of inFront(draft.ordered('waiting')))
    if (isUrgent(submission)) found.add(submission.id);
  return found;
};

/** A conflict with a submission ahead lasts only as long as that one is undecided. */
const freeHeld = (draft: Draft): void => {
  for (const submission of [...draft.ordered('held')]) {
    const holder = submission.heldBy === null ? undefined : draft.submission(submission.heldBy);
    if (holder === undefined || !isAdmitted(holder) || !isAhead(draft, holder, submission))
      draft.change(submission, { heldBy: null });
  }
};

/** All are looked at before anybody is moved: who is sent back changes where the others stand. */
const letGoOfUntrue = (draft: Draft): void => {
  const untrue = draft.openRuns().flatMap((run) => {
    const flaw = isUpToBlame(run) ? null : untruthOf(draft, run);
    return flaw === null ? [] : [{ run, flaw }];
  });
  if (untrue.length === 0) return;
  const letGo = untrue.filter(({ run }) => takeRunFromLanding(draft, run));
  const batches = letGo.map(({ run, flaw }) => {
    const tested = run.purpose.kind === 'compose' ? [] : draft.membersOf(run);
    return tested.map(({ id }) => ({ id, because: flawTold(draft, run, flaw, id) }));
  });
  for (const { run, flaw } of letGo) draft.closeRun(run, closeCause(run, flaw));
  for (const batch of batches) sendBackTogether(draft, batch);
};

interface Told {
  readonly id: SubmissionId;
  readonly because: FlawTold;
}

/** What each of a batch keeps is found out before any of them is moved: what stands behind one that came back keeps more. */
const sendBackTogether = (draft: Draft, batch: readonly Told[]): void => {
  const untested = batch.flatMap(({ id, because }) => {
    const submission = draft.submission(id);
    if (submission === undefined || draft.runsOf(submission).length > 0) return [];
    if (isProven(draft, submission)) return [];
    const keeps = because.keeps ?? keptAfter(draft, submission, because.reason);
    return [{ submission, because, keeps }];
  });
  for (const { submission, because, keeps } of untested) requeue(draft, submission, because, keeps);
};

interface FlawTold {
  readonly reason: ReasonCode;
  readonly detail: string | null;
  /** Null where that is a matter of the reason. */
  readonly keeps: Kept | null;
}

/**
 * How the flaw of a run is told to one of its batch. One that is not ready any more is told just that, and its mates which one it
 * was; that an urgent one went ahead is told to its mates, and not to itself.
 */
const flawTold = (draft: Draft, run: TestRun, flaw: ReasonCode, id: SubmissionId): FlawTold => {
  const batch = remainingBatch(run);
  const byMate = (mate: Member | undefined, keeps: Kept): FlawTold => ({
    reason: 'PREREQUISITE_MERGE_ITEM_PENDING',
    detail: mate === undefined ? null : `#${mate.pr}`,
    keeps,
  });
  const isReady = (one: SubmissionId) => positionIn(draft, one)?.isInPlay === true;
  if (flaw === 'READINESS_LOST' && isReady(id))
    return byMate(
      batch.find(({ submissionId }) => !isReady(submissionId)),
      'place',
    );
  if (flaw === 'PREREQUISITE_MERGE_ITEM_PENDING')
    return { reason: flaw, detail: whoMovedFor(draft, run, id), keeps: null };
  const detail = whoseDoing(draft, run, flaw);
  const own = batch.find(({ submissionId }) => submissionId === id);
  if (flaw === 'SKIP_THE_LINE_INTERRUPTED' && detail === `#${own?.pr}`)
    return byMate(
      batch.find((one) => one !== own),
      'batch',
    );
  return { reason: flaw, detail, keeps: null };
};

const untruthOf = (draft: Draft, run: TestRun): ReasonCode | null =>
  run.purpose.kind === 'test' || run.purpose.kind === 'isolate'
    ? flawOf(draft, run)
    : flawOfOther(draft, run);

/** What failed, and the parts of a failed batch that have not passed: `blame` and `isolate` say what becomes of them. */
const isUpToBlame = (run: TestRun): boolean =>
  hasFailed(run) || (run.purpose.kind === 'isolate' && run.outcome !== 'passed');

/** A control speaks of its base, also where others land beside it; what was composed has to be all that it was made of. */
const flawOfOther = (draft: Draft, run: TestRun): ReasonCode | null => {
  const isControl = run.purpose.kind === 'control';
  if ((isControl ? run.onto : run.base) !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.purpose.kind !== 'compose') return null;
  const vouchers = run.purpose.vouchers.map((id) => draft.run(id));
  const isVouched = vouchers.every((one) => one !== undefined && isOpenRun(one) && !flawOf(draft, one));
  const keys = new Set(run.batch.map(memberKey));
  const isWhole = draft.membersOf(run).length === keys.size;
  return isVouched && isWhole ? null : 'PREREQUISITE_MERGE_ITEM_PENDING';
};

/** Nobody is under test, or past it, without something that tests it or has proven it. */
const sendBackUntested = (draft: Draft, id: SubmissionId, newcomers: ReadonlySet<SubmissionId>): void => {
  const submission = draft.submission(id);
  if (submission === undefined || isBeingLanded(draft, submission)) return;
  const because = whyUntested(draft, submission, newcomers);
  if (because === null) return;
  for (const run of draft.runsOf(submission)) if (!hasFailed(run)) draft.closeRun(run, 'superseded');
  requeue(draft, submission, because, keptAfter(draft, submission, because.reason));
};

/** Why nothing speaks for it any more, though its state says that something does; null where something does. */
const whyUntested = (
  draft: Draft,
  submission: Submission,
  newcomers: ReadonlySet<SubmissionId>,
): Because | null => {
  switch (submission.state) {
    case 'tests_passed':
      return isProven(draft, submission) ? null : lostProof(draft, submission, newcomers);
    case 'pending_failure':
      return draft.runsOf(submission).length > 0 ? null : { reason: 'PREREQUISITE_MERGE_ITEM_PENDING' };
    case 'testing':
      return draft.runsOf(submission).length > 0 ? null : whyWithoutRun(draft, submission);
    default:
      return null;
  }
};

/** Who has come ahead of it since was not below it in what passed. */
const lostProof = (draft: Draft, { id }: Submission, newcomers: ReadonlySet<SubmissionId>): Because => {
  const stack = positionIn(draft, id)?.stack ?? [];
  const urgent = stack.find(({ submissionId }) => newcomers.has(submissionId));
  if (urgent === undefined) return { reason: 'PROOF_LOST' };
  return { reason: 'SKIP_THE_LINE_INTERRUPTED', detail: `#${urgent.pr}` };
};

/** One that is to be tested again in its place has none until then. */
const whyWithoutRun = (draft: Draft, { id, retryAt }: Submission): Because | null => {
  if (positionIn(draft, id)?.isInPlay !== true) return { reason: 'READINESS_LOST' };
  return retryAt === null ? { reason: 'RUN_NOT_BUILT' } : null;
};

/**
 * Its place is for one who only has to make way, for one whom those behind it would pass because of that, and for one
 * whose batch is being looked into.
 */
const keptAfter = (draft: Draft, submission: Submission, reason: ReasonCode): Kept => {
  if (isBisected(draft, submission)) return 'batch';
  if (reason === 'SKIP_THE_LINE_INTERRUPTED') return 'batch';
  if (reason === 'PREREQUISITE_MERGE_ITEM_PENDING' && isBehindReturned(draft, submission)) return 'batch';
  return reason !== 'READINESS_LOST' && wouldBePassed(draft, submission) ? 'place' : 'nothing';
};

/** Somebody ahead of it has come back to its place, and waits for its test. */
const isBehindReturned = (draft: Draft, { id }: Submission): boolean =>
  (positionIn(draft, id)?.stack ?? []).some(({ submissionId }) => {
    const ahead = draft.submission(submissionId);
    const isBack = ahead?.state === 'pending' && ahead.place !== null;
    return isBack && draft.runsOf(ahead).length === 0;
  });

/** Somebody behind it is tested on top of it, or has passed so, or has made way or holds back, and waits with its place kept. */
const wouldBePassed = (draft: Draft, submission: Submission): boolean => {
  const { place } = submission;
  if (place === null) return false;
  if (isStoodOn(draft, submission)) return true;
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

/** It has made way, or was tested without a verdict; not one who is only now being sent back. */
const isBetweenTests = (draft: Draft, other: Submission): boolean =>
  isWithoutRun(draft, other) && (other.state === 'pending' || other.retryAt !== null);

const isStoodOn = (draft: Draft, submission: Submission): boolean => {
  const member = memberOf(submission);
  return draft
    .openRuns()
    .some((run) => !hasFailed(run) && remainingStack(run).some((one) => isSameMember(one, member)));
};
