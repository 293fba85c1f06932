import type { Cancel } from '../../../model/input.js';
import type { Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { takeFromLanding } from '../../moves/landing.js';
import { leave } from '../../moves/leave.js';
import { type AppliedCommand, accepted, refused } from './results.js';

/** Ends an attempt. Refused while it may be landing, or if it has ended otherwise. Idempotent. */
export const cancel = (draft: Draft, command: Cancel): AppliedCommand => {
  const submission = draft.lastSubmission(command.pr);
  if (submission === undefined)
    return refused('NOT_SUBMITTED', `#${command.pr} was never submitted to this queue.`);
  const live = draft.liveSubmission(command.pr);
  if (live === undefined) return ofEnded(submission);
  if (!takeFromLanding(draft, live))
    return refused('LANDING_UNDER_WAY', `#${command.pr} is being merged and cannot be cancelled any more.`);
  return accepted(leave(draft, live, 'cancelled', { reason: 'USER_REQUESTED', actor: command.actor }));
};

const ofEnded = (submission: Submission): AppliedCommand => {
  const { pr, state } = submission;
  if (state === 'cancelled') return accepted(submission);
  return state === 'merged'
    ? refused('ALREADY_MERGED', `#${pr} is merged.`)
    : refused('NOT_ACTIVE', `#${pr} is not in the queue (state: ${state}).`);
};
