import { mayLand } from '../model/gates.js';
import { statusOf } from '../model/queue.js';
import { type Run, remainingMembers } from '../model/run.js';
import { flawOf, positions } from './arrange.js';
import type { Draft } from './draft.js';
import { disregard } from './polls.js';

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
  const members = remainingMembers(run).map(({ pr, head: sha, submissionId }) => ({
    pr,
    head: sha,
    forced: draft.submission(submissionId)?.forceEnqueued ?? false,
  }));
  const effectId = draft.wish({
    type: 'land',
    runId: run.id,
    branch: queue.branch,
    onto: head,
    trial: run.trial,
    members,
  });
  disregard(draft, 'branch');
  draft.changeQueue({ landing: { effectId, runId: run.id, onto: head, startedAt: draft.now } });
};

const lastProven = (draft: Draft): Run | null => {
  let last: Run | null = null;
  for (const { submission, stack, isInPlay } of positions(draft)) {
    if (!isInPlay) continue;
    const run = draft.runsOf(submission).find((one) => one.outcome === 'passed');
    if (run === undefined || submission.state !== 'tests_passed' || flawOf(draft, run, stack) !== null)
      return last;
    last = run;
    if (draft.queue.landsSingly) return last;
  }
  return last;
};
