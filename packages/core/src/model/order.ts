import { goesFirst, type Submission } from './submission.js';

/** What the order in line goes by. */
export type Standing = Pick<
  Submission,
  | 'id'
  | 'attempt'
  | 'pr'
  | 'place'
  | 'priority'
  | 'skipTheLine'
  | 'goesWithUrgent'
  | 'admittedAt'
  | 'admittedRank'
  | 'submittedAt'
  | 'submittedRank'
>;

/** By itself, and not with all the rest: copies are made of it, to ask where it would stand if it were otherwise. */
export const standingOf = (submission: Submission): Standing => ({
  id: submission.id,
  attempt: submission.attempt,
  pr: submission.pr,
  place: submission.place,
  priority: submission.priority,
  skipTheLine: submission.skipTheLine,
  goesWithUrgent: submission.goesWithUrgent,
  admittedAt: submission.admittedAt,
  admittedRank: submission.admittedRank,
  submittedAt: submission.submittedAt,
  submittedRank: submission.submittedRank,
});

/**
 * The order among those of one kind: urgent ones and who is tested with them first, then by place, or by one key that never
 * changes.
 */
export const compareInLine = (one: Standing, other: Standing, ageingMsPerPoint: number): number =>
  Number(goesFirst(other)) - Number(goesFirst(one)) ||
  placeOf(one) - placeOf(other) ||
  lineKey(one, ageingMsPerPoint) - lineKey(other, ageingMsPerPoint) ||
  arrivalOf(one) - arrivalOf(other) ||
  rankOf(one) - rankOf(other) ||
  bySubmission(one, other);

export const bySubmission = (one: Standing, other: Standing): number =>
  one.submittedRank - other.submittedRank || one.submittedAt - other.submittedAt || one.pr - other.pr;

/** Arrival plus what the priority is worth in waiting time: `high` overtakes 90 minutes of `medium`, by default. */
const lineKey = (submission: Standing, ageingMsPerPoint: number): number =>
  arrivalOf(submission) + submission.priority.value * ageingMsPerPoint;

const arrivalOf = (submission: Standing): number => submission.admittedAt ?? submission.submittedAt;

/** Who came first of those who came within one millisecond. */
const rankOf = (submission: Standing): number => submission.admittedRank ?? submission.submittedRank;

const placeOf = (submission: Standing): number => submission.place ?? Number.MAX_SAFE_INTEGER;
