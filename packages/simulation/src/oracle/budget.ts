import type { HistoryRow } from '@mq/core';
import type { Book } from './ledger.js';

type RunRow = Extract<HistoryRow, { type: 'run' }>;

/**
 * True if the previous test run that ended, within `windowMs`, was an infrastructure failure of other pull requests: then this
 * one costs no budget. `either`: or any two failures between the verdicts before and after it were of different ones.
 */
export const isTogether = (
  history: readonly HistoryRow[],
  row: RunRow,
  book: Book,
  windowMs: number,
  side: 'before' | 'either' = 'before',
): boolean => {
  const ended = history.filter(
    (one): one is RunRow =>
      one.type === 'run' &&
      one.change === 'ended' &&
      one.purpose !== 'compose' &&
      one.outcome !== 'cancelled' &&
      !isMoot(history, one, book) &&
      (one.purpose !== 'control' || one.outcome !== 'infrastructure'),
  );
  const share = (one: RunRow, other: RunRow): boolean =>
    membersOf(book, one).some((pr) => membersOf(book, other).includes(pr));
  const isUnrelated = (other: RunRow): boolean => other.outcome === 'infrastructure' && !share(other, row);
  const isOfOthers = (other: RunRow): boolean =>
    isUnrelated(other) && Math.abs(row.at - other.at) <= windowMs;
  const at = ended.indexOf(row);
  if (side === 'either') {
    const verdicts = ended.filter((one) => isVerdict(one, book)).map((one) => one.at);
    const from = verdicts.findLast((one) => one < row.at) ?? Number.NEGATIVE_INFINITY;
    const until = verdicts.find((one) => one > row.at) ?? Number.POSITIVE_INFINITY;
    const near = ended.filter((one) => one.outcome === 'infrastructure' && one.at >= from && one.at <= until);
    // Once unrelated pull requests are hit, no failure is charged until a test run reaches a verdict.
    // A failure on top of the same pull requests is taken for the same failure, which then lasts until that one.
    const endOf = (one: RunRow): number =>
      Math.max(...near.filter((other) => share(one, other)).map((other) => other.at));
    const begunAt = (one: RunRow): number => book.runs.get(one.runId)?.createdAt ?? one.at;
    const isAtFault = near.some((one) =>
      near.some(
        (other) => other.at >= one.at && !share(one, other) && begunAt(other) <= endOf(one) + windowMs,
      ),
    );
    const closedAt = book.runs.get(row.runId)?.closedAt ?? null;
    // Test runs that wait for the same stack are judged in one decision, whatever ended in between.
    const isJudgedWith = (one: RunRow): boolean =>
      closedAt !== null && book.runs.get(one.runId)?.closedAt === closedAt;
    return isAtFault || ended.some((one) => isJudgedWith(one) && isOfOthers(one));
  }
  const isAlone = ended.every((one) => one === row || one.at !== row.at);
  const last = ended[at - 1];
  const isOfOtherTests = (one: RunRow): boolean => one.purpose === 'test' && isOfOthers(one);
  return last !== undefined && isAlone && ended.filter((one) => one.at === last.at).every(isOfOtherTests);
};

/** True if the end of a test run shows that the infrastructure works. A skipped or reused pass does not. */
const isVerdict = (row: RunRow, book: Book): boolean => {
  if (row.outcome === 'infrastructure') return false;
  const run = book.runs.get(row.runId);
  if (row.outcome !== 'passed' || run === undefined || row.purpose === 'control') return true;
  return run.checks.some(
    ({ name, conclusion }) => run.startedChecks.includes(name) && conclusion === 'success',
  );
};

/** True if a member left in the same decision, so that the infrastructure failure had no effect. */
export const isMoot = (history: readonly HistoryRow[], { runId }: RunRow, book: Book): boolean => {
  const run = book.runs.get(runId);
  if (run === undefined || run.outcome !== 'infrastructure') return false;
  if (run.closedBecause !== 'member_left' || run.closedAt !== run.endedAt) return false;
  return !history.some((row) => row.type === 'moved' && row.to === 'failed' && row.runId === runId);
};

/** Without members that have landed by the time the test run is judged: those are part of the target. */
const membersOf = (book: Book, row: RunRow): readonly number[] => {
  const run = book.runs.get(row.runId);
  if (run === undefined) return row.prs;
  return [...run.stack, ...run.batch].map(({ pr }) => pr).filter((pr) => !run.landed.includes(pr));
};
