import { doOverlap } from '../../model/impacted-targets.js';
import type { ReasonCode } from '../../model/reasons.js';
import { failedChecksOf, type Member, type TestRun, unpassedChecksOf } from '../../model/run.js';
import { allFailedChecksOf, hasSucceeded } from '../../model/run-evidence.js';
import { goesFirst, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { passedFromTheFront } from '../landing/land.js';
import { nextPlace } from '../line/line.js';
import { frontPositions } from '../line/positions.js';
import { isProven } from '../line/proof.js';
import { targetsOf } from '../line/standpoint.js';
import { closeRunsOf, leave, requeue, requeueUnlessTested } from '../moves/leave.js';
import { delayAfter } from '../moves/retry.js';
import { isBaseBroken, requireGreenBase, SKIPPED_BASELINES_LIMIT, unconfirmedChecks } from './tip.js';

/** What is known besides the run: that the tip passes the check, and a reason that says more than the run does. */
interface Besides {
  readonly isTipSound?: boolean;
  readonly reason?: ReasonCode;
}

/**
 * Fails the one who is to blame, or has one more run confirm it first where the queue wants that. Nothing becomes of it while
 * the tip itself has to be read before, or is broken; nor is anybody failed before the tip was tested where it has to be.
 */
export const failCulprit = (
  draft: Draft,
  submission: Submission,
  run: TestRun,
  besides: Besides = {},
): void => {
  if (isBaseBroken(draft) || draft.queue.isTipInDoubt) return;
  if (draft.queue.settings.confirmBeforeFailing && submission.suspectedBy === null)
    return confirm(draft, submission, run);
  if (!besides.isTipSound && !requireGreenBase(draft, submission.pr, run, failedChecksOf(run))) return;
  const held = draft.change(submission, { failedRunId: run.id });
  leave(draft, held, 'failed', {
    reason: besides.reason ?? failureReason(run),
    detail: withBase(draft, run, detailOf(run)),
    runId: run.id,
  });
};

/** Says so where the base never showed that it passes what was failed on it. */
const withBase = (draft: Draft, run: TestRun, detail: string | null): string | null => {
  const unconfirmed = unconfirmedChecks(draft, run, failedChecksOf(run));
  if (unconfirmed.length === 0) return detail;
  const skipped = `${unconfirmed.join(', ')} was skipped in ${SKIPPED_BASELINES_LIMIT} baseline runs`;
  const base = `The base was not confirmed: ${skipped} of ${draft.queue.branch}.`;
  return detail === null ? base : `${detail}. ${base}`;
};

/**
 * A confirmation in which what the suspect had failed was skipped acquits nobody: it is repeated at the cost of the budget
 * for retries. Once that is used up, the failure that was to be confirmed stands.
 */
export const repeatConfirmation = (draft: Draft, submission: Submission, run: TestRun): void => {
  const { retries, suspectedBy, suspectedDetail } = submission;
  if (retries >= draft.context.pace.retryLimit) {
    const because = {
      reason: 'TEST_RUN_REQUIRED_STATUS_FAILED',
      detail: [suspectedDetail, 'The check was skipped when it was to be confirmed.'].join('. '),
      ...(suspectedBy === null ? {} : { runId: suspectedBy }),
    } as const;
    leave(draft, draft.change(submission, { failedRunId: suspectedBy }), 'failed', because);
    return;
  }
  draft.closeRun(run, 'judged');
  draft.change(submission, {
    retries: retries + 1,
    retryAt: draft.now + delayAfter(draft, retries),
    reasonDetail: `Skipped: ${submission.suspectedChecks.join(', ')}.`,
  });
};

/** True where nothing that the submission is suspected of failing was skipped in this passed run. */
export const isClearedBy = ({ suspectedChecks }: Submission, run: TestRun): boolean =>
  suspectedChecks.every((name) => !run.requiredChecks.includes(name) || hasSucceeded(run, name));

const confirm = (draft: Draft, submission: Submission, run: TestRun): void => {
  if (landingBeforeConfirmed(draft, submission).length > 0) return;
  const isPassed = hasBeenPassed(draft, submission);
  const mates = closeRunsOf(draft, submission, 'judged');
  const failed = { reason: failureReason(run), detail: detailOf(run), runId: run.id } as const;
  const because = { ...failed, reason: 'CONFIRMATION_REQUIRED' } as const;
  const waiting =
    submission.state === 'testing' ? draft.move(submission, 'pending_failure', failed) : submission;
  draft.change(requeue(draft, waiting, because, 'place'), {
    suspectedBy: run.id,
    suspectedDetail: detailOf(run),
    suspectedChecks: allFailedChecksOf(run),
    alone: true,
    ...(isPassed ? { place: nextPlace(draft) } : {}),
  });
  for (const mate of mates) requeueUnlessTested(draft, mate, { reason: 'BISECTION_REQUIRED', runId: run.id });
};

/** Somebody has passed without it: ahead of them it would have them tested again, for one that is to be failed. */
const hasBeenPassed = (draft: Draft, { id }: Submission): boolean =>
  [...frontPositions(draft)].some(({ member, without }) => {
    const other = draft.submission(member.submissionId);
    return other !== undefined && without.some((one) => one.submissionId === id) && isProven(draft, other);
  });

/** Who lands before an urgent one is tested once more: it goes first, and would have them tested again. */
export const landingBeforeConfirmed = (draft: Draft, submission: Submission): readonly Member[] => {
  const { settings, landing } = draft.queue;
  if (!settings.confirmBeforeFailing || submission.suspectedBy !== null || !goesFirst(submission)) return [];
  const next = landing?.members ?? passedFromTheFront(draft).map(({ member }) => member);
  const targets = targetsOf(draft, submission);
  return next.filter((one) => doOverlap(targetsOf(draft, one), targets));
};

export const failureReason = (run: TestRun): ReasonCode =>
  run.outcome === 'timed_out' ? 'TEST_RUN_TIMEOUT' : 'TEST_RUN_REQUIRED_STATUS_FAILED';

/** What made the run end as it did, in one line; null where there is nothing to say. */
export const detailOf = (run: TestRun): string | null => {
  if (run.failure !== null) return run.failure;
  if (run.expired === 'not_begun') return 'The CI did not begin.';
  const check = run.decidedBy;
  if (check === null && run.expired === 'no_verdict')
    return `Not ended: ${unpassedChecksOf(run).join(', ')}.`;
  return check === null ? null : `${check.name}: ${check.summary ?? check.conclusion ?? 'no conclusion'}`;
};
