import type { SubmissionId } from '../../../model/ids.js';
import type { RestartTests } from '../../../model/input.js';
import { isLive, type Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { closeRunsOf, noRetryPending, requeue } from '../../moves/leave.js';
import { forgetHit } from '../../moves/retry.js';
import { type AppliedCommand, accepted, refused } from './results.js';

/** Tests a submission again, with fresh evidence. It keeps its place, and only its batch is tested again with it. */
export const restartTests = (draft: Draft, command: RestartTests): AppliedCommand => {
  const submission = draft.lastSubmission(command.pr);
  if (submission === undefined)
    return refused('NOT_SUBMITTED', `#${command.pr} was never submitted to this queue.`);
  const live = draft.liveSubmission(command.pr);
  if (live === undefined || (live.state !== 'testing' && live.state !== 'pending_failure'))
    return refused('NO_RUN_TO_RESTART', `#${command.pr} has no tests to restart: it is ${submission.state}.`);
  const reason = { reason: 'TESTS_RESTARTED_BY_API_REQUEST', actor: command.actor } as const;
  const batchMates = new Set([
    ...waitingTogether(draft, live),
    ...closeRunsOf(draft, live, 'restarted'),
    live.id,
  ]);
  for (const id of batchMates) {
    const submission = draft.submission(id);
    if (submission === undefined || !isLive(submission) || submission.state === 'tests_passed') continue;
    forgetHit(draft, submission.pr);
    const renewed = { retries: 0, ...noRetryPending, refusedLandings: null };
    draft.change(requeue(draft, submission, reason, 'batch'), renewed);
  }
  return accepted(draft.liveSubmission(command.pr) ?? live);
};

/** Members of its batch that wait for a retry together with it. */
const waitingTogether = (draft: Draft, { batch }: Submission): readonly SubmissionId[] =>
  batch === null
    ? []
    : draft
        .ordered('begun')
        .filter((one) => one.batch === batch && draft.runsOf(one).length === 0)
        .map(({ id }) => id);
