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

/** Who is no longer what was submitted. One that is not ready follows its pull request; an admitted one leaves. */
export const depart = (draft: Draft): void => {
  const concerned = draft
    .liveSubmissions()
    .filter((one) => departure(draft, one) !== null || isBehindPull(one));
  for (const { id } of concerned.toSorted(bySubmission)) {
    // Whoever left before may have sent this one back.
    const submission = draft.submission(id);
    if (submission === undefined || !isLive(submission)) continue;
    const because = departure(draft, submission);
    if (because === null) follow(draft, submission);
    // What the host shows may be this very landing: its own answer has to come first.
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

/** What was shown of it last counts also where it is missing since. */
const departure = (draft: Draft, submission: Submission): Departure | null => {
  const { missingSince } = submission;
  const shown = departureShown(draft.queue, submission);
  return shown ?? (missingSince === null ? null : missing(draft, submission, missingSince));
};

const departureShown = ({ branch }: Queue, { pull, head, state, landed }: Submission): Departure | null => {
  if (pull.state === 'merged') {
    if (pull.merged?.branch !== branch) return { to: 'cancelled', reason: 'PR_MERGED_INTO_OTHER_BRANCH' };
    // Submitted again before the host showed what the queue had landed.
    const isOurs = landed !== null && pull.merged.commit === landed.commit;
    return { to: 'merged', reason: isOurs ? 'NOTHING_TO_LAND' : 'MANUAL_MERGE' };
  }
  if (state === 'not_ready') return null;
  const reason = whyUnlike(pull, branch, head);
  return reason === null ? null : { to: 'cancelled', reason };
};

/** Why a pull request is not what was admitted any more; null while it is. */
export const whyUnlike = (pull: PullRequest, branch: string, head: string): ReasonCode | null => {
  if (pull.state === 'closed') return 'PR_CLOSED';
  if (pull.base !== branch) return 'PR_BASE_BRANCH_CHANGED';
  if (pull.draft) return 'PR_CONVERTED_TO_DRAFT';
  return pull.head === head ? null : 'PR_PUSHED_TO';
};

/** It may be missing for a moment only: it is given up where it is so still when it is asked for after a grace time. */
const missing = (draft: Draft, { isGone }: Submission, since: Instant): Departure | null => {
  if (isGone) return { to: 'cancelled', reason: 'PR_NOT_FOUND' };
  const giveUpAt = since + draft.context.pace.missingGraceMs;
  if (draft.now < giveUpAt) draft.wakeAt(giveUpAt);
  else askOnceMore(draft, giveUpAt);
  return null;
};

const askOnceMore = (draft: Draft, since: Instant): void => {
  const { askedAt, again } = draft.queue.polls.pullRequests;
  if (askedAt < since && !again) askSoon(draft, 'pullRequests');
};

const follow = (draft: Draft, submission: Submission): void => {
  if (isBehindPull(submission)) draft.change(submission, { head: submission.pull.head });
};

const isBehindPull = ({ state, head, pull }: Submission): boolean =>
  state === 'not_ready' && head !== pull.head;
