import type { Draft } from '../../draft/draft.js';
import { type AppliedCommand, accepted, refused } from './results.js';

const NUMBERS_IN_REFUSAL = 20;
/** Max pull requests that a refusal lists as data; their count is exact. */
const REFUSED_PRS_LIMIT = 1_000;

/**
 * Marks the queue as deleted: ids and history stay. Refused while any pull request is in it, also one that is not
 * ready.
 */
export const deleteQueue = (draft: Draft): AppliedCommand => {
  const numbers = draft.liveSubmissions().map((submission) => submission.pr);
  if (numbers.length > 0) {
    const shown = numbers.slice(0, NUMBERS_IN_REFUSAL).map((pr) => `#${pr}`);
    const more = numbers.length - shown.length;
    return refused(
      'QUEUE_NOT_EMPTY',
      `Still in the queue: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      { prs: { numbers: numbers.slice(0, REFUSED_PRS_LIMIT), count: numbers.length } },
    );
  }
  for (const run of draft.openRuns()) draft.closeRun(run, 'queue_deleted');
  draft.changeQueue({ deletedAt: draft.now });
  return accepted(null);
};
