import type { TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';

/**
 * True if a landing has made a failure of the run stale. In lanes a failure stays valid when a pull request from behind lands
 * first: it is judged on the base on which it failed.
 */
export const isFailureOvertaken = (draft: Draft, run: TestRun): boolean =>
  run.overtakenBy !== null && (!run.isOvertakerKnown || isVoidOnceLanded(draft, run, run.overtakenBy));

/**
 * True if the landing of this pull request, which overlaps with the run, makes its failure stale: it stood ahead and
 * was left out, or, in single mode, the run was not a batch that stood directly on the tip.
 */
export const isVoidOnceLanded = ({ queue }: Draft, { batch, stack, without }: TestRun, pr: number): boolean =>
  without.some((one) => one.pr === pr) ||
  (queue.settings.mode === 'single' && (batch.length === 1 || stack.length > 0));
