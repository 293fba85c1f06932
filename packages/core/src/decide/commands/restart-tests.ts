import type { RestartTests } from '../../model/input.js';
import { isLive } from '../../model/submission.js';
import type { Draft } from '../draft.js';
import { letGoOfRuns, sendBack } from '../leave.js';
import { accepted, refused, type Taken } from './results.js';

/** Runs the tests of one submission again, on new evidence. Its place stays; nobody but its batch is tested again for it. */
export const restartTests = (draft: Draft, command: RestartTests): Taken => {
  const submission = draft.lastSubmission(command.pr);
  if (submission === undefined)
    return refused('NOT_SUBMITTED', `#${command.pr} was never submitted to this queue.`);
  const live = draft.liveSubmission(command.pr);
  if (live === undefined || (live.state !== 'testing' && live.state !== 'pending_failure'))
    return refused('NO_RUN_TO_RESTART', `#${command.pr} has no tests to restart: it is ${submission.state}.`);
  const reason = { reason: 'TESTS_RESTARTED_BY_API_REQUEST', actor: command.actor } as const;
  for (const id of [...letGoOfRuns(draft, live, 'restarted'), live.id]) {
    const submission = draft.submission(id);
    if (submission !== undefined && isLive(submission) && submission.state !== 'tests_passed')
      sendBack(draft, submission, reason, 'batch');
  }
  const waiting = draft.liveSubmission(command.pr) ?? live;
  return accepted(draft.change(waiting, { retries: 0, retryAt: null }));
};
