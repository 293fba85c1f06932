import type { SubmissionId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';
import { isAdmitted, isUrgent } from '../model/submission.js';
import type { Pace } from './context.js';
import type { Draft } from './draft.js';

/**
 * The admitted submissions in the order in which they are taken. Those whose tests have begun keep their places. The
 * others stand behind them: urgent ones first, then by one key that never changes, so that everybody's turn comes.
 */
export const lineOf = (draft: Draft): readonly Submission[] =>
  draft.derived('line', () =>
    draft
      .liveSubmissions()
      .filter(isAdmitted)
      .sort((one, other) => compareInLine(one, other, draft.context.pace)),
  );

/** How many stand before a submission; undefined for one that is not in line. */
export const placeInLine = (draft: Draft, id: SubmissionId): number | undefined =>
  draft
    .derived('places', () => new Map(lineOf(draft).map((submission, index) => [submission.id, index])))
    .get(id);

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
