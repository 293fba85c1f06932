import { type Check, isOwnCheck } from '../../model/checks.js';
import type { Instant } from '../../model/ids.js';
import { heldByTrouble } from '../../model/queue.js';
import { lackPhrase } from '../../model/readiness.js';
import { evidenceOf, type TestRun } from '../../model/run.js';
import { isLive, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { lacking } from '../moves/admit.js';
import { takeFromLanding } from '../moves/landing.js';
import { leave } from '../moves/leave.js';
import { askSoon } from '../moves/polls.js';
import { movedDeadline, movedTestDeadline } from '../moves/standstill.js';

/** Expires test runs that have passed their deadline, and submissions that do not become ready in time. */
export const expire = (draft: Draft): void => {
  if (heldByTrouble(draft.queue) !== null) return;
  for (const run of draft.openRuns()) if (run.state === 'testing') expireRun(draft, run);
  expireUnready(draft);
};

/** A result that came in time counts even if it is read late: the checks are read once more after the deadline. */
const expireRun = (draft: Draft, run: TestRun): void => {
  const deadline = deadlineOf(draft, run);
  if (deadline === null) return;
  if (draft.now < deadline) return draft.wakeAt(deadline);
  const wasReadSince = run.checksReadAt !== null && run.checksReadAt >= deadline;
  if (!wasReadSince) {
    // A read that was requested after the deadline is under way, or is repeated at its interval.
    if (draft.queue.polls.checks.askedAt < deadline) askSoon(draft, 'checks');
    return;
  }
  const hasBegun = run.checks.filter(isOfRun(run)).some((check) => check.status !== 'queued');
  draft.changeRun(run, { expired: hasBegun ? 'no_verdict' : 'not_begun' });
};

/**
 * True if the CI shows checks of the run but has started none of them: they are queued, and their time does not run
 * yet.
 */
export const isQueuedOnly = (run: TestRun): boolean => {
  const checks = run.checks.filter(isOfRun(run));
  return checks.length > 0 && checks.every((check) => check.status === 'queued');
};

const isShown = (run: TestRun): boolean => run.checks.some(isOfRun(run));

/** Checks that ended on the same commit for an earlier run do not show that the CI has started. */
const isOfRun = (run: TestRun) => {
  const evidence = evidenceOf(run);
  return (check: Check): boolean => check.status !== 'completed' || isOwnCheck(check, evidence);
};

/**
 * The deadline for the verdict or, before the first check shows, for the CI to start. Null if there is neither.
 * Extended by the time for which the queue was on hold, and by clock jumps.
 */
export const deadlineOf = (draft: Draft, run: TestRun): Instant | null => {
  const deadline = unmovedDeadlineOf(draft, run);
  if (deadline === null || run.testingSince === null) return null;
  return movedTestDeadline(draft, { since: run.testingSince, deadline });
};

/** True while the deadline is the one for the first check. */
export const isDueToBegin = (draft: Draft, run: TestRun): boolean =>
  unmovedDeadlineOf(draft, run) !== run.deadlineAt;

const unmovedDeadlineOf = ({ context }: Draft, run: TestRun): Instant | null => {
  if (run.testingSince === null) return null;
  const beginBy = isShown(run) ? null : run.testingSince + context.pace.ciStartMs;
  if (beginBy === null || run.deadlineAt === null) return run.deadlineAt ?? beginBy;
  return Math.min(beginBy, run.deadlineAt);
};

/** The deadline for the verdict of tests that began then; null if the queue has no timeout. */
export const verdictBy = ({ queue }: Draft, since: Instant): Instant | null => {
  const timeoutMs = queue.settings.testingTimeoutMinutes * 60_000;
  return timeoutMs === 0 ? null : since + timeoutMs;
};

/** Applies a changed timeout to running tests. */
export const resetDeadlines = (draft: Draft): void => {
  for (const run of draft.openRuns())
    if (run.state === 'testing' && run.testingSince !== null)
      draft.changeRun(run, { deadlineAt: verdictBy(draft, run.testingSince) });
};

/** Cancels submissions that have waited too long to become ready, or to become ready again. */
const expireUnready = (draft: Draft): void => {
  const expired: Submission[] = [];
  for (const submission of draft.ordered('unready')) {
    const readyBy = readyByOf(draft, submission);
    if (readyBy === null) break;
    if (draft.now < readyBy) {
      draft.wakeAt(readyBy);
      break;
    }
    expired.push(submission);
  }
  for (const { id } of expired) {
    const submission = draft.submission(id);
    if (submission !== undefined && isLive(submission) && takeFromLanding(draft, submission))
      leave(draft, submission, 'cancelled', {
        reason: 'NOT_READY_TIMEOUT_EXPIRED',
        detail: lackDetail(draft, submission),
      });
  }
};

const lackDetail = (draft: Draft, submission: Submission): string | null => {
  const lack = lacking(draft, submission);
  return lack === null ? null : lackPhrase(lack, submission.pull.mergeabilityReason);
};

/** When it has to be ready, or ready again; null while it is ready, or if the queue has no timeout. */
export const readyByOf = (draft: Draft, submission: Submission): Instant | null => {
  const since = submission.state === 'not_ready' ? submission.stateSince : submission.asideSince;
  const timeoutMs = draft.queue.settings.notReadyTimeoutHours * 3_600_000;
  if (since === null || timeoutMs === 0) return null;
  return movedDeadline(draft, {
    since,
    deadline: since + timeoutMs,
    jumpLimitMs: 0,
    countsFreezes: true,
  });
};
