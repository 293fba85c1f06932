import type { ReasonCode } from '../../model/reasons.js';
import {
  type CloseCause,
  hasFailed,
  isOpenRun,
  isSameMember,
  type Member,
  remainingBatch,
  type TestRun,
} from '../../model/run.js';
import { clearsItsPart } from '../../model/run-evidence.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { positionIn } from '../line/positions.js';
import { closeCause, doesVouchForStack, isProven, whatBecameOf, whoseDoing } from '../line/proof.js';
import { memberOf } from '../line/standpoint.js';
import { isLandedBy, takeRunFromLanding } from '../moves/landing.js';
import { requeue, requeueUnlessTested } from '../moves/leave.js';
import { delayAfter } from '../moves/retry.js';
import {
  type BisectedRun,
  bisectedRuns,
  isPart,
  isRestUntested,
  lengthOf,
  type Part,
  partsOf,
} from '../testing/bisection.js';
import { doesStillCount } from './conclude.js';
import { failCulprit } from './culprit.js';
import { passReason } from './judge.js';
import { failsByItself } from './tip.js';

/**
 * Which of a failed batch is to blame. Its parts are beginnings of it, in queue order, on the base that it failed on: what
 * passes is cleared with everything before it, what fails bounds the rest, and what follows from either is not tested.
 */
export const bisect = (draft: Draft): void => {
  for (const run of bisectedRuns(draft)) {
    const flaw = flawOfIsolation(draft, run);
    if (flaw === null) narrow(draft, learn(draft, run));
    else stopLooking(draft, run, flaw);
  }
  for (const part of draft.openRuns().filter(isPart))
    if (isOrphaned(draft, part) && takeRunFromLanding(draft, part)) letGoOfOrphan(draft, part);
};

/** True for a part of a batch that is no longer looked into, because one of it left, if it does not vouch for its members. */
const isOrphaned = (draft: Draft, part: Part): boolean => {
  const failed = draft.run(part.purpose.failed);
  if (failed !== undefined && isOpenRun(failed)) return false;
  return !draft.membersOf(part).every((submission) => isCleared(draft, submission));
};

const letGoOfOrphan = (draft: Draft, part: Part): void => {
  const failed = draft.run(part.purpose.failed);
  const gone =
    failed && remainingBatch(failed).find((member) => draft.liveSubmission(member.pr) === undefined);
  const reason = gone === undefined ? 'PREREQUISITE_MERGE_ITEM_PENDING' : whatBecameOf(draft, gone);
  const because = { reason, detail: gone === undefined ? null : `#${gone.pr}`, runId: part.id };
  const members = draft.membersOf(part);
  draft.closeRun(part, 'isolated');
  for (const { id } of members) requeueUnlessTested(draft, id, because);
};

/** Why it no longer matters which of them it was: what they were tested on, or one of them, is gone. */
const flawOfIsolation = (draft: Draft, run: BisectedRun): ReasonCode | null => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.method !== draft.queue.settings.mergeMethod) return 'MERGE_METHOD_CHANGED';
  if (!doesStillCount(draft, run)) return 'REQUIRED_STATUSES_CHANGED';
  const { passed, failedBy } = run.bisection;
  if (passed === 0 && failsByItself(draft, draft.run(failedBy) ?? run)) return 'BASE_BROKEN';
  for (const member of remainingBatch(run)) {
    const submission = draft.submission(member.submissionId);
    if (submission === undefined || !isSameMember(memberOf(submission), member))
      return whatBecameOf(draft, member);
    if (submission.heldBy !== null || submission.asideSince !== null) return 'READINESS_LOST';
  }
  return null;
};

/** What the parts that have ended say. A pass is final: whatever failed before it is no longer believed. */
const learn = (draft: Draft, run: BisectedRun): BisectedRun => {
  const ended = partsOf(draft, run).filter((part) => part.state === 'ended');
  const unclear = ended.filter((part) => part.outcome !== 'passed' && !hasFailed(part));
  for (const part of unclear) draft.closeRun(part, 'judged');
  const passes = ended.filter(clearsItsPart).map((part) => lengthOf(run, part));
  const passed = Math.max(run.bisection.passed, ...passes);
  const bound = boundOf(run, ended.filter(hasFailed), passed);
  const retries = run.bisection.retries + unclear.length;
  const retryAt = unclear.length > 0 ? draft.now + delayAfter(draft, retries) : run.bisection.retryAt;
  const bisection = { ...run.bisection, ...bound, passed, retries, retryAt };
  const isNews =
    bound.failedBy !== run.bisection.failedBy || passed !== run.bisection.passed || unclear.length > 0;
  if (!isNews) return run;
  return { ...draft.changeRun(run, { bisection }), bisection };
};

/**
 * The shortest beginning longer than what passed that is known to fail, by a run that still says so. Of two that end with the
 * same one, the evidence of less says more.
 */
const boundOf = (run: TestRun, failedParts: readonly TestRun[], passed: number) => {
  let bound = { failed: run.batch.length, failedBy: run.id, tested: run.batch.length };
  for (const part of failedParts) {
    const [length, tested] = [lengthOf(run, part), part.batch.length];
    const isTighter = length < bound.failed || (length === bound.failed && tested < bound.tested);
    if (length > passed && isTighter) bound = { failed: length, failedBy: part.id, tested };
  }
  return { failed: bound.failed, failedBy: bound.failedBy };
};

/** Acts on what is known by now: clears who has passed, and convicts the one who is left, or gives up. */
const narrow = (draft: Draft, run: BisectedRun): void => {
  const { passed, parts, retries } = run.bisection;
  if (passed >= run.batch.length) return testAlone(draft, run, 'BISECTION_INCONCLUSIVE');
  clear(draft, run);
  const culprit = culpritOf(draft, run);
  letGoOfMoot(draft, run, culprit);
  if (culprit !== undefined) {
    accuse(draft, run, culprit);
    // Nothing may have become of it yet: then it waits like the others.
    return sendBackUntested(draft, run);
  }
  if (endBySilence(draft, run)) return;
  const { retryLimit, isolationRunLimit } = draft.context.pace;
  if (retries > retryLimit) testAlone(draft, run, 'BISECTION_INTERRUPTED');
  else if (parts >= isolationRunLimit && partsOf(draft, run).every((part) => part.state === 'ended'))
    testAlone(draft, run, 'BISECTION_LIMIT_REACHED');
};

/** Passed parts that say nothing, since what the batch had failed was skipped in them, of what is still in question. */
const silentPartsOf = (draft: Draft, run: BisectedRun): readonly TestRun[] => {
  const { passed, failed } = run.bisection;
  return partsOf(draft, run).filter((part) => {
    const length = lengthOf(run, part);
    return part.outcome === 'passed' && !clearsItsPart(part) && length > passed && length < failed;
  });
};

/** Ends a bisection in which a part says nothing once no other part is under test. Its members are tested alone. */
const endBySilence = (draft: Draft, run: BisectedRun): boolean => {
  const silent = silentPartsOf(draft, run);
  if (silent.length === 0 || partsOf(draft, run).some((part) => part.state !== 'ended')) return false;
  const prs = new Set(silent.flatMap(({ batch }) => batch.map(({ pr }) => pr)));
  for (const submission of stopLooking(draft, run, 'BISECTION_SKIPPED', 'isolation_skipped'))
    if (prs.has(submission.pr)) draft.change(submission, { alone: true });
  return true;
};

/** The only one between what passed and what failed; not before a test of its own, where nothing may be inferred. */
const culpritOf = (draft: Draft, run: BisectedRun): Member | undefined => {
  const { passed, failed } = run.bisection;
  const culprit = run.batch[failed - 1];
  return failed - passed === 1 && !isRestUntested(draft, run) ? culprit : undefined;
};

const accuse = (draft: Draft, run: BisectedRun, { submissionId }: Member): void => {
  const { passed, failedBy } = run.bisection;
  const submission = draft.submission(submissionId);
  const evidence = draft.run(failedBy) ?? run;
  const isInferred = evidence.batch.length > 1;
  if (submission !== undefined)
    failCulprit(draft, submission, evidence, {
      isTipSound: passed > 0,
      ...(isInferred ? { reason: 'TEST_RUN_FAILED_BY_OPTIMIZATION' } : {}),
    });
};

/** Parts that can tell nothing more; their members wait again, but for the one who is accused of it. */
const letGoOfMoot = (draft: Draft, run: BisectedRun, culprit: Member | undefined): void => {
  const { passed, failed, failedBy } = run.bisection;
  const silent = silentPartsOf(draft, run);
  const parts = partsOf(draft, run);
  const longest = parts.find((part) => clearsItsPart(part) && lengthOf(run, part) === passed);
  // What was skipped in the longest one leaves those before it to the parts that cleared them.
  const isLongestEnough = longest === undefined || doesVouchForStack(draft, longest);
  for (const part of parts) {
    const length = lengthOf(run, part);
    const isProof = clearsItsPart(part) && (length === passed || (length < passed && !isLongestEnough));
    const isEvidence = part.id === failedBy || isProof || silent.includes(part);
    // Up to what failed: that the rest fails by itself is tested where it may not be inferred.
    const isAwaited = part.state !== 'ended' && length > passed && length <= failed;
    if (!isEvidence && !isAwaited && !isLandedBy(draft, part)) draft.closeRun(part, 'isolated');
  }
  sendBackUntested(draft, run, culprit);
};

const sendBackUntested = (draft: Draft, run: BisectedRun, except?: Member): void => {
  const { passed } = run.bisection;
  const underTest = partsOf(draft, run).filter((part) => part.state !== 'ended');
  const tested = new Set(underTest.flatMap((part) => part.batch.map(({ pr }) => pr)));
  const cleared = new Set(run.batch.slice(0, passed).map(({ pr }) => pr));
  for (const submission of draft.membersOf(run))
    if (submission.state === 'testing' && !tested.has(submission.pr) && submission.pr !== except?.pr) {
      const reason = cleared.has(submission.pr) ? 'BISECTION_TEST_RUN_PASSED' : 'BISECTION_REQUIRED';
      requeue(draft, submission, { reason, runId: run.id }, 'batch');
    }
};

/** What has passed on the present tip may land at once; on a tip that was overtaken it has to wait for the rest. */
const clear = (draft: Draft, run: BisectedRun): void => {
  const { passed } = run.bisection;
  const part = partsOf(draft, run).find((one) => clearsItsPart(one) && lengthOf(run, one) === passed);
  const last = run.batch[passed - 1];
  if (part === undefined || last === undefined || run.overtakenBy !== null) return;
  if (!standsOnItsOwn(draft, run, last)) return;
  for (const member of run.batch.slice(0, passed)) {
    const submission = draft.submission(member.submissionId);
    if (submission?.state === 'pending' || submission?.state === 'testing')
      draft.move(submission, 'tests_passed', { reason: passReason(part), runId: part.id });
  }
};

/** True where nobody but those of its batch stands ahead of this one. */
const standsOnItsOwn = (draft: Draft, run: TestRun, { submissionId }: Member): boolean =>
  othersAhead(draft, run, submissionId)?.length === 0;

/** Who stands ahead of one of a batch without being of it; null where that is not known, or they are too many. */
export const othersAhead = (
  draft: Draft,
  { batch }: TestRun,
  submissionId: Member['submissionId'],
): readonly Member[] | null => {
  const position = positionIn(draft, submissionId);
  if (position === undefined || position.isTooDeep) return null;
  const own = new Set(batch.map(({ pr }) => pr));
  return position.stack.filter(({ pr }) => !own.has(pr));
};

/** What came to nothing, as it is on record: whoever waits already makes no move that would say so. */
const inVain = {
  BISECTION_INCONCLUSIVE: 'isolation_inconclusive',
  BISECTION_LIMIT_REACHED: 'isolation_limit',
  BISECTION_INTERRUPTED: 'isolation_interrupted',
} as const satisfies Partial<Record<ReasonCode, CloseCause>>;

/** It came to nothing: each of them is tested alone for the rest of its attempt. */
const testAlone = (draft: Draft, run: BisectedRun, reason: keyof typeof inVain): void => {
  for (const submission of stopLooking(draft, run, reason, inVain[reason]))
    draft.change(submission, { alone: true });
};

/** Ends it without blaming anybody; who is to be tested again, all but those who have been cleared. */
const stopLooking = (
  draft: Draft,
  run: BisectedRun,
  reason: ReasonCode,
  cause: CloseCause = closeCause(run, reason),
): readonly Submission[] => {
  draft.closeRun(run, cause);
  const members = draft.membersOf(run).filter((submission) => !isCleared(draft, submission));
  const told = members.map((submission) => ({ submission, ...toldOfEnd(draft, run, reason, submission) }));
  return told.map(({ submission, reason, detail }) =>
    draft.change(requeue(draft, submission, { reason, detail, runId: run.id }, 'place'), {
      reason,
      reasonDetail: detail,
    }),
  );
};

/** Who is not ready any more, or conflicts, is told that, and the others who of them it is. */
const toldOfEnd = (
  draft: Draft,
  run: TestRun,
  reason: ReasonCode,
  { asideSince, heldBy, ...own }: Submission,
) => {
  if (reason !== 'READINESS_LOST') return { reason, detail: whoseDoing(draft, run, reason) };
  if (asideSince !== null) return { reason, detail: null };
  if (heldBy !== null && own.reason !== null) return { reason: own.reason, detail: own.reasonDetail };
  const other = draft.membersOf(run).find((one) => one.asideSince !== null || one.heldBy !== null);
  return {
    reason: 'PREREQUISITE_MERGE_ITEM_PENDING',
    detail: other === undefined ? null : `#${other.pr}`,
  } as const;
};

const isCleared = (draft: Draft, submission: Submission): boolean =>
  submission.state === 'tests_passed' && isProven(draft, submission);
