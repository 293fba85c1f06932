import type { HistoryRow, Pace, TestRun } from '@mq/core';
import { isMoot, isTogether } from './budget.js';
import { attemptKey, type Book, type Change, type Check } from './ledger.js';

type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** A pull request fails without a verdict only after its retry budget is used up and its stack has landed. */
export const budgetFaults = (
  book: Book,
  change: Change,
  row: Moved,
  { retryLimit, infrastructureWindowMs }: Pick<Pace, 'retryLimit' | 'infrastructureWindowMs'>,
): readonly string[] => {
  const all = inconclusiveRuns(book, change, row);
  const runs = all.filter((run) => isCharged(book, run));
  const isOnUndecided = row.runId !== null && !isCharged(book, { runId: row.runId });
  if (isOnUndecided)
    return [
      `${attemptKey(row)} failed without a verdict in test run ${row.runId}, whose stack is undecided.`,
    ];
  const faults =
    runs.length > retryLimit
      ? []
      : [
          `${attemptKey(row)} failed after ${runs.length} test runs without a verdict; the budget is ${retryLimit + 1}.`,
        ];
  const last = runs.at(-1);
  const history = [...book.history, ...change.commit.writes.history];
  if (
    row.reason === 'TEST_RUN_INFRASTRUCTURE' &&
    last !== undefined &&
    !(all[0] !== last && isVerdictSince(history, all[0]))
  )
    if (isTogether(history, last, book, infrastructureWindowMs))
      faults.push(`${attemptKey(row)} failed for an infrastructure failure that affects others too.`);
  return faults;
};

/** True if a test run has come to a verdict since an earlier one of the attempt did not: the infrastructure works. */
const isVerdictSince = (history: readonly HistoryRow[], earlier: RunRow | undefined): boolean =>
  earlier !== undefined &&
  history
    .slice(history.indexOf(earlier) + 1)
    .some(
      (row) =>
        row.type === 'run' &&
        row.change === 'ended' &&
        row.purpose !== 'compose' &&
        (row.outcome === 'passed' || row.outcome === 'failed'),
    );

/** L5: test runs without a verdict are not repeated forever, unless the infrastructure fails for all. */
export const boundedRetries =
  ({ retryLimit, infrastructureWindowMs }: Pick<Pace, 'retryLimit' | 'infrastructureWindowMs'>): Check =>
  (change, book) =>
    [...change.after.submissions.values()].flatMap((submission) => {
      const hasEndedRun = change.commit.writes.history.some(
        (row) =>
          row.type === 'run' &&
          row.change === 'ended' &&
          row.purpose === 'test' &&
          row.prs.includes(submission.pr),
      );
      if (!hasEndedRun) return [];
      const runs = inconclusiveRuns(book, change, submission).filter((run) => isCharged(book, run));
      // Twice the budget: once in a batch and once alone.
      if (runs.length <= 2 * (retryLimit + 1)) return [];
      const history = [...book.history, ...change.commit.writes.history];
      // A pull request that passes in the same decision by another test run is not charged.
      const passedAt = new Set(
        history
          .filter((row) => row.type === 'moved' && row.pr === submission.pr && row.to === 'tests_passed')
          .map(({ at }) => at),
      );
      const own = runs.filter(
        (row) => !passedAt.has(row.at) && !isTogether(history, row, book, infrastructureWindowMs, 'either'),
      );
      if (own.length <= 2 * (retryLimit + 1)) return [];
      return [`${attemptKey(submission)} was tested ${own.length} times without a verdict.`];
    });

/** A test run costs budget only if everything below it had landed when it closed. */
const isCharged = (book: Book, { runId }: { readonly runId: TestRun['id'] }): boolean => {
  const run = book.runs.get(runId);
  return (
    run === undefined || (run.rerunSince === null && run.stack.every(({ pr }) => run.landed.includes(pr)))
  );
};

type RunRow = Extract<HistoryRow, { type: 'run' }>;

/** Test runs of the attempt that ended without a verdict since its tests were last restarted. */
const inconclusiveRuns = (
  book: Book,
  change: Change,
  attempt: { readonly pr: number; readonly attempt: number },
): readonly RunRow[] => {
  const rows = [...book.history, ...change.commit.writes.history];
  const restarted = rows.findLastIndex(
    (one) =>
      one.type === 'moved' &&
      attemptKey(one) === attemptKey(attempt) &&
      (one.from === null || one.reason === 'TESTS_RESTARTED_BY_API_REQUEST' || one.to === 'not_ready'),
  );
  return rows
    .slice(restarted + 1)
    .filter(
      (one): one is RunRow =>
        one.type === 'run' &&
        one.change === 'ended' &&
        one.purpose === 'test' &&
        (one.outcome === 'infrastructure' || one.outcome === 'cancelled') &&
        one.prs.includes(attempt.pr) &&
        !isMoot(rows, one, book),
    );
};
