import type { ReasonCode } from '../model/reasons.js';
import {
  type CloseCause,
  hasFailed,
  isSameMember,
  memberKey,
  type Run,
  remainingStack,
} from '../model/run.js';
import { isAdmitted, type Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { holdBackLanding, isBeingLanded, isLandedBy } from './landing.js';
import { type Kept, sendBack } from './leave.js';
import { isAhead } from './line.js';
import { isIsolated, memberOf, positionIn } from './positions.js';
import { flawOf, isProven, whoIsGone } from './proof.js';

/** Who stands behind whom. A run that no longer says what would land is let go of, and its batch waits again. */
export const arrange = (draft: Draft): void => {
  releaseHeld(draft);
  letGoOfUntrue(draft);
  for (const submission of [...draft.ordered('begun')]) keepTested(draft, submission);
};

/** A conflict with a submission ahead lasts only as long as that one is undecided. */
const releaseHeld = (draft: Draft): void => {
  for (const submission of [...draft.ordered('held')]) {
    const holder = submission.heldBy === null ? undefined : draft.submission(submission.heldBy);
    if (holder === undefined || !isAdmitted(holder) || !isAhead(draft, holder, submission))
      draft.change(submission, { heldBy: null });
  }
};

/** All are looked at before anybody is moved: who is sent back changes where the others stand. */
const letGoOfUntrue = (draft: Draft): void => {
  const untrue = draft.openRuns().flatMap((run) => {
    const flaw = isJudged(run) ? null : flawIn(draft, run);
    return flaw === null ? [] : [{ run, flaw }];
  });
  const left = untrue.filter(({ run }) => !isLandedBy(draft, run) || holdBackLanding(draft));
  const members = left.flatMap(({ run, flaw }) => {
    const tested = run.purpose.kind === 'compose' ? [] : draft.membersOf(run);
    const because = { reason: flaw, detail: whoIsGone(draft, run, flaw) };
    return tested.map(({ id }) => ({ id, because }));
  });
  for (const { run, flaw } of left)
    draft.closeRun(run, flaw === 'MANUAL_PUSH_TO_TARGET_BRANCH' ? 'target_moved' : closeCause(run));
  for (const { id, because } of members) {
    const submission = draft.submission(id);
    if (submission === undefined || submission.state === 'pending_failure') continue;
    if (draft.runsOf(submission).length > 0 || isProven(draft, submission)) continue;
    sendBack(draft, submission, because, keptAfter(draft, submission, because.reason));
  }
};

const flawIn = (draft: Draft, run: Run): ReasonCode | null =>
  run.purpose.kind === 'test' || isPassedPart(run) ? flawOf(draft, run) : flawOfOther(draft, run);

const closeCause = (run: Run): CloseCause => (run.purpose.kind === 'isolate' ? 'isolated' : 'superseded');

/** What becomes of these is a matter of blame and isolation. */
const isJudged = (run: Run): boolean =>
  hasFailed(run) || run.isolation !== null || (run.purpose.kind === 'isolate' && !isPassedPart(run));

const isPassedPart = ({ purpose, outcome }: Run): boolean =>
  purpose.kind === 'isolate' && outcome === 'passed';

/** A control speaks of one tip only; what was composed has to be all that it was made of. */
const flawOfOther = (draft: Draft, run: Run): ReasonCode | null => {
  if (run.base !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.purpose.kind !== 'compose') return null;
  const vouchers = run.purpose.vouchers.map((id) => draft.run(id));
  const isVouched = vouchers.every(
    (one) => one !== undefined && one.closedAt === null && !flawOf(draft, one),
  );
  const keys = new Set(run.batch.map(memberKey));
  const isWhole = draft.membersOf(run).length === keys.size;
  return isVouched && isWhole ? null : 'PREREQUISITE_MERGE_ITEM_PENDING';
};

/** Nobody is under test, or past it, without something that tests it or has proven it. */
const keepTested = (draft: Draft, { id }: Submission): void => {
  const submission = draft.submission(id);
  if (submission === undefined || isBeingLanded(draft, submission)) return;
  if (submission.state === 'tests_passed') {
    if (!isProven(draft, submission)) sendBackFrom(draft, submission, 'PROOF_LOST');
    return;
  }
  if (submission.state === 'pending_failure' && draft.runsOf(submission).length === 0)
    return sendBackFrom(draft, submission, 'PREREQUISITE_MERGE_ITEM_PENDING');
  if (submission.state !== 'testing' || draft.runsOf(submission).length > 0) return;
  const isInPlay = positionIn(draft, id)?.isInPlay ?? false;
  if (isInPlay && submission.retryAt !== null) return;
  sendBackFrom(draft, submission, isInPlay ? 'RUN_NOT_BUILT' : 'READINESS_LOST');
};

const sendBackFrom = (draft: Draft, submission: Submission, reason: ReasonCode): void => {
  for (const run of draft.runsOf(submission))
    if (!hasFailed(run) && run.isolation === null) draft.closeRun(run, 'superseded');
  sendBack(draft, submission, { reason }, keptAfter(draft, submission, reason));
};

/**
 * Its place is for one who only has to make way, for one whom those behind it would pass because of that, and for one
 * whose batch is being looked into.
 */
const keptAfter = (draft: Draft, submission: Submission, reason: ReasonCode): Kept => {
  if (isIsolated(draft, submission)) return 'batch';
  if (reason === 'SKIP_THE_LINE_INTERRUPTED') return 'batch';
  return reason !== 'READINESS_LOST' && wouldBePassed(draft, submission) ? 'place' : 'nothing';
};

/** Somebody behind it has made way, and waits with its place kept, or goes on being tested on top of it. */
const wouldBePassed = (draft: Draft, submission: Submission): boolean => {
  const { place } = submission;
  if (place === null) return false;
  if (isStoodOn(draft, submission)) return true;
  for (const other of draft.ordered('begun'))
    if (
      other.place !== null &&
      other.place > place &&
      other.state === 'pending' &&
      draft.runsOf(other).length === 0 &&
      !isIsolated(draft, other)
    )
      return true;
  return false;
};

const isStoodOn = (draft: Draft, submission: Submission): boolean => {
  const member = memberOf(submission);
  return draft
    .openRuns()
    .some((run) => run.state !== 'ended' && remainingStack(run).some((one) => isSameMember(one, member)));
};
