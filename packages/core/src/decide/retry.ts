import type { Instant } from '../model/ids.js';
import type { Run } from '../model/run.js';
import type { Draft } from './draft.js';

const LONGEST_DELAY_MS = 300_000;

/** How long to hold back after so many tries before: twice as long each time, up to five minutes. */
export const delayAfter = ({ context }: Draft, tries: number): number =>
  Math.min(context.pace.retryDelayMs * 2 ** tries, LONGEST_DELAY_MS);

/** When what did not come about, and cost nobody anything, is tried again. */
export const nextTry = ({ now, context }: Draft): Instant => now + context.pace.retryDelayMs;

/** Nothing is landed, or put together for that, for a while. */
export const restFromLanding = (draft: Draft): void => draft.changeQueue({ landAfter: nextTry(draft) });

/**
 * Has the batch of a run built or tested again after a while, in its place and uncounted: nobody has failed. What was
 * only put together for landing is put together again as late.
 */
export const retryLater = (draft: Draft, run: Run, detail: string): void => {
  if (run.purpose.kind === 'compose') return restFromLanding(draft);
  for (const submission of draft.membersOf(run))
    draft.change(submission, { retryAt: nextTry(draft), reasonDetail: detail });
};
