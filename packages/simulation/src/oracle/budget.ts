import type { HistoryRow } from '@mq/core';
import type { Book } from './ledger.js';

type RunRow = Extract<HistoryRow, { type: 'run' }>;

/**
 * True where the test before this one that ended in infrastructure, with no verdict in between, was one of others and not
 * long ago: then it is nobody's fault. `either`: or the one after it.
 */
export const isTogether = (
  history: readonly HistoryRow[],
  row: RunRow,
  book: Book,
  windowMs: number,
  side: 'before' | 'either' = 'before',
): boolean => {
  const tests = history.filter(
    (one): one is RunRow => one.type === 'run' && one.change === 'ended' && one.purpose === 'test',
  );
  const at = tests.indexOf(row);
  const isOfOthers = (other: RunRow | undefined): boolean =>
    other !== undefined &&
    other.outcome === 'infrastructure' &&
    Math.abs(row.at - other.at) <= windowMs &&
    !membersOf(book, other).some((pr) => membersOf(book, row).includes(pr));
  if (side === 'either') return isOfOthers(tests[at - 1]) || isOfOthers(tests[at + 1]);
  const known = tests.slice(0, at).findLast((one) => one.outcome !== 'cancelled');
  // What ended in the same decision may have been looked at in another order.
  return known !== undefined && known.at !== row.at && isOfOthers(known);
};

const membersOf = (book: Book, row: RunRow): readonly number[] => {
  const run = book.runs.get(row.runId);
  return run === undefined ? row.prs : [...run.stack, ...run.batch].map(({ pr }) => pr);
};
