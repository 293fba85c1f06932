import type { Instant, Sha } from '../../model/ids.js';
import type { HostRefusal, LandOutcome, MovedOutcome } from '../../model/outcomes.js';
import type { Landing } from '../../model/queue.js';
import { isSameMember, type Run } from '../../model/run.js';
import type { Draft } from '../draft.js';
import type { Because } from '../history-rows.js';
import { leave, sendBack } from '../leave.js';
import { pauseFor } from '../pause.js';
import { disregard } from '../polls.js';
import { composeLater, landLater, putOff } from '../retry.js';
import { moveTarget } from './branch.js';
import { pullRequestMissing, pullRequestSeen } from './pull-requests.js';

type NotLanded = Exclude<LandOutcome, MovedOutcome>;

/**
 * The trial is gone with the answer, and what was shown of it is not: whoever still stands as it was tested lands by a trial
 * that is put together anew, and the rules say who does not.
 */
export const notLanded = (draft: Draft, landing: Landing, outcome: NotLanded): void => {
  disregard(draft, 'pullRequests');
  const run = draft.run(landing.runId);
  if (run === undefined || run.closedAt !== null) return;
  if (run.purpose.kind === 'compose') draft.closeRun(run, 'not_landed');
  else draft.changeRun(run, { isTrialKept: false });
  heed(draft, landing, run, outcome);
};

const heed = (draft: Draft, landing: Landing, run: Run, outcome: NotLanded): void => {
  switch (outcome.kind) {
    case 'base_moved':
      return baseMoved(draft, landing, outcome.head);
    case 'members_changed':
      return membersChanged(draft, landing, outcome);
    case 'trial_gone':
      return trialGone(draft, run);
    case 'refused':
      return refused(draft, landing, run, outcome);
  }
};

/** Where it has come back by now, or the code host was only busy, trying again at once might come to the same. */
const baseMoved = (draft: Draft, landing: Landing, head: Sha | null): void => {
  if (head === landing.onto) landLater(draft);
  moveTarget(draft, { ...draft.queue.target, head, exists: head !== null });
};

/** What was put together just now, and is gone already, would be gone again. */
const trialGone = (draft: Draft, run: Run): void => {
  if (run.purpose.kind === 'compose')
    return composeLater(draft, run, { reason: 'LANDING_PUT_OFF', detail: 'The trial was not kept.' });
  for (const submission of draft.membersOf(run))
    draft.change(submission, { reason: 'TRIAL_GONE', reasonDetail: null });
};

type MembersChanged = Extract<NotLanded, { kind: 'members_changed' }>;

/** Where nothing that is known here has changed, trying again at once would come to the same. */
const membersChanged = (draft: Draft, landing: Landing, { pulls, missing }: MembersChanged): void => {
  const news = pulls.filter((pull) => pullRequestSeen(draft, pull));
  for (const pr of missing) pullRequestMissing(draft, pr);
  if (news.length > 0) return;
  const detail = 'The code host shows it changed, and then again unchanged.';
  const prs = [...pulls.map(({ number }) => number), ...missing];
  holdBack(draft, landing, prs, { reason: 'LANDING_PUT_OFF', detail });
};

/** These of a landing are not landed before the time that it gives, whatever vouches for them; where none of them is there, nothing is. */
const holdBack = (draft: Draft, { members }: Landing, prs: readonly number[], because: Because): Instant => {
  const submissions = members.flatMap(({ pr }) => (prs.includes(pr) ? (draft.liveSubmission(pr) ?? []) : []));
  if (submissions.length === 0) landLater(draft);
  return putOff(draft, submissions, because);
};

/** A refusal that names nobody is that of one who was landed alone; each of a batch is tested, and landed, by itself from then on. */
const refused = (draft: Draft, landing: Landing, run: Run, refusal: HostRefusal): void => {
  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);
  if (refusal.class === 'wait') return comeBackLater(draft, landing, refusal);
  if (refusal.pr === null && !isOneBatch(draft, landing))
    return draft.queue.landsSingly
      ? pauseFor(draft, 'HOST_REFUSED', refusal.message)
      : draft.changeQueue({ landsSingly: true });
  const blamed = landing.members.filter(({ pr }) => refusal.pr === null || pr === refusal.pr);
  const [only, ...others] = blamed;
  if (only === undefined) return comeBackLater(draft, landing, { ...refusal, pr: null });
  if (others.length > 0) return testEachAlone(draft, landing, refusal);
  const because = { reason: 'GITHUB_API_MERGE_PR_FAILED', detail: refusal.message, runId: run.id } as const;
  const submission = draft.liveSubmission(only.pr);
  if (submission !== undefined) leave(draft, submission, 'failed', because);
};

/** Whom of a batch the host means shows only where each is landed by itself. */
const testEachAlone = (draft: Draft, { members }: Landing, { message }: HostRefusal): void => {
  const proof = members[0] === undefined ? undefined : draft.run(members[0].verifiedBy);
  if (proof === undefined || proof.closedAt !== null) return landLater(draft);
  const because = { reason: 'BATCH_REFUSED', detail: message, runId: proof.id } as const;
  draft.closeRun(proof, 'not_landed');
  for (const submission of draft.membersOf(proof))
    draft.change(sendBack(draft, submission, because, 'place'), { alone: true });
};

/** What the host says of nobody, it would say of whatever is landed next. */
const comeBackLater = (draft: Draft, landing: Landing, { pr, message }: HostRefusal): void => {
  // The others wait for the first of them, and so for what the host said.
  const first = pr ?? landing.members[0]?.pr ?? 0;
  const until = holdBack(draft, landing, [first], { reason: 'HOST_NOT_READY', detail: message });
  if (pr === null) landLater(draft, until);
};

/** True where what was to be landed was tested as one batch, so that it stands or falls together. */
const isOneBatch = (draft: Draft, { members }: Landing): boolean => {
  const [first] = members;
  const batch = first === undefined ? [] : (draft.run(first.verifiedBy)?.batch ?? []);
  return members.every((member) => batch.some((one) => isSameMember(one, member)));
};
