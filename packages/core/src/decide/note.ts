import type { Submission } from '../model/submission.js';
import type { WaitCode } from '../model/waits.js';
import { lacking } from './admit.js';
import type { Draft } from './draft.js';
import { isBeingLanded } from './landing.js';

/** Writes down what everybody waits for, coarsely: what changes with the neighbours is said by `explain`. */
export const note = (draft: Draft): void => {
  for (const submission of draft.liveSubmissions()) {
    const waitingFor = waitOf(draft, submission);
    if (waitingFor !== submission.waitingFor) draft.change(submission, { waitingFor });
  }
};

const waitOf = (draft: Draft, submission: Submission): WaitCode => {
  switch (submission.state) {
    case 'not_ready':
      return lacking(draft, submission) ?? 'turn';
    case 'tests_passed':
      return isBeingLanded(draft, submission) ? 'landing' : 'landing_turn';
    case 'pending_failure':
      return 'verdicts_ahead';
    case 'testing': {
      const run = draft.runsOf(submission).at(-1);
      if (run === undefined) return 'retry';
      return run.state === 'building' ? 'trial' : 'checks';
    }
    default:
      if (submission.asideSince !== null) return 'mergeable';
      if (submission.heldBy !== null) return 'conflict_ahead';
      if (submission.retryAt !== null) return 'retry';
      return draft.queue.target.head === null ? 'target_branch' : 'turn';
  }
};
