import { targetsAt } from '../model/impacted-targets.js';
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

const enter = (draft: Draft, submission: Submission): void => {
  draft.move(
    submission,
    'pending',
    { reason: 'MERGE_ITEM_NOW_READY' },
    { admittedAt: draft.now, admittedRank: draft.sequence + 1 },
  );
};

/** Once admitted, only a clear no of the host counts, or that there is no target: that it is still computing happens after every landing. */
const standAside = (draft: Draft, submission: Submission, lack: Lack | null): void => {
  const isLost = lack === 'mergeable' || lack === 'target_branch';
  if (isLost === (submission.asideSince !== null)) return;
  draft.change(submission, { asideSince: isLost ? draft.now : null });
  draft.record(asideRow(submission, isLost ? lack : null));
};
