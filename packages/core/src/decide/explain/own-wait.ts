import { remainingStack } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { WaitCode } from '../../model/waits.js';
import { lacking } from '../admit.js';
import type { Draft } from '../draft.js';
import { isQueuedOnly } from '../expire.js';
import { isBeingLanded } from '../landing.js';
import { isIsolated } from '../positions.js';
import { isFresh } from '../schedule.js';

/** What a live submission waits for by itself, whatever state the queue is in. */
export const ownWait = (draft: Draft, submission: Submission): WaitCode => {
  switch (submission.state) {
    case 'not_ready':
      return lacking(draft, submission) ?? 'turn';
    case 'tests_passed':
      return isBeingLanded(draft, submission) ? 'landing' : 'landing_turn';
    case 'pending_failure':
      return heldBack(draft, submission);
    case 'testing': {
      const run = draft.runsOf(submission).at(-1);
      if (run === undefined) return 'retry';
      if (run.state === 'building') return 'trial';
      return isQueuedOnly(run) ? 'queued_checks' : 'checks';
    }
    default:
      if (submission.asideSince !== null) return 'mergeable';
      if (isIsolated(draft, submission)) return 'isolation';
      if (submission.heldBy !== null)
        return submission.reason === 'CHANGE_ALREADY_AHEAD' ? 'change_ahead' : 'conflict_ahead';
      if (submission.retryAt !== null) return 'host';
      return draft.queue.target.head === null || !isFresh(draft) ? 'target_branch' : 'turn';
  }
};

const heldBack = (draft: Draft, submission: Submission): WaitCode => {
  const run = submission.failedRunId === null ? undefined : draft.run(submission.failedRunId);
  if (run === undefined || remainingStack(run).length > 0) return 'verdicts_ahead';
  return draft.queue.tipTrust.asked.length > 0 ? 'control' : 'witnesses';
};
