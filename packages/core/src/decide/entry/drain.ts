import { isLive } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { isBisected } from '../line/placement-input.js';
import { takeFromLanding } from '../moves/landing.js';
import { leave } from '../moves/leave.js';

/**
 * While the queue drains with `cancelPending`, cancels every submission without an open test run, also one between two test
 * runs. Except those that have passed, since the run of another may have proven them, and those under bisection.
 */
export const drain = (draft: Draft): void => {
  const { wanted, cancelsPending } = draft.queue;
  if (wanted !== 'draining' || !cancelsPending) return;
  for (const { id } of [...draft.liveSubmissions()]) {
    // A pull request that left earlier in this loop may have requeued this one.
    const submission = draft.submission(id);
    if (submission === undefined || !isLive(submission)) continue;
    const hasPassed = submission.state === 'tests_passed';
    if (hasPassed || draft.runsOf(submission).length > 0 || isBisected(draft, submission)) continue;
    if (takeFromLanding(draft, submission))
      leave(draft, submission, 'cancelled', { reason: 'QUEUE_DRAINING' });
  }
};
