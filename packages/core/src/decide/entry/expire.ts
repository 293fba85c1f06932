import { type Check, isOwnCheck } from '../../model/checks.js';
import type { Instant } from '../../model/ids.js';
import { heldByTrouble } from '../../model/queue.js';
import { lackPhrase } from '../../model/readiness.js';
import type { TestRun } from '../../model/run.js';
import { isLive, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { lacking } from '../moves/admit.js';
import { takeFromLanding } from '../moves/landing.js';
import { leave } from '../moves/leave.js';
import { askSoon } from '../moves/polls.js';
import { movedDeadline } from '../moves/standstill.js';

/** What took too long: tests that come to no verdict, and those who do not become ready. */
export const expire = (draft: Draft): void => {
  if (heldByTrouble(draft.queue) !== null) return;
  for (const run of draft.openRuns()) if (run.state === 'testing') expireRun(draft, run);
  expireUnready(draft);
};

/** A result that is there in time counts, however late we look: the host is read once more after the deadline. */
const expireRun = (draft: Draft, run: TestRun): void => {
  const giveUpAt = deadlineOf(draft, run);
  if (giveUpAt === null) return;
  if (draft.now < giveUpAt) return draft.wakeAt(giveUpAt);
  const wasReadSince = run.checksReadAt !== null && run.checksReadAt >= giveUpAt;
  if (!wasReadSince) {
    // A question that was put since and came to nothing is put again in its turn.
    if (draft.queue.polls.checks.askedAt < giveUpAt) askSoon(draft, 'checks');
    return;
  }
  const hasBegun = run.checks.some((check) => check.status !== 'queued' && isOfRun(run, check));
  draft.changeRun(run, { expired: hasBegun ? 'no_verdict' : 'not_begun' });
};

/** True where the CI shows checks of it and has not begun a single one: they wait, and take no time yet. */
export const isQueuedOnly = (run: TestRun): boolean => {
  const checks = run.checks.filter((check) => isOfRun(run, check));
  return checks.length > 0 && checks.every((check) => check.status === 'queued');
};

const isShown = (run: TestRun): boolean => run.checks.some((check) => isOfRun(run, check));

/** What ended on the same commit for a run before this one says nothing of whether the CI has begun. */
const isOfRun = ({ id, createdAt }: TestRun, check: Check): boolean =>
  check.status !== 'completed' || isOwnCheck(check, { runId: id, since: createdAt });

/**
 * The end of the time for its verdict; before the first check shows, that of the time to begin. Null without either. Later by
 * as long as the queue held or the clock jumped meanwhile.
 */
export const deadlineOf = (draft: Draft, run: TestRun): Instant | null => {
  const deadline = unmovedDeadlineOf(draft, run);
  if (deadline === null || run.testingSince === null) return null;
  const { testingTimeoutMinutes } = draft.queue.settings;
  const jumpLimitMs = testingTimeoutMinutes === 0 ? Number.POSITIVE_INFINITY : testingTimeoutMinutes * 60_000;
  return movedDeadline(draft, { since: run.testingSince, deadline, jumpLimitMs });
};

/** True where its deadline is that of its first check. */
export const isDueToBegin = (draft: Draft, run: TestRun): boolean =>
  unmovedDeadlineOf(draft, run) !== run.deadlineAt;

const unmovedDeadlineOf = ({ context }: Draft, run: TestRun): Instant | null => {
  if (run.testingSince === null) return null;
  const beginBy = isShown(run) ? null : run.testingSince + context.pace.ciStartMs;
  if (beginBy === null || run.deadlineAt === null) return run.deadlineAt ?? beginBy;
  return Math.min(beginBy, run.deadlineAt);
};

/** The end of the time for the verdict of what is under test since then. Null where the queue sets no timeout. */
export const verdictBy = ({ queue }: Draft, since: Instant): Instant | null => {
  const timeoutMs = queue.settings.testingTimeoutMinutes * 60_000;
  return timeoutMs === 0 ? null : since + timeoutMs;
};

/** Another timeout counts for what is under test as well. */
export const resetDeadlines = (draft: Draft): void => {
  for (const run of draft.openRuns())
    if (run.state === 'testing' && run.testingSince !== null)
      draft.changeRun(run, { deadlineAt: verdictBy(draft, run.testingSince) });
};

/** A submission that is not ready, or has lost its readiness, does not wait for ever. */
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
        detail: lackedBy(draft, submission),
      });
  }
};

const lackedBy = (draft: Draft, submission: Submission): string | null => {
  const lack = lacking(draft, submission);
  return lack === null ? null : lackPhrase(lack, submission.pull.mergeabilityReason);
};

/** Until when it has to be ready, or ready again. Null while it is, and where the queue sets no timeout. */
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
