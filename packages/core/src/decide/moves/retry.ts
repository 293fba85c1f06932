import type { Instant } from '../../model/ids.js';
import type { TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { type Because, putOffRow } from '../draft/history-rows.js';

const LONGEST_DELAY_MS = 300_000;

/** How long to hold back after so many tries before: twice as long each time, up to five minutes unless another limit is given. */
export const delayAfter = ({ context }: Draft, tries: number, longestMs = LONGEST_DELAY_MS): number =>
  Math.min(context.pace.retryDelayMs * 2 ** tries, longestMs);

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
export const landLater = (draft: Draft, until: Instant = nextTry(draft)): void =>
  draft.changeQueue({ landAfter: until });

/**
 * Has these come again together, in their places and uncounted, since none of them has failed: the later the more often in a
 * row the code host has had one of them come later. The time of the next try.
 */
export const retryLater = (
  draft: Draft,
  members: readonly Submission[],
  because: Because,
  longestMs = LONGEST_DELAY_MS,
): Instant => retryAfter(draft, members, because, draft.now + delayAfter(draft, timesOf(members), longestMs));

/** The same until a given time, which is returned. */
export const retryAfter = (
  draft: Draft,
  members: readonly Submission[],
  because: Because,
  retryAt: Instant,
): Instant => {
  const { reason, detail: reasonDetail = null } = because;
  const timesPutOff = timesOf(members) + 1;
  for (const submission of members) {
    if (submission.timesPutOff === 0 || submission.reasonDetail !== reasonDetail)
      draft.record(putOffRow(submission, because));
    draft.change(submission, { reason, reasonDetail, retryAt, timesPutOff });
  }
  return retryAt;
};

const timesOf = (members: readonly Submission[]): number =>
  Math.max(0, ...members.map(({ timesPutOff }) => timesPutOff));

/** Has what was only put together for landing put together again, as late as the first of it may be landed. */
export const composeLater = (draft: Draft, run: TestRun, because: Because): void =>
  landLater(draft, retryLater(draft, draft.membersOf(run).slice(0, 1), because));

/** Has what a run was to hold built again after a while: only something of our own is in its way. */
export const buildLater = (draft: Draft, run: TestRun, reasonDetail: string): void => {
  if (run.purpose.kind === 'compose') return landLater(draft);
  for (const submission of draft.membersOf(run))
    draft.change(submission, { reason: 'RUN_NOT_BUILT', reasonDetail, retryAt: nextTry(draft) });
};
