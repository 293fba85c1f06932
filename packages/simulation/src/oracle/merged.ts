import type { Pace } from '@mq/core';
import { attemptKey, type Check } from './ledger.js';
import type { Truth } from './truth.js';

/** I10: what is recorded as merged is on the target. I9: what left for an action of a person really had that action. */
export const correctEndReasons =
  (truth: Truth, { missingGraceMs }: Pick<Pace, 'missingGraceMs'>): Check =>
  ({ commit, before, after }, book) =>
    commit.writes.history.flatMap((row) => {
      if (row.type !== 'moved') return [];
      const key = attemptKey(row);
      const submission = after.submissions.get(row.submissionId);
      switch (row.reason) {
        case 'MERGE_GRAPH_DIRECT_MERGE':
        case 'MERGE_GRAPH_MERGE': {
          if (!book.landed.has(key)) return [`${key} is recorded as landed, but never landed.`];
          // If a new attempt began in the same commit, the row shows that one.
          if (submission?.attempt !== row.attempt) return [];
          const isThere = submission.landed !== null && truth.wasOnTarget(submission.landed.commit);
          return isThere ? [] : [`${key} is recorded as landed as a commit that was never on the target.`];
        }
        case 'MANUAL_MERGE':
          // The store has lost the landing, so that the engine cannot know that it was its own.
          if (book.wasLandedBefore(row.pr)) return [];
          if (book.landed.has(key)) return [`${key} landed by the queue but is recorded as merged by hand.`];
          return truth.was(row.pr, 'merged by hand')
            ? []
            : [`${key} is recorded as merged by hand, but was not.`];
        case 'NOTHING_TO_LAND': {
          const head = submission?.head;
          const isOnTarget = ({ queue }: typeof after) =>
            head !== undefined && truth.everContained(head, queue.settings.mergeMethod);
          // A change that the queue landed itself may conflict when it is merged again. After a stale read it may be submitted
          // again with another head, and the host then shows it as merged by that landing.
          const shown = submission?.pull.merged?.commit;
          const isOurs = [...book.landed.values()].some(
            (one) => one.pr === row.pr && (one.head === head || one.commit === shown),
          );
          // The merge method may have changed since the candidate was built.
          const isHeld = isOurs || isOnTarget(before) || isOnTarget(after);
          return isHeld ? [] : [`${key} is recorded as merged, but its change is not on the target.`];
        }
        case 'PR_CLOSED':
          return truth.was(row.pr, 'closed') ? [] : [`${key} left because it was closed, but it was not.`];
        case 'PR_PUSHED_TO':
          return truth.was(row.pr, 'pushed') ? [] : [`${key} left because of a push, but there was none.`];
        case 'PR_CONVERTED_TO_DRAFT':
          return truth.was(row.pr, 'drafted')
            ? []
            : [`${key} left because it became a draft, but it did not.`];
        case 'PR_BASE_BRANCH_CHANGED':
          return truth.was(row.pr, 'retargeted')
            ? []
            : [`${key} left because its base changed, but it did not.`];
        case 'PR_NOT_FOUND':
          // A missing pull request is read again before it is cancelled, also if a clock was set.
          if (truth.was(row.pr, 'deleted') || truth.absentMs(row.pr) >= missingGraceMs) return [];
          return truth.isStoreClockSet && truth.wasLookedForAgain(row.pr)
            ? []
            : [`${key} left as not found before the host had been without it for the grace period.`];
        default:
          return row.to === 'cancelled' && book.landed.has(key) && !book.wasLandedBefore(row.pr)
            ? [`${key} landed but is recorded as cancelled.`]
            : [];
      }
    });
