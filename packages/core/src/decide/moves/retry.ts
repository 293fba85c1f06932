import type { Instant } from '../../model/ids.js';
import { withoutHit } from '../../model/infrastructure-failure.js';
import type { TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { type Because, putOffRow } from '../draft/history-rows.js';

const LONGEST_DELAY_MS = 300_000;

/** The delay after this many tries: doubled each time, up to five minutes or the given limit. */
export const delayAfter = ({ context }: Draft, tries: number, longestMs = LONGEST_DELAY_MS): number =>
  Math.min(context.pace.retryDelayMs * 2 ** tries, longestMs);

/** The end of the retry delay, for its next test or its landing; null without a delay. */
export const delayedUntil = (
  { now }: Pick<Draft, 'now'>,
  { retryAt }: Pick<Submission, 'retryAt'>,
): Instant | null => (retryAt !== null && retryAt > now ? retryAt : null);

/** True for a submission that is to be tested, now or after its retry delay. */
export const isWithoutRun = (draft: Draft, submission: Submission): boolean =>
  (submission.state === 'pending' || submission.state === 'testing') && draft.runsOf(submission).length === 0;

/**
 * Forgets that the pull request had an infrastructure failure. A new attempt or a restart gathers new evidence, so
 * the next such failure is not counted as a repetition.
 */
export const forgetHit = (draft: Draft, pr: number): void => {
  const { infrastructureFailure } = draft.queue;
  const without = withoutHit(infrastructureFailure, pr);
  if (without !== infrastructureFailure) draft.changeQueue({ infrastructureFailure: without });
};

/** When to retry something whose failure costs no retry. */
export const nextRetryAt = ({ now, context }: Draft): Instant => now + context.pace.retryDelayMs;

/** Nothing lands, and no combined candidate is built, before this time. */
export const landLater = (draft: Draft, until: Instant = nextRetryAt(draft)): void =>
  draft.changeQueue({ landAfter: until });

/**
 * Retries these together, in their places and without a charge, because none of them has failed. The delay grows with
 * the number of times in a row that the host put one of them off. Returns the time of the retry.
 */
export const retryLater = (
  draft: Draft,
  members: readonly Submission[],
  because: Because,
  longestMs = LONGEST_DELAY_MS,
): Instant =>
  retryAfter(draft, members, because, draft.now + delayAfter(draft, timesPutOffOf(members), longestMs));

/** Retries these together at the given time, without a charge. Returns that time. */
export const retryAfter = (
  draft: Draft,
  members: readonly Submission[],
  because: Because,
  retryAt: Instant,
): Instant => {
  const { reason, detail: reasonDetail = null } = because;
  const timesPutOff = timesPutOffOf(members) + 1;
  for (const submission of members) {
    if (submission.timesPutOff === 0 || submission.reasonDetail !== reasonDetail)
      draft.record(putOffRow(submission, because));
    draft.change(submission, { reason, reasonDetail, retryAt, timesPutOff });
  }
  return retryAt;
};

const timesPutOffOf = (members: readonly Submission[]): number =>
  Math.max(0, ...members.map(({ timesPutOff }) => timesPutOff));

/** Builds the combined candidate of a landing again later. */
export const combineLater = (draft: Draft, run: TestRun, because: Because): void =>
  landLater(draft, retryLater(draft, draft.membersOf(run).slice(0, 1), because));

/** Builds the candidate of a run again later. Only an action of this queue prevents it now. */
export const buildLater = (draft: Draft, run: TestRun, reasonDetail: string): void => {
  if (run.purpose.kind === 'compose') return landLater(draft);
  for (const submission of draft.membersOf(run))
    draft.change(submission, { reason: 'RUN_NOT_BUILT', reasonDetail, retryAt: nextRetryAt(draft) });
};
