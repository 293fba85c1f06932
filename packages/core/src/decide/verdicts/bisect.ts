import type { ReasonCode } from '../../model/reasons.js';
import {
  type CloseCause,
  failedChecksOf,
  isOpenRun,
  isSameMember,
  type Member,
  remainingBatch,
  type TestRun,
} from '../../model/run.js';
import { clearsItsPart } from '../../model/run-evidence.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { memberOf } from '../line/placement-input.js';
import { positionIn } from '../line/positions.js';
import { causeOfStaleness, closeCause, isProven, provesStack, reasonOfAbsence } from '../line/proof.js';
import { isLandedBy, takeRunFromLanding } from '../moves/landing.js';
import { requeue, requeueUnlessTested } from '../moves/leave.js';
import {
  type BisectedRun,
  bisectedRuns,
  isPrefixRun,
  isRestUntested,
  type PrefixRun,
  prefixLengthOf,
  prefixRunsOf,
} from '../testing/bisection.js';
import { failsByItself } from './baseline-runs.js';
import { takeInResults } from './bisection-results.js';
import { doesStillCount } from './conclude.js';
import { failCulprit } from './culprit.js';
import { passReason } from './judge.js';

/**
 * Searches for the culprit of each failed batch. It tests prefixes of the batch, in queue order, on the base on which
 * the batch failed. A prefix that passes clears its members, a prefix that fails bounds the search, and tests whose
 * result follows from these are skipped.
 */
export const bisect = (draft: Draft): void => {
  for (const run of bisectedRuns(draft)) {
    const staleReason = staleReasonOfBisection(draft, run);
    if (staleReason === null) narrow(draft, takeInResults(draft, run));
    else endBisection(draft, run, staleReason);
  }
  for (const prefixRun of draft.openRuns().filter(isPrefixRun))
    if (isOrphaned(draft, prefixRun) && takeRunFromLanding(draft, prefixRun)) closeOrphan(draft, prefixRun);
};

/** True for a prefix run whose bisection has ended because a member left, unless all its members have passed. */
const isOrphaned = (draft: Draft, prefixRun: PrefixRun): boolean => {
  const failed = draft.run(prefixRun.purpose.failed);
  if (failed !== undefined && isOpenRun(failed)) return false;
  return !draft.membersOf(prefixRun).every((submission) => isCleared(draft, submission));
};

const closeOrphan = (draft: Draft, prefixRun: PrefixRun): void => {
  const failed = draft.run(prefixRun.purpose.failed);
  const goneMember =
    failed && remainingBatch(failed).find((member) => draft.liveSubmission(member.pr) === undefined);
  const reason =
    goneMember === undefined ? 'PREREQUISITE_MERGE_ITEM_PENDING' : reasonOfAbsence(draft, goneMember);
  const because = {
    reason,
    detail: goneMember === undefined ? null : `#${goneMember.pr}`,
    runId: prefixRun.id,
  };
  const members = draft.membersOf(prefixRun);
  draft.closeRun(prefixRun, 'isolated');
  for (const { id } of members) requeueUnlessTested(draft, id, because);
};

/** Why the bisection is stale: its base or one of its members has changed. Null while it is not. */
const staleReasonOfBisection = (draft: Draft, run: BisectedRun): ReasonCode | null => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.method !== draft.queue.settings.mergeMethod) return 'MERGE_METHOD_CHANGED';
  if (!doesStillCount(draft, run)) return 'REQUIRED_STATUSES_CHANGED';
  if (!isBaseVouchedFor(draft, run) && failsByItself(draft, evidenceAgainstCulprit(draft, run)))
    return 'BASE_BROKEN';
  for (const member of remainingBatch(run)) {
    const submission = draft.submission(member.submissionId);
    if (submission === undefined || !isSameMember(memberOf(submission), member))
      return reasonOfAbsence(draft, member);
    if (submission.heldBy !== null || submission.asideSince !== null) return 'READINESS_LOST';
  }
  return null;
};

/**
 * Clears the members that have passed, and fails the culprit once one member is left. Gives up if that is not possible.
 */
const narrow = (draft: Draft, run: BisectedRun): void => {
  const { passed, parts: runCount, retries } = run.bisection;
  if (passed >= run.batch.length) return testAlone(draft, run, 'BISECTION_INCONCLUSIVE');
  clearPassed(draft, run);
  const culprit = culpritOf(draft, run);
  closeMootRuns(draft, run, culprit);
  if (culprit !== undefined) {
    const below = unprovenBelowCulprit(draft, run);
    // Members that cannot land before the rest of the batch are tested alone, so that the wait ends.
    if (below.some((submission) => !isCleared(draft, submission))) return endAsSkipped(draft, run, below);
    if (below.length === 0) failCulpritOf(draft, run, culprit);
    // The culprit may not be failed yet: then it waits like the others.
    return requeueUntested(draft, run);
  }
  if (endIfSkipped(draft, run)) return;
  const { retryLimit, bisectionRunLimit } = draft.context.pace;
  if (retries > retryLimit) testAlone(draft, run, 'BISECTION_INTERRUPTED');
  else if (
    runCount >= bisectionRunLimit &&
    prefixRunsOf(draft, run).every((prefixRun) => prefixRun.state === 'ended')
  )
    testAlone(draft, run, 'BISECTION_LIMIT_REACHED');
};

/** Passed prefix runs that prove nothing: the check that the batch failed was skipped in them. */
const inconclusivePassesOf = (draft: Draft, run: BisectedRun): readonly TestRun[] => {
  const { passed, failed } = run.bisection;
  return prefixRunsOf(draft, run).filter((prefixRun) => {
    const length = prefixLengthOf(run, prefixRun);
    return prefixRun.outcome === 'passed' && !clearsItsPart(prefixRun) && length > passed && length < failed;
  });
};

/**
 * Ends a bisection that depends on a run with skipped checks, once no other prefix run is under test. Its members are
 * tested alone.
 */
const endIfSkipped = (draft: Draft, run: BisectedRun): boolean => {
  const inconclusivePasses = inconclusivePassesOf(draft, run);
  if (
    inconclusivePasses.length === 0 ||
    prefixRunsOf(draft, run).some((prefixRun) => prefixRun.state !== 'ended')
  )
    return false;
  const skipped = inconclusivePasses.flatMap((prefixRun) => draft.membersOf(prefixRun));
  endAsSkipped(draft, run, skipped);
  return true;
};

const endAsSkipped = (draft: Draft, run: BisectedRun, skipped: readonly Submission[]): void => {
  const ids = new Set(skipped.map(({ id }) => id));
  for (const submission of endBisection(draft, run, 'BISECTION_SKIPPED', 'isolation_skipped'))
    if (ids.has(submission.id)) draft.change(submission, { alone: true });
};

/**
 * The one member between the longest passed and the shortest failed prefix. Undefined while its own test is required,
 * because the queue may not infer results.
 */
const culpritOf = (draft: Draft, run: BisectedRun): Member | undefined => {
  const { passed, failed } = run.bisection;
  const culprit = run.batch[failed - 1];
  return failed - passed === 1 && !isRestUntested(draft, run) ? culprit : undefined;
};

/** The test run of the shortest failed prefix. */
export const evidenceAgainstCulprit = (draft: Draft, run: BisectedRun): TestRun =>
  draft.run(run.bisection.failedBy) ?? run;

/** True if each check that failed the shortest failed prefix succeeded in the longest passed one. */
const isBaseVouchedFor = (draft: Draft, run: BisectedRun): boolean => {
  const { passed, successes = [] } = run.bisection;
  const failed = failedChecksOf(evidenceAgainstCulprit(draft, run));
  return passed > 0 && failed.every((name) => successes.includes(name));
};

/**
 * The members before the culprit that may have caused its failure as well, because no test run has shown that they pass
 * the check. The failure counts only once they have landed.
 */
export const unprovenBelowCulprit = (draft: Draft, run: BisectedRun): readonly Submission[] => {
  if (isBaseVouchedFor(draft, run)) return [];
  const below = run.batch.slice(0, run.bisection.passed);
  const isBelow = ({ id }: Submission): boolean => below.some(({ submissionId }) => submissionId === id);
  return draft.membersOf(run).filter(isBelow);
};

const failCulpritOf = (draft: Draft, run: BisectedRun, { submissionId }: Member): void => {
  const submission = draft.submission(submissionId);
  const evidence = evidenceAgainstCulprit(draft, run);
  const isInferred = evidence.batch.length > 1;
  if (submission !== undefined)
    failCulprit(draft, submission, evidence, {
      isBaseGreen: isBaseVouchedFor(draft, run),
      ...(isInferred ? { reason: 'TEST_RUN_FAILED_BY_OPTIMIZATION' } : {}),
    });
};

/** Closes the prefix runs that cannot narrow the search any more. Requeues their members, except the culprit. */
const closeMootRuns = (draft: Draft, run: BisectedRun, culprit: Member | undefined): void => {
  const { passed, failed, failedBy } = run.bisection;
  const inconclusivePasses = inconclusivePassesOf(draft, run);
  const prefixRuns = prefixRunsOf(draft, run);
  const longest = prefixRuns.find(
    (prefixRun) => clearsItsPart(prefixRun) && prefixLengthOf(run, prefixRun) === passed,
  );
  // If checks were skipped in the longest passed prefix, its members rely on the shorter runs that cleared them.
  const doesLongestProveAll = longest === undefined || provesStack(draft, longest);
  for (const prefixRun of prefixRuns) {
    const length = prefixLengthOf(run, prefixRun);
    const isProof =
      clearsItsPart(prefixRun) && (length === passed || (length < passed && !doesLongestProveAll));
    const isEvidence = prefixRun.id === failedBy || isProof || inconclusivePasses.includes(prefixRun);
    // Includes the failed length: whether the remaining member fails by itself is tested if it may not be inferred.
    const isAwaited = prefixRun.state !== 'ended' && length > passed && length <= failed;
    if (!isEvidence && !isAwaited && !isLandedBy(draft, prefixRun)) draft.closeRun(prefixRun, 'isolated');
  }
  requeueUntested(draft, run, culprit);
};

const requeueUntested = (draft: Draft, run: BisectedRun, except?: Member): void => {
  const { passed } = run.bisection;
  const underTest = prefixRunsOf(draft, run).filter((prefixRun) => prefixRun.state !== 'ended');
  const tested = new Set(underTest.flatMap((prefixRun) => prefixRun.batch.map(({ pr }) => pr)));
  const cleared = new Set(run.batch.slice(0, passed).map(({ pr }) => pr));
  for (const submission of draft.membersOf(run))
    if (submission.state === 'testing' && !tested.has(submission.pr) && submission.pr !== except?.pr) {
      const reason = cleared.has(submission.pr) ? 'BISECTION_TEST_RUN_PASSED' : 'BISECTION_REQUIRED';
      requeue(draft, submission, { reason, runId: run.id }, 'batch');
    }
};

/**
 * Members that passed on the current tip may land at once. If the tip has moved since, they wait for the rest of the
 * batch.
 */
const clearPassed = (draft: Draft, run: BisectedRun): void => {
  const { passed } = run.bisection;
  const prefixRun = prefixRunsOf(draft, run).find(
    (one) => clearsItsPart(one) && prefixLengthOf(run, one) === passed,
  );
  const last = run.batch[passed - 1];
  if (prefixRun === undefined || last === undefined || run.overtakenBy !== null) return;
  if (!hasOnlyBatchAhead(draft, run, last)) return;
  for (const member of run.batch.slice(0, passed)) {
    const submission = draft.submission(member.submissionId);
    if (submission?.state === 'pending' || submission?.state === 'testing')
      draft.move(submission, 'tests_passed', { reason: passReason(prefixRun), runId: prefixRun.id });
  }
};

/** True if nothing stands ahead of this member but members of its batch. */
const hasOnlyBatchAhead = (draft: Draft, run: TestRun, { submissionId }: Member): boolean =>
  othersAhead(draft, run, submissionId)?.length === 0;

/** The pull requests ahead of a member that are not in its batch; null if unknown or too many. */
export const othersAhead = (
  draft: Draft,
  { batch }: TestRun,
  submissionId: Member['submissionId'],
): readonly Member[] | null => {
  const position = positionIn(draft, submissionId);
  if (position === undefined || position.isTooDeep) return null;
  const inBatch = new Set(batch.map(({ pr }) => pr));
  return position.stack.filter(({ pr }) => !inBatch.has(pr));
};

/** The cause on the closed test run. Members that wait already make no move that could record it. */
const causeOfGivingUp = {
  BISECTION_INCONCLUSIVE: 'isolation_inconclusive',
  BISECTION_LIMIT_REACHED: 'isolation_limit',
  BISECTION_INTERRUPTED: 'isolation_interrupted',
} as const satisfies Partial<Record<ReasonCode, CloseCause>>;

/** Gives up: each member is tested alone for the rest of its attempt. */
const testAlone = (draft: Draft, run: BisectedRun, reason: keyof typeof causeOfGivingUp): void => {
  for (const submission of endBisection(draft, run, reason, causeOfGivingUp[reason]))
    draft.change(submission, { alone: true });
};

/** Ends the bisection without failing a pull request. Requeues the members that are not cleared, and returns them. */
const endBisection = (
  draft: Draft,
  run: BisectedRun,
  reason: ReasonCode,
  cause: CloseCause = closeCause(run, reason),
): readonly Submission[] => {
  draft.closeRun(run, cause);
  const members = draft.membersOf(run).filter((submission) => !isCleared(draft, submission));
  const withReasons = members.map((submission) => ({
    submission,
    ...reasonOfEnd(draft, run, reason, submission),
  }));
  return withReasons.map(({ submission, reason, detail }) =>
    draft.change(requeue(draft, submission, { reason, detail, runId: run.id }, 'place'), {
      reason,
      reasonDetail: detail,
    }),
  );
};

/**
 * The reason for one member. A member that lost its readiness or conflicts gets that reason; the others get its number.
 */
const reasonOfEnd = (
  draft: Draft,
  run: TestRun,
  reason: ReasonCode,
  { asideSince, heldBy, ...ownReason }: Submission,
) => {
  if (reason !== 'READINESS_LOST') return { reason, detail: causeOfStaleness(draft, run, reason) };
  if (asideSince !== null) return { reason, detail: null };
  if (heldBy !== null && ownReason.reason !== null)
    return { reason: ownReason.reason, detail: ownReason.reasonDetail };
  const other = draft.membersOf(run).find((one) => one.asideSince !== null || one.heldBy !== null);
  return {
    reason: 'PREREQUISITE_MERGE_ITEM_PENDING',
    detail: other === undefined ? null : `#${other.pr}`,
  } as const;
};

const isCleared = (draft: Draft, submission: Submission): boolean =>
  submission.state === 'tests_passed' && isProven(draft, submission);
