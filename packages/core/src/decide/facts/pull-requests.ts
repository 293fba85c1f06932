import type { PullRequestsSeen } from '../../model/input.js';
import { notOfTomorrow, type PullRequest } from '../../model/pull-request.js';
import { isSameRow } from '../../model/same.js';
import type { Draft } from '../draft.js';
import { answered } from '../polls.js';

export const pullRequestsSeen = (draft: Draft, fact: PullRequestsSeen): void => {
  if (answered(draft, 'pullRequests', fact.effectId) === null) return;
  for (const pull of fact.pulls) pullRequestSeen(draft, pull);
  for (const pr of fact.missing) pullRequestMissing(draft, pr);
};

/** What the host shows of one pull request; true if it is news. An older read never overwrites a newer one. */
export const pullRequestSeen = (draft: Draft, seen: PullRequest): boolean => {
  const pull = notOfTomorrow(seen, draft.now);
  const submission = draft.liveSubmission(pull.number);
  if (submission === undefined || pull.readAt < submission.pull.readAt) return false;
  if (isSameRow(pull, submission.pull, 'readAt') && submission.missingSince === null) return false;
  draft.change(submission, { pull, missingSince: null });
  return true;
};

export const pullRequestMissing = (draft: Draft, pr: number): void => {
  const submission = draft.liveSubmission(pr);
  if (submission !== undefined && submission.missingSince === null)
    draft.change(submission, { missingSince: draft.now });
};
