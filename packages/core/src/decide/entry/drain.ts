import { isLive } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { isBisected } from '../line/placement-input.js';
import { takeFromLanding } from '../moves/landing.js';
import { leave } from '../moves/leave.js';

/** While the queue drains with `cancelPending`, cancels every submission without a test run that is not under bisection. */
export const drain = (draft: Draft): void => {
  const { wanted, cancelsPending } = draft.queue;
  if (wanted !== 'draining' || !cancelsPending) return;
  for (const { id } of [...draft.liveSubmissions()]) {
    // A pull request that left earlier in this loop may have requeued this one.
    const submission = draft.submission(id);
    if (submission === undefined || !isLive(submission)) continue;
    const { state } = submission;
    const isWaiting = state === 'not_ready' || state === 'pending';
    if (!isWaiting || draft.runsOf(submission).length > 0 || isBisected(draft, submission)) continue;
    if (takeFromLanding(draft, submission))
      leave(draft, submission, 'cancelled', { reason: 'QUEUE_DRAINING' });
  }
};
