import { isFlaky, withTests } from '../../model/flakes.js';
import { doOverlap } from '../../model/impacted-targets.js';
import type { Queue } from '../../model/queue.js';
import type { ReasonCode } from '../../model/reasons.js';
import {
  actualBaseOf,
  failedChecksOf,
  type Member,
  type TestRun,
  unpassedChecksOf,
} from '../../model/run.js';
import { allFailedChecksOf, hasSucceeded } from '../../model/run-evidence.js';
import { goesFirst, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { passedFromTheFront } from '../landing/land.js';
import { nextPlace } from '../line/line.js';
import { targetsOf } from '../line/placement-input.js';
import { frontPositions } from '../line/positions.js';
import { isProven } from '../line/proof.js';
import { closeRunsOf, leave, noSuspicion, requeue, requeueUnlessTested } from '../moves/leave.js';
import { askSince, isReadSince } from '../moves/polls.js';
import { delayAfter } from '../moves/retry.js';
import { isBaseBroken, requireGreenBase, unconfirmedChecks } from './baseline-runs.js';

/** What the caller knows: that the base passes the checks, and a more precise reason. */
interface FailOptions {
  readonly isBaseGreen?: boolean;
  readonly reason?: ReasonCode;
}

/**
 * Fails the culprit, after one more test run to confirm it if the queue is set so. Does nothing while the tip has to be
 * read again or the base is broken, and waits for a green baseline run if one is needed.
 */
export const failCulprit = (
  draft: Draft,
  submission: Submission,
  run: TestRun,
  options: FailOptions = {},
): void => {
  if (isBaseBroken(draft) || mustReadTarget(draft, submission)) return;
  if (hasToBeConfirmed(draft, submission, run)) return confirm(draft, submission, run);
  if (!options.isBaseGreen && !requireGreenBase(draft, submission.pr, run, failedChecksOf(run))) return;
  const failing = draft.change(submission, { failedRunId: run.id });
  leave(draft, failing, 'failed', {
    reason: options.reason ?? failureReason(run),
    detail: withBase(draft, run, detailOf(run)),
    runId: run.id,
  });
};

/**
 * Requests a read of the target if its required checks were last read before the submit: a check that was removed right
 * before fails no pull request. True until the target is read.
 */
const mustReadTarget = (draft: Draft, submission: Submission): boolean => {
  if (!isTargetInDoubt(draft, submission)) return false;
  askSince(draft, 'branch', submission.submittedAt);
  return true;
};

/** True if the target may have changed since it was last read, or was last read before the submission. */
export const isTargetInDoubt = (draft: Draft, { submittedAt }: Submission): boolean =>
  draft.queue.isTipInDoubt || !isReadSince(draft, 'branch', submittedAt);

/** Adds a sentence if no run has shown that the base passes the failed checks. */
const withBase = (draft: Draft, run: TestRun, detail: string | null): string | null => {
  const unconfirmed = unconfirmedChecks(draft, run, failedChecksOf(run));
  if (unconfirmed.length === 0) return detail;
  const names = unconfirmed.join(', ');
  const base = `The base was not confirmed: no baseline run of ${draft.queue.branch} has passed or failed ${names}.`;
  return detail === null ? base : `${detail}. ${base}`;
};

/**
 * A confirmation run in which the suspected check was skipped is inconclusive. It is repeated within the retry budget
 * of the attempt; after that the original failure stands, if the base is known to pass the check. If that
 * failure was on an earlier base, the suspicion is dropped instead, and this run counts as a pass.
 */
export const repeatConfirmation = (draft: Draft, submission: Submission, run: TestRun): void => {
  const { retries, suspectedOn = null, suspectedChecks } = submission;
  if (retries < draft.context.pace.retryLimit) {
    draft.closeRun(run, 'judged');
    draft.change(submission, {
      retries: retries + 1,
      retryAt: draft.now + delayAfter(draft, retries),
      reasonDetail: `Skipped: ${suspectedChecks.join(', ')}.`,
    });
  } else if (suspectedOn === actualBaseOf(run)) failUnconfirmed(draft, submission, run);
  else draft.change(submission, noSuspicion);
};

const failUnconfirmed = (draft: Draft, submission: Submission, run: TestRun): void => {
  const { suspectedBy, suspectedReason, suspectedDetail, suspectedChecks } = submission;
  if (isBaseBroken(draft) || mustReadTarget(draft, submission)) return;
  if (!requireGreenBase(draft, submission.pr, run, suspectedChecks)) return;
  const because = {
    reason: suspectedReason ?? 'TEST_RUN_REQUIRED_STATUS_FAILED',
    detail: [suspectedDetail, 'The check was skipped in the confirmation run.'].join('. '),
    ...(suspectedBy === null ? {} : { runId: suspectedBy }),
  } as const;
  leave(draft, draft.change(submission, { failedRunId: suspectedBy }), 'failed', because);
};

/** True if none of the checks that the submission is suspected of failing was skipped in this passed run. */
export const isClearedBy = ({ suspectedChecks }: Submission, run: TestRun): boolean =>
  suspectedChecks.every((name) => !run.requiredChecks.includes(name) || hasSucceeded(run, name));

/**
 * True if the failure has to be confirmed first: by one more test run, or by two if a failed check is known to be
 * flaky.
 */
export const hasToBeConfirmed = (draft: Draft, submission: Submission, run: TestRun): boolean => {
  if (!draft.queue.settings.confirmBeforeFailing) return false;
  return suspicionsOf(submission) < confirmationsOf(draft.queue, allFailedChecksOf(run));
};

/** True if another failure of the same checks would have to be confirmed as well, once that test run is counted. */
export const isConfirmedAgain = (draft: Draft, submission: Submission): boolean => {
  if (!draft.queue.settings.confirmBeforeFailing) return false;
  const { suspectedChecks: checks } = submission;
  return (
    suspicionsOf(submission) <
    confirmationsOf({ flakeCounts: withTests(draft.queue, checks, checks) }, checks)
  );
};

const confirmationsOf = (counted: Pick<Queue, 'flakeCounts'>, checks: readonly string[]): number =>
  checks.some((name) => isFlaky(counted, name)) ? 2 : 1;

const suspicionsOf = ({ suspectedBy, suspicions = 1 }: Submission): number =>
  suspectedBy === null ? 0 : suspicions;

const confirm = (draft: Draft, submission: Submission, run: TestRun): void => {
  if (landingBeforeConfirmed(draft, submission).length > 0) return;
  const wasOvertaken = isOvertaken(draft, submission);
  const batchMates = closeRunsOf(draft, submission, 'judged');
  const failed = { reason: failureReason(run), detail: detailOf(run), runId: run.id } as const;
  const because = { ...failed, reason: 'CONFIRMATION_REQUIRED' } as const;
  const waiting =
    submission.state === 'testing' ? draft.move(submission, 'pending_failure', failed) : submission;
  draft.change(requeue(draft, waiting, because, 'place'), {
    suspectedBy: run.id,
    suspectedOn: actualBaseOf(run),
    suspicions: suspicionsOf(submission) + 1,
    suspectedReason: run.outcome === 'timed_out' ? 'TEST_RUN_TIMEOUT' : null,
    suspectedDetail: detailOf(run),
    suspectedChecks: allFailedChecksOf(run),
    alone: true,
    ...(wasOvertaken ? { place: nextPlace(draft) } : {}),
  });
  for (const batchMate of batchMates)
    requeueUnlessTested(draft, batchMate, { reason: 'BISECTION_REQUIRED', runId: run.id });
};

/**
 * True if a pull request behind it has passed without it. If it kept its place ahead of those, they would have to be
 * tested again.
 */
const isOvertaken = (draft: Draft, { id }: Submission): boolean =>
  [...frontPositions(draft)].some(({ member, without }) => {
    const other = draft.submission(member.submissionId);
    return other !== undefined && without.some((one) => one.submissionId === id) && isProven(draft, other);
  });

/** Pull requests that land before an urgent suspect is tested again: it would go first and make their results stale. */
export const landingBeforeConfirmed = (draft: Draft, submission: Submission): readonly Member[] => {
  const { settings, landing } = draft.queue;
  if (!settings.confirmBeforeFailing || submission.suspectedBy !== null || !goesFirst(submission)) return [];
  const next = landing?.members ?? passedFromTheFront(draft).map(({ member }) => member);
  const targets = targetsOf(draft, submission);
  return next.filter((one) => doOverlap(targetsOf(draft, one), targets));
};

export const failureReason = (run: TestRun): ReasonCode =>
  run.outcome === 'timed_out' ? 'TEST_RUN_TIMEOUT' : 'TEST_RUN_REQUIRED_STATUS_FAILED';

/** One line about what ended the run; null if there is nothing to say. */
export const detailOf = (run: TestRun): string | null => {
  if (run.failure !== null) return run.failure;
  if (run.expired === 'not_begun') return 'The CI did not start.';
  const check = run.decidedBy;
  if (check === null && run.expired === 'no_verdict')
    return `Not finished: ${unpassedChecksOf(run).join(', ')}.`;
  return check === null ? null : `${check.name}: ${check.summary ?? check.conclusion ?? 'no conclusion'}`;
};
