import type { Instant } from '../../model/ids.js';
import type { PullRequestsSeen } from '../../model/input.js';
import { isSameShown, notOfTomorrow, type PullRequest } from '../../model/pull-request.js';
import type { Draft } from '../draft.js';
import { answered } from '../polls.js';

export const pullRequestsSeen = (draft: Draft, fact: PullRequestsSeen): void => {
  const askedAt = answered(draft, 'pullRequests', fact.effectId);
  if (askedAt === null) return;
  for (const pull of fact.pulls) pullRequestSeen(draft, pull);
  for (const pr of fact.missing) pullRequestMissing(draft, pr, askedAt);
};

/** What the host shows of one pull request; true if it is news. No read overwrites what a later one has brought. */
export const pullRequestSeen = (draft: Draft, seen: PullRequest): boolean => {
  const submission = draft.liveSubmission(seen.number);
  if (submission === undefined) return false;
  if (submission.missingSince === null && isSameShown(seen, submission.pull)) return false;
  const pull = notOfTomorrow(seen, draft.now);
  if (pull.readAt < submission.pull.readAt) return false;
  draft.change(submission, { pull, missingSince: null, isGone: false });
  return true;
};

/** One answer may have left it out: only where it is asked for anew after a grace time is it gone. */
export const pullRequestMissing = (draft: Draft, pr: number, askedAt: Instant | null = null): void => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined) return;
  const { missingSince, isGone } = submission;
  if (missingSince === null) draft.change(submission, { missingSince: draft.now });
  else if (!isGone && askedAt !== null && askedAt >= missingSince + draft.context.pace.missingGraceMs)
    draft.change(submission, { isGone: true });
};
