import type { Draft } from '../decide/draft.js';
import { positionIn, WINDOW_LIMIT } from '../decide/positions.js';
import { slotsFor, slotsOf } from '../decide/slots.js';
import type { MachineryTrouble } from '../model/queue.js';
import type { Member } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { type Told, tell } from './told.js';
import { prOf, prsOf, quoted, timeOf } from './words.js';

/** What its own batch keeps while it holds back is kept for it too. */
export const slotsLeft = (draft: Draft, { id, batch }: Submission): number =>
  slotsFor(slotsOf(draft), () => {
    const { stack } = positionIn(draft, id, WINDOW_LIMIT) ?? { stack: [] };
    const isMate = (one: Member) => draft.submission(one.submissionId)?.batch === batch;
    return batch === null ? stack : stack.filter((one) => !isMate(one));
  });

export const IF_FREE = ', if a test slot is free then';

export const holdingBack = (draft: Draft, submission: Submission, untilAt: number): Told => {
  const { pr, retries, reason, reasonDetail } = submission;
  const { machineryTrouble } = draft.queue;
  const [it, until, about] = [prOf(pr), timeOf(untilAt), { pr, untilAt }];
  const words = quoted(reasonDetail, 'nothing more is known of it');
  const slot = slotsLeft(draft, submission) > 0 ? '' : IF_FREE;
  if (machineryTrouble !== null && isHitBy(machineryTrouble, pr)) {
    const last = prsOf(machineryTrouble.prs.map((one) => ({ pr: one })));
    return tell('machinery', { it, words, until, slot, last, rounds: machineryTrouble.rounds + 1 }, about);
  }
  if (reason === 'RUN_NOT_BUILT') return tell('rebuild', { it, words, until, slot }, about);
  const budget = draft.context.pace.retryLimit;
  return tell('retry', { it, words, until, slot, budget, used: Math.min(retries, budget) }, about);
};

/** Whoever it has hit since it hits one after another, not only the last. */
const isHitBy = ({ rounds, prs, earlier }: MachineryTrouble, pr: number): boolean =>
  rounds > 0 && (prs.includes(pr) || earlier.includes(pr));
