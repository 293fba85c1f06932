import { targetsAt } from '../model/impacted-targets.js';
import { isWithheld } from '../model/pull-request.js';
import { type Lack, lacksOf } from '../model/readiness.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { asideRow } from './history-rows.js';

/** Who may enter the line. A queue that is paused or draining lets submissions in too: they wait inside. */
export const admit = (draft: Draft): void => {
  const all = draft.toLookAt(areRulesOfReadinessNew(draft) ? draft.liveSubmissions() : []);
  for (const submission of all) {
    const lack = lacking(draft, submission);
    if (submission.state === 'not_ready') {
      if (lack === null) enter(draft, submission);
      else noteIncomplete(draft, submission, lack);
    } else standAside(draft, submission, lack);
  }
};

/** What readiness depends on besides the pull request itself and its uploads. */
const areRulesOfReadinessNew = ({ queue, before }: Draft): boolean =>
  queue.target.exists !== before.target.exists ||
  queue.settings.mode !== before.settings.mode ||
  queue.lastBeforeParallel !== before.lastBeforeParallel;

/** The first of what it lacks is what it waits for; null where it lacks nothing. */
export const lacking = (draft: Draft, submission: Submission): Lack | null =>
  lacks(draft, submission)[0] ?? null;

export const lacks = (draft: Draft, submission: Submission): readonly Lack[] =>
  lacksOf(draft.queue, submission, targetsAt(draft.targets(submission.pr), submission.head));

/** It arrives now or, where it has only waited for the host to compute whether it can be merged, when it was submitted. */
const enter = (draft: Draft, submission: Submission): void => {
  const { wasIncomplete, submittedAt, submittedRank } = submission;
  const arrival = wasIncomplete
    ? { admittedAt: draft.now, admittedRank: draft.sequence + 1 }
    : { admittedAt: submittedAt, admittedRank: submittedRank };
  draft.move(submission, 'pending', { reason: 'MERGE_ITEM_NOW_READY' }, arrival);
};

const noteIncomplete = (draft: Draft, submission: Submission, lack: Lack): void => {
  if (lack !== 'mergeability_unknown' && !submission.wasIncomplete)
    draft.change(submission, { wasIncomplete: true });
};

/** Once admitted, only a missing target, approval or hold counts: whether its change can be merged is for its candidate to show. */
const standAside = (draft: Draft, submission: Submission, lack: Lack | null): void => {
  const isLost = lack === 'target_branch' || (lack === 'mergeable' && isWithheld(submission.pull));
  if (isLost === (submission.asideSince !== null)) return;
  draft.change(submission, { asideSince: isLost ? draft.now : null });
  draft.record(asideRow(submission, isLost ? lack : null));
};
