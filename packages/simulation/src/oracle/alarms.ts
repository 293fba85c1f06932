import type { Sha } from '@mq/core';
import type { Book, Change, Check } from './ledger.js';
import { failing, type Truth } from './truth.js';

/** No input is set aside, because none is invalid here; and every alarm has a real cause. */
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
          return isShownRed(truth, change, book) ? [] : [`Alarm: ${row.sentence} No baseline run failed.`];
        case 'HOST_REFUSED':
          return truth.refusals.size > 0 || truth.repository.landingWaits.size > 0
            ? []
            : [`Alarm: ${row.sentence} The host refused nothing.`];
        case 'TREE_MISMATCH':
          return book.rewritten.size > 0 ? [] : [`Alarm: ${row.sentence} The host landed what was tested.`];
        default:
          return [`Alarm ${row.code}: ${row.sentence}`];
      }
    });

/** True if a baseline run of the tip has failed. The pause may come later, after repetitions without a verdict. */
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

/** I1: if the landed tree is not the tested one, the commit that stores the receipt raises an alarm. */
export const mismatchRaisesAlarm: Check = ({ commit }, book) => {
  const heads = commit.writes.receipts.map(({ landed }) => landed.head as Sha);
  const rewrittenHead = heads.find((head) => book.rewritten.has(head));
  const hasAlarm = commit.writes.history.some((row) => row.type === 'alarm' && row.code === 'TREE_MISMATCH');
  return rewrittenHead === undefined || hasAlarm
    ? []
    : [`${rewrittenHead} is not what was tested, and the queue raised no alarm.`];
};
