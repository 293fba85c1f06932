import type { Submission } from '../model/submission.js';
import type { Because, Draft } from './draft.js';

type Terminal = 'merged' | 'failed' | 'cancelled';

/** Ends an attempt. Its runs are let go; what was built on it is found out when the line is arranged. */
export const leave = (draft: Draft, submission: Submission, to: Terminal, because: Because): Submission => {
  for (const run of draft.runsOf(submission)) draft.closeRun(run, to === 'merged' ? 'landed' : 'member_left');
  const left = draft.move(submission, to, because);
  return draft.change(left, { place: null, message: null, heldBy: null, retryAt: null, asideSince: null });
};

/**
 * Sends a submission back to wait. It keeps its place only where its own tests are to be repeated; else its turn comes
 * by the order of the line.
 */
export const sendBack = (
  draft: Draft,
  submission: Submission,
  because: Because,
  keepsPlace = false,
): Submission => {
  const waiting = submission.state === 'pending' ? submission : draft.move(submission, 'pending', because);
  return draft.change(waiting, {
    failedRunId: null,
    ...(keepsPlace ? {} : { place: null, message: null }),
  });
};
