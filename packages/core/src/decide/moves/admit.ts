import { targetsAt } from '../../model/impacted-targets.js';
import { bySubmission } from '../../model/order.js';
import { isWithheld } from '../../model/pull-request.js';
import { type Lack, lacksOf } from '../../model/readiness.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { readinessRow } from '../draft/history-rows.js';

/**
 * Lets ready submissions into the line, and marks admitted ones that have lost their readiness. A paused or draining
 * queue admits them too; they wait in the line.
 */
export const admit = (draft: Draft): void => {
  const changed = draft.liveSubmissions().filter((one) => needsChange(one, lacking(draft, one)));
  for (const submission of changed.toSorted(bySubmission)) {
    const lack = lacking(draft, submission);
    if (submission.state !== 'not_ready') markUnready(draft, submission, lack);
    else if (lack === null) enter(draft, submission);
    else draft.change(submission, { wasIncomplete: true });
  }
};

const needsChange = (submission: Submission, lack: Lack | null): boolean =>
  submission.state === 'not_ready'
    ? lack === null || isIncomplete(submission, lack)
    : hasLostReadiness(submission, lack) !== (submission.asideSince !== null);

/**
 * True if it lacks more than the host's computation of mergeability. Its arrival then counts from when it is ready,
 * and not from its submission.
 */
const isIncomplete = ({ wasIncomplete }: Submission, lack: Lack): boolean =>
  lack !== 'mergeability_unknown' && !wasIncomplete;

/**
 * Once admitted, only a missing target, approval or hold counts. Whether the change can be merged shows in its
 * candidate.
 */
const hasLostReadiness = ({ pull }: Submission, lack: Lack | null): boolean =>
  lack === 'target_branch' || (lack === 'mergeable' && isWithheld(pull));

/** The first thing that it lacks, which is what it waits for; null if it is ready. */
export const lacking = (draft: Draft, submission: Submission): Lack | null =>
  lacks(draft, submission)[0] ?? null;

export const lacks = (draft: Draft, submission: Submission): readonly Lack[] =>
  lacksOf(draft.queue, submission, targetsAt(draft.targets(submission.pr), submission.head));

/** Arrives now. If it has only waited for the host to compute mergeability, it arrives as of its submission. */
const enter = (draft: Draft, submission: Submission): void => {
  const { wasIncomplete, submittedAt, submittedRank } = submission;
  const arrival = wasIncomplete
    ? { admittedAt: draft.now, admittedRank: draft.sequence + 1 }
    : { admittedAt: submittedAt, admittedRank: submittedRank };
  draft.move(submission, 'pending', { reason: 'MERGE_ITEM_NOW_READY' }, arrival);
};

const markUnready = (draft: Draft, submission: Submission, lack: Lack | null): void => {
  const isOnHold = hasLostReadiness(submission, lack);
  draft.change(submission, { asideSince: isOnHold ? draft.now : null });
  draft.record(readinessRow(submission, isOnHold ? lack : null));
};
