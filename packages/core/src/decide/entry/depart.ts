import type { Instant } from '../../model/ids.js';
import { bySubmission } from '../../model/order.js';
import type { PullRequest } from '../../model/pull-request.js';
import type { Queue } from '../../model/queue.js';
import type { ReasonCode } from '../../model/reasons.js';
import { isLive, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { takeFromLanding } from '../moves/landing.js';
import { leave } from '../moves/leave.js';
import { askSoon } from '../moves/polls.js';

/**
 * Takes out pull requests that have changed since they were submitted. A pull request that is not ready leaves only
 * if it is merged or gone; otherwise the queue takes over its new head.
 */
export const depart = (draft: Draft): void => {
  const changed = draft
    .liveSubmissions()
    .filter((one) => departure(draft, one) !== null || hasOlderHead(one));
  for (const { id } of changed.toSorted(bySubmission)) {
    // A pull request that left earlier in this loop may have requeued this one.
    const submission = draft.submission(id);
    if (submission === undefined || !isLive(submission)) continue;
    const because = departure(draft, submission);
    if (because === null) followHead(draft, submission);
    // The host may already show this queue's own landing. The answer to that landing has to come first.
    else if (takeFromLanding(draft, submission)) {
      leave(draft, submission, because.to, { reason: because.reason });
      if (because.reason === 'MANUAL_MERGE') askSoon(draft, 'branch');
    }
  }
};

interface Departure {
  readonly to: 'merged' | 'cancelled';
  readonly reason: ReasonCode;
}

/** Why it leaves; null if it stays. While the host does not show the pull request, its last shown state counts. */
const departure = (draft: Draft, submission: Submission): Departure | null => {
  const { missingSince } = submission;
  const shown = departureOfShown(draft.queue, submission);
  return shown ?? (missingSince === null ? null : departureOfMissing(draft, submission, missingSince));
};

const departureOfShown = ({ branch }: Queue, { pull, head, state, landed }: Submission): Departure | null => {
  if (pull.state === 'merged') {
    if (pull.merged?.branch !== branch) return { to: 'cancelled', reason: 'PR_MERGED_INTO_OTHER_BRANCH' };
    // It was submitted again before the host showed that the queue had landed it.
    const isOurs = landed !== null && pull.merged.commit === landed.commit;
    return { to: 'merged', reason: isOurs ? 'NOTHING_TO_LAND' : 'MANUAL_MERGE' };
  }
  if (state === 'not_ready') return null;
  const reason = reasonOfChange(pull, branch, head);
  return reason === null ? null : { to: 'cancelled', reason };
};

/** Why a pull request is not what was admitted any more; null while it is. */
export const reasonOfChange = (pull: PullRequest, branch: string, head: string): ReasonCode | null => {
  if (pull.state === 'closed') return 'PR_CLOSED';
  if (pull.base !== branch) return 'PR_BASE_BRANCH_CHANGED';
  if (pull.draft) return 'PR_CONVERTED_TO_DRAFT';
  return pull.head === head ? null : 'PR_PUSHED_TO';
};

/** It may be missing only for a moment. It leaves if it is still missing when read again after the grace time. */
const departureOfMissing = (draft: Draft, { isGone }: Submission, graceEnd: Instant): Departure | null => {
  if (isGone) return { to: 'cancelled', reason: 'PR_NOT_FOUND' };
  const giveUpAt = graceEnd + draft.context.pace.missingGraceMs;
  if (draft.now < giveUpAt) draft.wakeAt(giveUpAt);
  else readOnceMore(draft, giveUpAt);
  return null;
};

const readOnceMore = (draft: Draft, graceEnd: Instant): void => {
  const { askedAt, again } = draft.queue.polls.pullRequests;
  if (askedAt < graceEnd && !again) askSoon(draft, 'pullRequests');
};

const followHead = (draft: Draft, submission: Submission): void => {
  if (hasOlderHead(submission)) draft.change(submission, { head: submission.pull.head });
};

const hasOlderHead = ({ state, head, pull }: Submission): boolean =>
  state === 'not_ready' && head !== pull.head;
