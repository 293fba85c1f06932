import type { Cancel } from '../../model/input.js';
import type { Draft } from '../draft.js';
import { takeFromLanding } from '../landing.js';
import { leave } from '../leave.js';
import { accepted, refused, type Taken } from './results.js';

/** Ends an attempt for good. What may already be landing can no longer be cancelled: the caller is told so. */
export const cancel = (draft: Draft, command: Cancel): Taken => {
  const submission = draft.lastSubmission(command.pr);
  if (submission === undefined)
    return refused('NOT_SUBMITTED', `#${command.pr} was never submitted to this queue.`);
  const live = draft.liveSubmission(command.pr);
  if (live === undefined) {
    const wasTooLate = submission.state === 'merged' && submission.stateSince >= command.askedAt;
    return wasTooLate
      ? refused('ALREADY_MERGED', `#${command.pr} was merged in the meantime.`)
      : refused('NOT_ACTIVE', `#${command.pr} is not active: it is ${submission.state}.`);
  }
  if (!takeFromLanding(draft, live))
    return refused('LANDING_UNDER_WAY', `#${command.pr} is being landed at this moment.`);
  return accepted(leave(draft, live, 'cancelled', { reason: 'USER_REQUESTED', actor: command.actor }));
};
