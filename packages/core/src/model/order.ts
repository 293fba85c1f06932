import { goesFirst, type Submission } from './submission.js';

/** The fields that the order of the line depends on. */
export type OrderFields = Pick<
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

/** A small copy of a submission, for questions such as where it would be with another priority. */
export const orderFieldsOf = (submission: Submission): OrderFields => ({
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
 * The order of the line: urgent submissions and those tested with them first, then by place, then by a key that never
 * changes.
 */
export const compareInLine = (one: OrderFields, other: OrderFields, ageingMsPerPoint: number): number =>
  Number(goesFirst(other)) - Number(goesFirst(one)) ||
  placeOf(one) - placeOf(other) ||
  lineKey(one, ageingMsPerPoint) - lineKey(other, ageingMsPerPoint) ||
  arrivalOf(one) - arrivalOf(other) ||
  rankOf(one) - rankOf(other) ||
  bySubmission(one, other);

export const bySubmission = (one: OrderFields, other: OrderFields): number =>
  one.submittedRank - other.submittedRank || one.submittedAt - other.submittedAt || one.pr - other.pr;

/**
 * Arrival time plus the waiting time that the priority is worth. By default `high` overtakes 90 minutes of `medium`.
 */
const lineKey = (submission: OrderFields, ageingMsPerPoint: number): number =>
  arrivalOf(submission) + submission.priority.value * ageingMsPerPoint;

const arrivalOf = (submission: OrderFields): number => submission.admittedAt ?? submission.submittedAt;

// Orders submissions that arrived within the same millisecond.
const rankOf = (submission: OrderFields): number => submission.admittedRank ?? submission.submittedRank;

const placeOf = (submission: OrderFields): number => submission.place ?? Number.MAX_SAFE_INTEGER;
