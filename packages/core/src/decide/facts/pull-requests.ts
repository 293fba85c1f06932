import type { PullRequestsSeen } from '../../model/input.js';
import type { PullRequest } from '../../model/pull-request.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft.js';
import { holdBackLanding, isBeingLanded } from '../landing.js';
import { leave } from '../leave.js';
import { answered, askSoon } from '../polls.js';

export const pullRequestsSeen = (draft: Draft, fact: PullRequestsSeen): void => {
  if (answered(draft, 'pullRequests', fact.effectId, draft.context.pace.pollPullRequestsMs) === null) return;
  for (const pull of fact.pulls) pullRequestSeen(draft, pull);
  for (const pr of fact.missing) pullRequestMissing(draft, pr);
};

/** What the host shows of one pull request. An older read never overwrites a newer one. */
export const pullRequestSeen = (draft: Draft, pull: PullRequest): void => {
  const submission = draft.liveSubmission(pull.number);
  if (submission === undefined || pull.readAt < submission.pull.readAt) return;
  if (isSame(pull, submission.pull) && submission.missingSince === null) return;
  // The landing may be what the host shows already: its own answer has to come first, and then it is asked again.
  if (isBeingLanded(draft, submission) && !holdBackLanding(draft)) return;
  const seen = draft.change(submission, { pull, missingSince: null });
  if (pull.state === 'merged') return mergedOutside(draft, seen);
  if (seen.state === 'not_ready') {
    draft.change(seen, { head: pull.head });
    return;
  }
  const reason = departure(draft, seen);
  if (reason !== null) leave(draft, seen, 'cancelled', { reason });
  else if (pull.conflicts && pull.base === draft.queue.branch)
    leave(draft, seen, 'failed', {
      reason: 'START_TEST_RUN_MERGE_CONFLICT',
      detail: pull.mergeabilityReason,
    });
};

/** A pull request may be missing for a moment only: it is given up after a grace time. */
export const pullRequestMissing = (draft: Draft, pr: number): void => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined || (isBeingLanded(draft, submission) && !holdBackLanding(draft))) return;
  const since = submission.missingSince ?? draft.now;
  const missing = draft.change(submission, { missingSince: since });
  if (draft.now - since >= draft.context.pace.missingGraceMs)
    leave(draft, missing, 'cancelled', { reason: 'PR_NOT_FOUND' });
};

const departure = (draft: Draft, { pull, head }: Submission) => {
  if (pull.state === 'closed') return 'PR_CLOSED';
  if (pull.base !== draft.queue.branch) return 'PR_BASE_BRANCH_CHANGED';
  if (pull.draft) return 'PR_CONVERTED_TO_DRAFT';
  if (pull.head !== head) return 'PR_PUSHED_TO';
  return null;
};

const mergedOutside = (draft: Draft, submission: Submission): void => {
  const { merged } = submission.pull;
  if (merged?.branch !== draft.queue.branch) {
    leave(draft, submission, 'cancelled', { reason: 'PR_MERGED_INTO_OTHER_BRANCH' });
    return;
  }
  askSoon(draft, 'branch');
  leave(draft, submission, 'merged', { reason: 'MANUAL_MERGE' });
};

const isSame = (one: PullRequest, other: PullRequest): boolean =>
  JSON.stringify({ ...one, readAt: 0 }) === JSON.stringify({ ...other, readAt: 0 });
