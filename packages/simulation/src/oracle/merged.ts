import type { Pace } from '@mq/core';
import { attemptKey, type Check } from './ledger.js';
import type { Truth } from './truth.js';

/** I10: whatever is shown as merged is on the target; I9: whatever is shown as left for a deed was left for that deed. */
export const truthfulEnds =
  (truth: Truth, { missingGraceMs }: Pick<Pace, 'missingGraceMs'>): Check =>
  ({ commit, before, after }, book) =>
    commit.writes.history.flatMap((row) => {
      if (row.type !== 'moved') return [];
      const key = attemptKey(row);
      const submission = after.submissions.get(row.submissionId);
      switch (row.reason) {
        case 'MERGE_GRAPH_DIRECT_MERGE':
        case 'MERGE_GRAPH_MERGE': {
          if (!book.landed.has(key)) return [`${key} is shown as landed, and it never was.`];
          // A new attempt may have begun in the same commit: its row says nothing about the one before.
          if (submission?.attempt !== row.attempt) return [];
          const isThere = submission.landed !== null && truth.wasOnTarget(submission.landed.commit);
          return isThere ? [] : [`${key} is shown as landed as a commit that the target never held.`];
        }
        case 'MANUAL_MERGE':
          // What was landed in the time that the store lost is there, and nobody knows any more who put it there.
          if (book.wasLandedBefore(row.pr)) return [];
          if (book.landed.has(key)) return [`${key} was landed by the queue and is shown as merged by hand.`];
          return truth.was(row.pr, 'merged by hand') ? [] : [`${key} is shown as merged by hand.`];
        case 'NOTHING_TO_LAND': {
          const head = submission?.head;
          const isOnTarget = ({ queue }: typeof after) =>
            head !== undefined && truth.everContained(head, queue.settings.mergeMethod);
          // What the queue has landed of it itself may not be merged once more without a conflict. Submitted again by a late
          // sight of it, it has another head, and is shown as merged by that landing.
          const shown = submission?.pull.merged?.commit;
          const isOurs = [...book.landed.values()].some(
            (one) => one.pr === row.pr && (one.head === head || one.commit === shown),
          );
          // Another method may have been set since it was put together.
          const isHeld = isOurs || isOnTarget(before) || isOnTarget(after);
          return isHeld ? [] : [`${key} is shown as merged; its change is not on the target.`];
        }
        case 'PR_CLOSED':
          return truth.was(row.pr, 'closed') ? [] : [`${key} left for being closed, and nobody closed it.`];
        case 'PR_PUSHED_TO':
          return truth.was(row.pr, 'pushed') ? [] : [`${key} left for a push that nobody made.`];
        case 'PR_CONVERTED_TO_DRAFT':
          return truth.was(row.pr, 'drafted') ? [] : [`${key} left for being a draft, which it never was.`];
        case 'PR_BASE_BRANCH_CHANGED':
          return truth.was(row.pr, 'retargeted') ? [] : [`${key} left for another base, and it had none.`];
        case 'PR_NOT_FOUND':
          // Once seen not to be there it is looked for again before it is given up, by whatever clock.
          if (truth.was(row.pr, 'deleted') || truth.absentMs(row.pr) >= missingGraceMs) return [];
          return truth.isStoreClockSet && truth.wasLookedForAgain(row.pr)
            ? []
            : [`${key} is given up, and the host has not been without it for so long.`];
        default:
          return row.to === 'cancelled' && book.landed.has(key) && !book.wasLandedBefore(row.pr)
            ? [`${key} was landed and is shown as cancelled.`]
            : [];
      }
    });
