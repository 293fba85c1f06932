import { mayTest } from '../../model/gates.js';
import type { HistoryRow, RecordedLine, RecordedStanding } from '../../model/history.js';
import type { Instant } from '../../model/ids.js';
import { priorityClasses } from '../../model/priority.js';
import { type Queue, statusOf } from '../../model/queue.js';
import { goesFirst, isAdmitted, type Submission } from '../../model/submission.js';
import type { DraftRows } from './draft-rows.js';

/** How the decision has changed the order of the line, for its last history row. Empty if it has not. */
export const orderChange = (
  draft: DraftRows,
  changed: readonly Submission[],
): Pick<HistoryRow, 'standings' | 'line'> => {
  const standings = changed.flatMap((submission) => {
    const standing = standingOf(submission);
    const isSame = standing === null || areSame(standing, standingOf(draft.submissionBefore(submission.id)));
    return isSame ? [] : [standing];
  });
  const { queue, before, now } = draft;
  const line = lineOf(queue, now);
  const isLineChanged =
    before.landing !== queue.landing || lineOf(before, before.decidedAt).isUrgentFirst !== line.isUrgentFirst;
  return { ...(standings.length === 0 ? {} : { standings }), ...(isLineChanged ? { line } : {}) };
};

/** Null unless it is admitted. */
const standingOf = (submission: Submission | undefined): RecordedStanding | null =>
  submission === undefined || !isAdmitted(submission)
    ? null
    : {
        pr: submission.pr,
        place: submission.place,
        admittedRank: submission.admittedRank,
        priority: submission.priority.value,
        isFirst: goesFirst(submission),
      };

const areSame = (one: RecordedStanding, other: RecordedStanding | null): boolean =>
  other !== null &&
  one.place === other.place &&
  one.admittedRank === other.admittedRank &&
  one.priority === other.priority &&
  one.isFirst === other.isFirst;

const anUrgentOne = {
  place: null,
  skipTheLine: true,
  priority: { value: priorityClasses.urgent, named: true },
} as const;

const lineOf = (queue: Queue, now: Instant): RecordedLine => ({
  landing: queue.landing?.members.map(({ pr }) => pr) ?? [],
  isUrgentFirst: mayTest(statusOf(queue), { queue, now }, anUrgentOne),
});
