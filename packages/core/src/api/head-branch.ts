import { everySubmission } from '../engine/pages.js';
import type { QueueId } from '../model/ids.js';
import type { Submission } from '../model/submission.js';
import type { Store } from '../ports/store.js';

/** Max ended submissions that are searched, newest first. */
const LOOKED_THROUGH_LIMIT = 10_000;

/**
 * Finds the pull request for a head branch: one that is queued and open, else one that is open, else the one that left
 * last. Considers only pull requests submitted to this queue, as last read. Null if there is none.
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

// A landed pull request is not read again, so its stored state stays open.
const isOpen = (submission: Submission): boolean =>
  submission.pull.state === 'open' && submission.state !== 'merged';
