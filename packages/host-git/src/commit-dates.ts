import type { BuildCandidateRequest } from '@mq/core';

/** The bounds of the dates of one pull request's commits in a candidate, in whole seconds. */
export interface CommitDates {
  /** Upper bound for dates of the branch's commits. */
  readonly ownSeconds: number;
  /** Upper bound for dates of the candidate's commits. */
  readonly decidedAtSeconds: number;
}

export const commitDatesOf = (
  { decidedAt }: Pick<BuildCandidateRequest, 'decidedAt'>,
  { begunAt = decidedAt }: Pick<BuildCandidateRequest['parts'][number], 'begunAt'>,
): CommitDates => ({
  ownSeconds: Math.floor(Math.min(begunAt, decidedAt) / 1000),
  decidedAtSeconds: Math.floor(decidedAt / 1000),
});

/** The date of a new commit: not before its parent's, unless that is later than the decision. */
export const dated = (
  belowSeconds: number,
  committedAtSeconds: number,
  { ownSeconds, decidedAtSeconds }: CommitDates,
): number => {
  const own = Math.min(committedAtSeconds, ownSeconds);
  return belowSeconds > decidedAtSeconds ? own : Math.max(belowSeconds, own);
};
