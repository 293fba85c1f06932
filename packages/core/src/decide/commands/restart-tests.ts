import type { RestartTests } from '../../model/input.js';
import type { Draft } from '../draft.js';
import { sendBack } from '../leave.js';
import { accepted, refused, type Taken } from './results.js';

/** Runs the tests of one submission again, on new evidence. Its place stays, and nobody else is tested again for it. */
export const restartTests = (draft: Draft, command: RestartTests): Taken => {
  const submission = draft.lastSubmission(command.pr);
  if (submission === undefined)
    return refused('NOT_SUBMITTED', `#${command.pr} was never submitted to this queue.`);
  const live = draft.liveSubmission(command.pr);
  if (live === undefined || (live.state !== 'testing' && live.state !== 'pending_failure'))
    return refused('NO_RUN_TO_RESTART', `#${command.pr} has no tests to restart: it is ${submission.state}.`);
  for (const run of draft.runsOf(live)) draft.closeRun(run, 'restarted');
  const reason = { reason: 'TESTS_RESTARTED_BY_API_REQUEST', actor: command.actor } as const;
  return accepted(draft.change(sendBack(draft, live, reason, true), { retries: 0, retryAt: null }));
};
