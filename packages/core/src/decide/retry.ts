import type { Instant } from '../model/ids.js';
import type { Run } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';

const LONGEST_DELAY_MS = 300_000;

/** How long to hold back after so many tries before: twice as long each time, up to five minutes. */
export const delayAfter = ({ context }: Draft, tries: number): number =>
  Math.min(context.pace.retryDelayMs * 2 ** tries, LONGEST_DELAY_MS);

/** Until when one holds back, from its next test or from its landing; null where it does not. */
export const holdsBackUntil = (
  { now }: Pick<Draft, 'now'>,
  { retryAt }: Pick<Submission, 'retryAt'>,
): Instant | null => (retryAt !== null && retryAt > now ? retryAt : null);

/** True of one that is to be tested, at once or after it has held back. */
export const isWithoutRun = (draft: Draft, submission: Submission): boolean =>
  (submission.state === 'pending' || submission.state === 'testing') && draft.runsOf(submission).length === 0;

/** When what did not come about, and cost nobody anything, is tried again. */
export const nextTry = ({ now, context }: Draft): Instant => now + context.pace.retryDelayMs;

/** Nothing is landed, or put together for that, before this. */
export const restFromLanding = (draft: Draft, until: Instant = nextTry(draft)): void =>
  draft.changeQueue({ landAfter: until });

/** Why one has to come again, in its words. */
type PutOff = Pick<Submission, 'reasonDetail'> & Partial<Pick<Submission, 'reason'>>;

/** Has one come again, in its place and uncounted, since nobody has failed: the more often in a row, the later. */
export const putOff = (draft: Draft, submission: Submission, told: PutOff): Instant => {
  const retryAt = draft.now + delayAfter(draft, submission.timesPutOff);
  draft.change(submission, { ...told, retryAt, timesPutOff: submission.timesPutOff + 1 });
  return retryAt;
};

/** Has what was only put together for landing put together again, as late as the first of it may be landed. */
export const composeLater = (draft: Draft, run: Run, told: PutOff): void => {
  const [first] = draft.membersOf(run);
  restFromLanding(draft, first === undefined ? undefined : putOff(draft, first, told));
};

/** Has the batch of a run built or tested again after a while. */
export const retryLater = (draft: Draft, run: Run, reasonDetail: string): void => {
  if (run.purpose.kind === 'compose')
    return composeLater(draft, run, { reason: 'HOST_NOT_READY', reasonDetail });
  for (const submission of draft.membersOf(run)) putOff(draft, submission, { reasonDetail });
};
