import type { Sha } from '@mq/core';
import type { Book, Change, Check } from './ledger.js';
import { failing, type Truth } from './truth.js';

/** Nothing is set aside, for no input here breaks a rule; and whoever raises an alarm has seen what it says. */
export const alarmsAreTrue =
  (truth: Truth): Check =>
  (change, book) =>
    change.commit.writes.history.flatMap((row) => {
      if (row.type !== 'alarm') return [];
      switch (row.code) {
        case 'TARGET_REWOUND':
        case 'CLOCK_JUMPED':
        case 'BASE_KEEPS_MOVING':
          return [];
        case 'BASE_BROKEN':
          return isShownRed(truth, change, book) ? [] : [`Alarm: ${row.sentence} Nobody has seen it fail.`];
        case 'HOST_REFUSED':
          return truth.refusals.size > 0 || truth.repository.landingWaits.size > 0
            ? []
            : [`Alarm: ${row.sentence} It has refused nothing.`];
        case 'TREE_MISMATCH':
          return book.rewritten.size > 0 ? [] : [`Alarm: ${row.sentence} Nothing was rewritten.`];
        default:
          return [`Alarm ${row.code}: ${row.sentence}`];
      }
    });

/** A test of the bare tip has failed, for whatever reason. The pause may come only after repetitions without a verdict. */
const isShownRed = (truth: Truth, { commit, after }: Change, { runs }: Book): boolean =>
  commit.writes.runs.some(({ purpose, closedAt }) => purpose.kind === 'control' && closedAt !== null) &&
  [...runs.values()].some(
    ({ id, purpose, base, closedAt, deadlineAt }) =>
      purpose.kind === 'control' &&
      closedAt !== null &&
      base === after.queue.target.head &&
      (truth.ofRun(id).some(({ conclusion }) => failing.has(conclusion ?? '')) ||
        (deadlineAt !== null && deadlineAt <= closedAt)),
  );

/** I1: what was landed is another tree than was tested: the queue pauses and says so in the very commit that learns it. */
export const mismatchStops: Check = ({ commit }, book) => {
  const heads = commit.writes.receipts.map(({ landed }) => landed.head as Sha);
  const seen = heads.find((head) => book.rewritten.has(head));
  const isTold = commit.writes.history.some((row) => row.type === 'alarm' && row.code === 'TREE_MISMATCH');
  return seen === undefined || isTold ? [] : [`${seen} is not what was tested, and the queue goes on.`];
};
