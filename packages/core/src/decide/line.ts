import { mayStart } from '../model/gates.js';
import type { SubmissionId } from '../model/ids.js';
import { statusOf } from '../model/queue.js';
import type { Submission } from '../model/submission.js';
import { isAdmitted, isUrgent } from '../model/submission.js';
import type { Pace } from './context.js';
import type { Draft } from './draft.js';

/**
 * The admitted submissions in the order in which they are taken. What is being landed cannot be overtaken. Urgent ones
 * come next, those that wait only where they may begin. The others whose tests have begun keep their places, and the rest
 * stands behind them by one key that never changes, so that everybody's turn comes.
 */
export const lineOf = (draft: Draft): readonly Submission[] =>
  draft.derived('line', () => {
    const { queue, context } = draft;
    const landing = new Map(queue.landing?.members.map((member, index) => [member.submissionId, index]));
    const mayBegin = mayStart(statusOf(queue), false);
    const rankOf = (submission: Submission): number => {
      if (landing.has(submission.id)) return 0;
      if (submission.place !== null) return isUrgent(submission) ? 1 : 3;
      return isUrgent(submission) && mayBegin ? 2 : 4;
    };
    return draft
      .liveSubmissions()
      .filter(isAdmitted)
      .map((submission) => ({ submission, rank: rankOf(submission) }))
      .sort(
        (one, other) =>
          one.rank - other.rank ||
          (landing.get(one.submission.id) ?? 0) - (landing.get(other.submission.id) ?? 0) ||
          compareInLine(one.submission, other.submission, context.pace),
      )
      .map(({ submission }) => submission);
  });

/** How many stand before a submission; undefined for one that is not in line. */
export const placeInLine = (draft: Draft, id: SubmissionId): number | undefined =>
  draft
    .derived('places', () => new Map(lineOf(draft).map((submission, index) => [submission.id, index])))
    .get(id);

/** The order among those of one rank. */
export const compareInLine = (one: Submission, other: Submission, pace: Pace): number =>
  placeOf(one) - placeOf(other) ||
  Number(isUrgent(other)) - Number(isUrgent(one)) ||
  lineKey(one, pace) - lineKey(other, pace) ||
  arrivalOf(one) - arrivalOf(other) ||
  one.submittedAt - other.submittedAt ||
  one.pr - other.pr;

/** Arrival plus what the priority is worth in waiting time: `high` overtakes 90 minutes of `medium`, by default. */
const lineKey = (submission: Submission, pace: Pace): number =>
  arrivalOf(submission) + submission.priority.value * pace.ageingMsPerPoint;

const arrivalOf = (submission: Submission): number => submission.admittedAt ?? submission.submittedAt;

const placeOf = (submission: Submission): number => submission.place ?? Number.MAX_SAFE_INTEGER;
