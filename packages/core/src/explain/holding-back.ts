import type { Draft } from '../decide/draft/draft.js';
import { positionIn } from '../decide/line/positions.js';
import { slotsFor, slotsOf } from '../decide/testing/slots.js';
import type { Instant } from '../model/ids.js';
import type { InfrastructureFailure } from '../model/infrastructure-failure.js';
import type { Member } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { type Explained, explained } from './explained.js';
import { prOf, prsOf, quoted, timeOf } from './words.js';

/**
 * How many slots are left for it at that instant, if nothing ends before. What its own batch keeps while it holds back is kept
 * for it too; what others keep who are tested again by then is theirs.
 */
export const slotsLeft = (draft: Draft, submission: Submission, at: Instant = draft.now): number => {
  const { free, reserved: kept } = slotsOf(draft);
  if (kept.length === 0) return free;
  const isBackByThen = (one: Submission) => (one.retryAt ?? 0) <= at;
  const back = kept.filter((batch) => batch.some(isBackByThen) && !isItsOwn(submission, batch));
  const still = kept.filter((batch) => !back.includes(batch));
  const taken = back.reduce((count, batch) => count + testsOf(batch), 0);
  return slotsFor({ free: free - taken, reserved: still }, () => {
    const { stack } = positionIn(draft, submission.id) ?? { stack: [] };
    return submission.batch === null ? stack : stack.filter((one) => !isMate(draft, submission, one));
  });
};

/** How many tests come of one slot: whoever has come to want a test alone takes another. */
const testsOf = (keepers: readonly Submission[]): number => {
  const alone = keepers.filter(({ noBatch }) => noBatch).length;
  return alone + Number(alone < keepers.length);
};

/** True where it is tested together with all who keep this slot: none of them has come to want a test alone. */
const isItsOwn = ({ id, batch, noBatch }: Submission, keepers: readonly Submission[]): boolean =>
  keepers.every(
    (one) => one.id === id || (batch !== null && one.batch === batch && !noBatch && !one.noBatch),
  );

const isMate = (draft: Draft, { batch }: Submission, { submissionId }: Member): boolean =>
  draft.submission(submissionId)?.batch === batch;

export const IF_FREE = ', if a test slot is free then';

export const holdingBack = (draft: Draft, submission: Submission, untilAt: number): Explained => {
  const { pr, retries } = submission;
  const { infrastructureFailure } = draft.queue;
  const [it, until, about] = [prOf(pr), timeOf(untilAt), { pr, untilAt }];
  const words = quoted(detailOfTry(submission), 'nothing more is known of it');
  const slot = slotsLeft(draft, submission, untilAt) > 0 ? '' : IF_FREE;
  if (isUnbuilt(submission)) return explained('rebuild', { it, words, until, slot }, about);
  if (infrastructureFailure !== null && isHitBy(infrastructureFailure, pr)) {
    const last = prsOf(infrastructureFailure.prs.map((one) => ({ pr: one })));
    return explained(
      'machinery',
      { it, words, until, slot, last, rounds: infrastructureFailure.rounds + 1 },
      about,
    );
  }
  if (submission.isRepeated) return explained('repeated', { it, words, until, slot }, about);
  const budget = draft.context.pace.retryLimit;
  return explained('retry', { it, words, until, slot, budget, used: Math.min(retries, budget) }, about);
};

/** What the last try came to; null where the detail is that of something that sent it back since. */
const detailOfTry = ({ state, reason, reasonDetail }: Submission): string | null =>
  state === 'testing' || reason === 'RUN_NOT_BUILT' ? reasonDetail : null;

/** Also of one who has stood aside since: the host had it wait, and no test of it has begun. */
const isUnbuilt = ({ reason, timesPutOff, retries }: Submission): boolean =>
  reason === 'RUN_NOT_BUILT' || (timesPutOff > 0 && retries === 0);

/** Whoever it has hit since it hits one after another, not only the last. */
const isHitBy = ({ rounds, prs, earlier }: InfrastructureFailure, pr: number): boolean =>
  rounds > 0 && (prs.includes(pr) || earlier.includes(pr));
