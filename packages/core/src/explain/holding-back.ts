import type { Draft } from '../decide/draft/draft.js';
import { positionIn } from '../decide/line/positions.js';
import { slotsForBisections } from '../decide/testing/bisection.js';
import { slotsFor, slotsOf } from '../decide/testing/slots.js';
import type { Instant } from '../model/ids.js';
import type { InfrastructureFailure } from '../model/infrastructure-failure.js';
import type { Member } from '../model/run.js';
import { isUrgent, type Submission } from '../model/submission.js';
import { causeOf, type ExplainedCause } from './chain-step.js';
import { gatheringOf } from './gathering.js';
import { prOf, prsOf, quoted, timeOf } from './phrases.js';

/**
 * The number of slots free for a pull request at an instant, if no test run ends before. A slot that its own batch keeps between
 * two tries is free for it; slots that others keep are not if these are tested again by then. Slots that the line leaves to
 * bisections are free for urgent batches only.
 */
export const slotsLeft = (draft: Draft, submission: Submission, at: Instant = draft.now): number => {
  const { free: freeOfAll, reserved } = slotsOf(draft);
  const left = slotsForBisections(draft);
  const free = freeOfAll - (left > 0 && !isTestedWithUrgent(draft, submission) ? left : 0);
  if (reserved.length === 0) return free;
  const isBackByThen = (one: Submission) => (one.retryAt ?? 0) <= at;
  const back = reserved.filter((batch) => batch.some(isBackByThen) && !isItsOwn(submission, batch));
  const still = reserved.filter((batch) => !back.includes(batch));
  const taken = back.reduce((count, batch) => count + testsOf(batch), 0);
  return slotsFor({ free: free - taken, reserved: still }, () => {
    const { stack } = positionIn(draft, submission.id) ?? { stack: [] };
    return submission.batch === null ? stack : stack.filter((one) => !isMate(draft, submission, one));
  });
};

/** True if it is urgent, or would be tested together with an urgent one. */
export const isTestedWithUrgent = (draft: Draft, submission: Submission): boolean =>
  isUrgent(submission) || gatheringOf(draft, submission)?.members.some(isUrgent) === true;

/** The number of test runs that follow from one reserved slot: members with `noBatch` set since take one each. */
const testsOf = (keepers: readonly Submission[]): number => {
  const alone = keepers.filter(({ noBatch }) => noBatch).length;
  return alone + Number(alone < keepers.length);
};

/** True if it is tested together with all members that keep this slot, because none of them has `noBatch`. */
const isItsOwn = ({ id, batch, noBatch }: Submission, keepers: readonly Submission[]): boolean =>
  keepers.every(
    (one) => one.id === id || (batch !== null && one.batch === batch && !noBatch && !one.noBatch),
  );

const isMate = (draft: Draft, { batch }: Submission, { submissionId }: Member): boolean =>
  draft.submission(submissionId)?.batch === batch;

export const IF_FREE = ', if a test slot is free then';

export const waitForRetry = (draft: Draft, submission: Submission, untilAt: number): ExplainedCause => {
  const { pr, retries } = submission;
  const { infrastructureFailure } = draft.queue;
  const [it, until, about] = [prOf(pr), timeOf(untilAt), { pr, untilAt }];
  const words = quoted(detailOfTry(submission), 'no details are known');
  const slot = slotsLeft(draft, submission, untilAt) > 0 ? '' : IF_FREE;
  if (isUnbuilt(submission)) return causeOf('rebuild', { it, words, until, slot }, about);
  if (infrastructureFailure !== null && isHitBy(infrastructureFailure, pr)) {
    const last = prsOf(infrastructureFailure.prs.map((one) => ({ pr: one })));
    return causeOf(
      'machinery',
      { it, words, until, slot, last, rounds: infrastructureFailure.rounds + 1 },
      about,
    );
  }
  if (submission.isRepeated)
    return causeOf('repeated', { it, words, until, slot, why: whyUncharged(submission) }, about);
  const budget = draft.context.pace.retryLimit;
  return causeOf('retry', { it, words, until, slot, budget, used: Math.min(retries, budget) }, about);
};

const whyUncharged = ({ reason }: Submission): string =>
  reason === 'CHECK_RUN_AGAIN' ? 'run again after it had passed' : 'on top of undecided pull requests';

/** The detail of the last try; null if the submission was requeued for another reason since. */
const detailOfTry = ({ state, reason, reasonDetail }: Submission): string | null =>
  state === 'testing' || reason === 'RUN_NOT_BUILT' ? reasonDetail : null;

/** True if the host delayed the build and no test has started, also if the submission was on hold since. */
const isUnbuilt = ({ reason, timesPutOff, retries }: Submission): boolean =>
  reason === 'RUN_NOT_BUILT' || (timesPutOff > 0 && retries === 0);

/** True if the submission is part of the current series of infrastructure failures, not only of the last one. */
const isHitBy = ({ rounds, prs, earlier }: InfrastructureFailure, pr: number): boolean =>
  rounds > 0 && (prs.includes(pr) || earlier.includes(pr));
