import type { HostRefusal, LandOutcome, MovedOutcome } from '../../model/outcomes.js';
import type { Landing } from '../../model/queue.js';
import { isSameMember, type Run } from '../../model/run.js';
import type { Draft } from '../draft.js';
import { leave, sendBack } from '../leave.js';
import { pauseFor } from '../pause.js';
import { disregard } from '../polls.js';
import { retryLater } from '../retry.js';
import { pullRequestMissing, pullRequestSeen } from './pull-requests.js';

type NotLanded = Exclude<LandOutcome, MovedOutcome>;

/**
 * The trial is gone with the refusal: whoever is still in the queue is built again, and passes are used again. What was
 * only put together from several lanes is put together anew.
 */
export const notLanded = (draft: Draft, landing: Landing, outcome: NotLanded): void => {
  disregard(draft, 'pullRequests');
  const run = draft.run(landing.runId);
  if (run === undefined || run.closedAt !== null) return;
  draft.closeRun(run, 'not_landed');
  heed(draft, landing, run, outcome);
  if (run.purpose.kind === 'compose') return;
  const because = {
    reason: reasons[outcome.kind],
    detail: outcome.kind === 'refused' ? outcome.message : null,
  };
  for (const submission of draft.membersOf(run))
    if (submission.state === 'tests_passed')
      sendBack(draft, submission, because, outcome.kind === 'base_moved' ? 'nothing' : 'batch');
};

const reasons = {
  base_moved: 'MANUAL_PUSH_TO_TARGET_BRANCH',
  members_changed: 'PREREQUISITE_MERGE_ITEM_CANCELLED',
  trial_gone: 'TRIAL_GONE',
  refused: 'HOST_NOT_READY',
} as const;

const heed = (draft: Draft, landing: Landing, run: Run, outcome: NotLanded): void => {
  switch (outcome.kind) {
    case 'base_moved':
      draft.changeQueue({
        target: { ...draft.queue.target, head: outcome.head, exists: outcome.head !== null },
      });
      return;
    case 'members_changed':
      return membersChanged(draft, run, outcome);
    case 'trial_gone':
      return retryLater(draft, run, 'The commit that was tested was gone.');
    case 'refused':
      return refused(draft, landing, run, outcome);
  }
};

type MembersChanged = Extract<NotLanded, { kind: 'members_changed' }>;

/** Where nothing that is known here has changed, trying again at once would come to the same. */
const membersChanged = (draft: Draft, run: Run, { pulls, missing }: MembersChanged): void => {
  const news = pulls.filter((pull) => pullRequestSeen(draft, pull));
  for (const pr of missing) pullRequestMissing(draft, pr);
  if (news.length > 0) return;
  const detail = 'The code host shows it changed, and then again unchanged.';
  holdBack(draft, [...pulls.map(({ number }) => number), ...missing], detail);
  retryLater(draft, run, detail);
};

/** These are not landed for a while, whatever vouches for them. */
const holdBack = (draft: Draft, prs: readonly number[], detail: string): void => {
  const retryAt = draft.now + draft.context.pace.retryDelayMs;
  for (const pr of prs) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined) draft.change(submission, { retryAt, reasonDetail: detail });
  }
};

/** A refusal that names nobody is put on a batch only where the batch was landed alone. */
const refused = (draft: Draft, landing: Landing, run: Run, refusal: HostRefusal): void => {
  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);
  if (refusal.class === 'wait') return comeBackLater(draft, run, refusal);
  if (refusal.pr === null && !isOneBatch(draft, landing))
    return draft.queue.landsSingly
      ? pauseFor(draft, 'HOST_REFUSED', refusal.message)
      : draft.changeQueue({ landsSingly: true });
  const blamed = landing.members.filter(({ pr }) => refusal.pr === null || pr === refusal.pr);
  if (blamed.length === 0) return retryLater(draft, run, refusal.message);
  const because = { reason: 'GITHUB_API_MERGE_PR_FAILED', detail: refusal.message, runId: run.id } as const;
  for (const { pr } of blamed) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined) leave(draft, submission, 'failed', because);
  }
};

/** What the host says of nobody, it would say of whatever is landed next. */
const comeBackLater = (draft: Draft, run: Run, { pr, message }: HostRefusal): void => {
  if (pr === null) draft.changeQueue({ landAfter: draft.now + draft.context.pace.retryDelayMs });
  else holdBack(draft, [pr], message);
  retryLater(draft, run, message);
};

/** True where what was to be landed was tested as one batch, so that it stands or falls together. */
const isOneBatch = (draft: Draft, { members }: Landing): boolean => {
  const [first] = members;
  const batch = first === undefined ? [] : (draft.run(first.verifiedBy)?.batch ?? []);
  return members.every((member) => batch.some((one) => isSameMember(one, member)));
};
