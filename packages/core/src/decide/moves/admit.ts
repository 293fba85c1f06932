import { targetsAt } from '../../model/impacted-targets.js';
import { bySubmission } from '../../model/order.js';
import { isWithheld } from '../../model/pull-request.js';
import { type Lack, lacksOf } from '../../model/readiness.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { asideRow } from '../draft/history-rows.js';

/** Who may enter the line. A queue that is paused or draining lets submissions in too: they wait inside. */
export const admit = (draft: Draft): void => {
  const concerned = draft.liveSubmissions().filter((one) => isToChange(one, lacking(draft, one)));
  for (const submission of concerned.toSorted(bySubmission)) {
    const lack = lacking(draft, submission);
    if (submission.state !== 'not_ready') standAside(draft, submission, lack);
    else if (lack === null) enter(draft, submission);
    else draft.change(submission, { wasIncomplete: true });
  }
};

const isToChange = (submission: Submission, lack: Lack | null): boolean =>
  submission.state === 'not_ready'
    ? lack === null || isToNote(submission, lack)
    : isLost(submission, lack) !== (submission.asideSince !== null);

/** Something else is missing than what the host has yet to compute: it has not arrived when it was submitted. */
const isToNote = ({ wasIncomplete }: Submission, lack: Lack): boolean =>
  lack !== 'mergeability_unknown' && !wasIncomplete;

/** Once admitted, only a missing target, approval or hold counts: whether its change can be merged is for its candidate to show. */
const isLost = ({ pull }: Submission, lack: Lack | null): boolean =>
  lack === 'target_branch' || (lack === 'mergeable' && isWithheld(pull));

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

const standAside = (draft: Draft, submission: Submission, lack: Lack | null): void => {
  const isAside = isLost(submission, lack);
  draft.change(submission, { asideSince: isAside ? draft.now : null });
  draft.record(asideRow(submission, isAside ? lack : null));
};
