import { theQueue } from '../model/actor.js';
import type { Run } from '../model/run.js';
import { isLive } from '../model/submission.js';
import type { Draft } from './draft.js';

/** Has the batch of a run tested again after a while, in its place and without counting it: nobody has failed. */
export const retryLater = (draft: Draft, run: Run, detail: string): void => {
  for (const member of run.batch) {
    const submission = draft.submission(member.submissionId);
    if (submission === undefined || !isLive(submission) || submission.attempt !== member.attempt) continue;
    draft.change(submission, { retryAt: draft.now + draft.context.pace.retryDelayMs, reasonDetail: detail });
  }
};

/** Pauses the queue because the host will not let it work; somebody has to look, and to set it running again. */
export const stopFor = (draft: Draft, message: string): void => {
  draft.changeQueue({
    wanted: 'paused',
    statusReason: { code: 'HOST_REFUSED', sentence: message, actor: theQueue, at: draft.now },
  });
};
