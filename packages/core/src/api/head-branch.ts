import { everySubmission } from '../engine/pages.js';
import type { QueueId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';
import type { Store } from '../ports/store.js';

/** Ended submissions that are looked through, those that left last first. */
const LOOKED_THROUGH_LIMIT = 10_000;

/**
 * The pull request that a head branch is asked for by: one that is open, else the one that left last; of open ones one
 * that is in the queue. Only what was submitted there counts, as it was last read.
 */
export const ofHeadBranch = async (
  store: Pick<Store, 'submissions'>,
  queueId: QueueId,
  live: readonly Submission[],
  headBranch: string,
): Promise<number | null> => {
  const isOfBranch = ({ pull }: Submission) => pull.headBranch === headBranch;
  const inQueue = live.filter(isOfBranch);
  const open = inQueue.find(isOpen);
  if (open !== undefined) return open.pr;
  let last: number | null = inQueue[0]?.pr ?? null;
  let looked = 0;
  for await (const submission of everySubmission(store, queueId)) {
    if (isOfBranch(submission) && isOpen(submission)) return submission.pr;
    if (isOfBranch(submission)) last ??= submission.pr;
    looked += 1;
    if (looked >= LOOKED_THROUGH_LIMIT) break;
  }
  return last;
};

/** One that was landed is read no more, and is open no more. */
const isOpen = (submission: Submission): boolean =>
  submission.pull.state === 'open' && submission.state !== 'merged';
