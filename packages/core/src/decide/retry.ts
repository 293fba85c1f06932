import type { Run } from '../model/run.js';
import type { Draft } from './draft.js';

/** Has the batch of a run built or tested again after a while, in its place and uncounted: nobody has failed. */
export const retryLater = (draft: Draft, run: Run, detail: string): void => {
  for (const submission of draft.membersOf(run))
    draft.change(submission, { retryAt: draft.now + draft.context.pace.retryDelayMs, reasonDetail: detail });
};
