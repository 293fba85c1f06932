import type { BuildCandidateRequest } from '@mq/core';

/** The bounds of the dates of one pull request's commits in a candidate, in whole seconds. */
export interface Dating {
  /** A commit of the branch counts as dated no later. */
  readonly ownSeconds: number;
  /** No commit of the candidate is dated later. */
  readonly decidedAtSeconds: number;
}

export const datingOf = (
  { decidedAt }: Pick<BuildCandidateRequest, 'decidedAt'>,
  { begunAt = decidedAt }: Pick<BuildCandidateRequest['parts'][number], 'begunAt'>,
): Dating => ({
  ownSeconds: Math.floor(Math.min(begunAt, decidedAt) / 1000),
  decidedAtSeconds: Math.floor(decidedAt / 1000),
});

/** No earlier than the commit below, unless that one is dated later than the decision. */
export const dated = (
  belowSeconds: number,
  committedAtSeconds: number,
  { ownSeconds, decidedAtSeconds }: Dating,
): number => {
  const own = Math.min(committedAtSeconds, ownSeconds);
  return belowSeconds > decidedAtSeconds ? own : Math.max(belowSeconds, own);
};
