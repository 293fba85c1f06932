import type { HistoryRow, Run } from '@mq/core';
import { attemptKey, type Book, type Change, type Check } from './ledger.js';
import { failing, isPassing, type Truth } from './truth.js';

type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** I12: whoever is failed has a failing run, on top of nothing but what has landed; machinery only after its budget. */
export const fairBlame =
  (truth: Truth, retryLimit: number): Check =>
  (change, book) =>
    change.commit.writes.history.flatMap((row) => {
      if (row.type !== 'moved' || row.to !== 'failed') return [];
      switch (row.reason) {
        case 'TEST_RUN_REQUIRED_STATUS_FAILED':
        case 'TEST_RUN_TIMEOUT':
          return verdictFaults(truth, change, book, row);
        case 'TEST_RUN_INFRASTRUCTURE':
        case 'TEST_RUN_CANCELLED':
          return budgetFaults(book, change, row, retryLimit);
        case 'START_TEST_RUN_MERGE_CONFLICT': {
          const head = change.after.submissions.get(row.submissionId)?.head;
          const isRebase = change.after.queue.settings.mergeMethod === 'rebase';
          if (head === undefined || isRebase || truth.everConflicted(head)) return [];
          return [`${attemptKey(row)} is failed for a conflict, and it conflicts with no tip.`];
        }
        case 'START_TEST_RUN_NO_REQUIRED_STATUSES':
        case 'START_TEST_RUN_REFUSED':
          return [];
        default:
          return [`${attemptKey(row)} is failed for ${row.reason}.`];
      }
    });

const verdictFaults = (truth: Truth, change: Change, book: Book, row: Moved): readonly string[] => {
  const run = row.runId === null ? undefined : book.runs.get(row.runId);
  if (run?.trial == null) return [`${attemptKey(row)} is failed without a run that failed.`];
  const faults: string[] = [];
  if (!run.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt))
    faults.push(`${attemptKey(row)} is failed for ${run.id}, which did not test it.`);
  const below = run.trial.steps.at(-2)?.commit ?? run.base;
  if (!truth.wasOnTarget(below))
    faults.push(`${attemptKey(row)} is failed on top of ${below}, which never was on the target.`);
  const tip = change.after.queue.target.head;
  if (below !== tip)
    faults.push(`${attemptKey(row)} is failed on top of ${below}, and the target is at ${tip}.`);
  if (row.reason === 'TEST_RUN_TIMEOUT') return [...faults, ...timeoutFaults(truth, run, row)];
  const isShown = truth.ofRun(run.id).some((check) => failing.has(check.conclusion ?? ''));
  if (!isShown) faults.push(`${attemptKey(row)} is failed, and no check of ${run.id} has failed.`);
  return faults;
};

/** A result that was there in time counts, however late the queue looks. */
const timeoutFaults = (truth: Truth, run: Run, row: Moved): readonly string[] => {
  const checks = truth.ofRun(run.id);
  if (checks.some((check) => check.conclusion === 'timed_out')) return [];
  const deadlineAt = run.deadlineAt ?? Number.POSITIVE_INFINITY;
  if (row.at < deadlineAt) return [`${attemptKey(row)} is timed out before its deadline.`];
  const isInTime = run.requiredChecks.every((name) =>
    checks.some((check) => check.name === name && isPassing(check) && (check.completedAt ?? 0) < deadlineAt),
  );
  return isInTime ? [`${attemptKey(row)} is timed out, and its checks had passed in time.`] : [];
};

const budgetFaults = (book: Book, change: Change, row: Moved, retryLimit: number): readonly string[] => {
  const count = withoutVerdict(book, change, row);
  return count === retryLimit + 1
    ? []
    : [`${attemptKey(row)} is failed after ${count} runs without a verdict; ${retryLimit + 1} were due.`];
};

/** L5: tests that end without a verdict are not repeated for ever. */
export const boundedRetries =
  (retryLimit: number): Check =>
  (change, book) =>
    [...change.after.submissions.values()].flatMap((submission) => {
      const isNews = change.commit.writes.history.some(
        (row) => row.type === 'run' && row.change === 'ended' && row.prs.includes(submission.pr),
      );
      if (!isNews || withoutVerdict(book, change, submission) <= retryLimit + 1) return [];
      return [`${attemptKey(submission)} is tested again and again without a verdict.`];
    });

/** How many runs of the attempt ended without a verdict since its tests were last restarted. */
const withoutVerdict = (
  book: Book,
  change: Change,
  row: { readonly pr: number; readonly attempt: number },
): number => {
  const rows = [...book.history, ...change.commit.writes.history];
  const restarted = rows.findLastIndex(
    (one) =>
      one.type === 'moved' &&
      attemptKey(one) === attemptKey(row) &&
      (one.from === null || one.reason === 'TESTS_RESTARTED_BY_API_REQUEST' || one.to === 'not_ready'),
  );
  return rows
    .slice(restarted + 1)
    .filter(
      (one) =>
        one.type === 'run' &&
        one.change === 'ended' &&
        (one.outcome === 'infrastructure' || one.outcome === 'cancelled') &&
        one.prs.includes(row.pr),
    ).length;
};
