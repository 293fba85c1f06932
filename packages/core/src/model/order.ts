import type { Submission } from './submission.js';
import { goesFirst } from './submission.js';

/**
 * The order among those of one kind: urgent ones and who is tested with them first, then by place, or by one key that never
 * changes.
 */
export const compareInLine = (one: Submission, other: Submission, ageingMsPerPoint: number): number =>
  Number(goesFirst(other)) - Number(goesFirst(one)) ||
  placeOf(one) - placeOf(other) ||
  lineKey(one, ageingMsPerPoint) - lineKey(other, ageingMsPerPoint) ||
  arrivalOf(one) - arrivalOf(other) ||
  rankOf(one) - rankOf(other) ||
  bySubmission(one, other);

/** The order in which they were submitted. Rows of the first release have no rank to tell them apart. */
export const bySubmission = (one: Submission, other: Submission): number =>
  one.submittedRank - other.submittedRank || one.submittedAt - other.submittedAt || one.pr - other.pr;

/** Arrival plus what the priority is worth in waiting time: `high` overtakes 90 minutes of `medium`, by default. */
const lineKey = (submission: Submission, ageingMsPerPoint: number): number =>
  arrivalOf(submission) + submission.priority.value * ageingMsPerPoint;

const arrivalOf = (submission: Submission): number => submission.admittedAt ?? submission.submittedAt;

/** Who came first of those who came within one millisecond. */
const rankOf = (submission: Submission): number => submission.admittedRank ?? submission.submittedRank;

const placeOf = (submission: Submission): number => submission.place ?? Number.MAX_SAFE_INTEGER;
