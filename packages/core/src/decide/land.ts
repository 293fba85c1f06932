import { mayLand } from '../model/gates.js';
import { statusOf } from '../model/queue.js';
import { type Run, remainingMembers } from '../model/run.js';
import { flawOf } from './arrange.js';
import type { Draft } from './draft.js';
import { disregard } from './polls.js';
import { positions } from './positions.js';
import { termsOf } from './receipts.js';

/**
 * What may land now: from the front of the line on, as far as tests have passed. The trial of the last of them holds
 * all the others, each as it was tested, so that one move of the target lands them all.
 */
export const land = (draft: Draft): void => {
  const { queue } = draft;
  const { head } = queue.target;
  if (queue.landing !== null || head === null || !mayLand(statusOf(queue))) return;
  const run = lastProven(draft);
  if (run?.trial == null) return;
  const { trial, id: runId } = run;
  const members = remainingMembers(run);
  const effectId = draft.wish({
    type: 'land',
    runId,
    branch: queue.branch,
    onto: head,
    trial,
    members: members.map(({ pr, head: sha, submissionId }) => ({
      pr,
      head: sha,
      forced: draft.submission(submissionId)?.forceEnqueued ?? false,
    })),
  });
  disregard(draft, 'branch');
  const terms = termsOf(queue);
  draft.changeQueue({
    landing: { effectId, runId, onto: head, members, trial, terms, startedAt: draft.now },
  });
};

const lastProven = (draft: Draft): Run | null => {
  let last: Run | null = null;
  for (const { submission, stack, isInPlay } of positions(draft)) {
    if (!isInPlay) continue;
    const run = draft.runsOf(submission).find((one) => one.outcome === 'passed');
    if (run === undefined || submission.state !== 'tests_passed') return last;
    if (flawOf(draft, run, stack) !== null || !holdsAsTested(run, last)) return last;
    last = run;
    if (draft.queue.landsSingly) return last;
  }
  return last;
};

/** What lies below in its trial is commit for commit what was tested for those below. */
const holdsAsTested = (run: Run, below: Run | null): boolean => {
  if (below === null) return true;
  const step = run.trial?.steps.at(-1 - run.batch.length);
  return step !== undefined && step.commit === below.trial?.commit;
};
