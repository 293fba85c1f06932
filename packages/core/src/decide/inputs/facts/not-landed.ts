import type { Instant, Sha } from '../../../model/ids.js';
import type { HostRefusal, LandOutcome, MovedOutcome } from '../../../model/outcomes.js';
import type { Landing } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';
import type { Draft } from '../../draft/draft.js';
import type { Because } from '../../draft/history-rows.js';
import { leave } from '../../moves/leave.js';
import { pauseFor } from '../../moves/pause.js';
import { ignorePendingAnswer } from '../../moves/polls.js';
import { combineLater, landLater, retryLater } from '../../moves/retry.js';
import { doesStillPass } from '../../verdicts/conclude.js';
import { moveTarget } from './branch.js';
import { isOneBatch, putLandingOff, testEachAlone } from './landing-put-off.js';
import { notePullMissing, updatePull } from './pull-requests.js';

type NotLanded = Exclude<LandOutcome, MovedOutcome>;

/**
 * Handles a landing that did not happen. Its candidate is gone, but the results stay valid: what still matches the line
 * lands with a new candidate.
 */
export const handleNotLanded = (draft: Draft, landing: Landing, outcome: NotLanded): void => {
  ignorePendingAnswer(draft, 'pullRequests');
  const run = draft.run(landing.runId);
  if (run === undefined || run.closedAt !== null) return;
  if (run.purpose.kind === 'compose') draft.closeRun(run, 'not_landed');
  else draft.changeRun(run, { isCandidateKept: false });
  handleOutcome(draft, landing, run, outcome);
};

const handleOutcome = (draft: Draft, landing: Landing, run: TestRun, outcome: NotLanded): void => {
  switch (outcome.kind) {
    case 'base_moved':
      return handleMovedBase(draft, landing, outcome.head);
    case 'members_changed':
      return handleChangedMembers(draft, landing, outcome);
    case 'checks_changed':
      return handleChangedChecks(draft, landing);
    case 'candidate_gone':
      return handleGoneCandidate(draft, run);
    case 'refused':
      return handleRefusal(draft, landing, run, outcome);
  }
};

/**
 * Delays the next landing if the target is at the expected commit: the host was busy, or the target is back, and an
 * immediate retry might fail in the same way.
 */
const handleMovedBase = (draft: Draft, landing: Landing, head: Sha | null): void => {
  if (head === landing.onto) landLater(draft);
  moveTarget(draft, { ...draft.queue.target, head, exists: head !== null });
};

/** A combined candidate that was lost right after it was built would be lost again. */
const handleGoneCandidate = (draft: Draft, run: TestRun): void => {
  if (run.purpose.kind === 'compose')
    return combineLater(draft, run, {
      reason: 'LANDING_PUT_OFF',
      detail: 'The code host no longer has the candidate.',
    });
  for (const submission of draft.membersOf(run))
    draft.change(submission, { reason: 'TRIAL_GONE', reasonDetail: null });
};

/**
 * Delays the landing if all its runs still pass by the checks known here: an immediate retry would fail in the same
 * way.
 */
const handleChangedChecks = (draft: Draft, { members }: Landing): void => {
  const runs = [...new Set(members.map(({ verifiedBy }) => verifiedBy))].map((id) => draft.run(id));
  const hasChanged = runs.some(
    (run) => run?.outcome !== 'passed' || run.overtakenBy !== null || !doesStillPass(draft, run),
  );
  if (!hasChanged) landLater(draft);
};

type MembersChanged = Extract<NotLanded, { kind: 'members_changed' }>;

/** Delays the landing if the pull requests show no change: an immediate retry would fail in the same way. */
const handleChangedMembers = (draft: Draft, landing: Landing, { pulls, missing }: MembersChanged): void => {
  const changedPulls = pulls.filter((pull) => updatePull(draft, pull));
  for (const pr of missing) notePullMissing(draft, pr);
  if (changedPulls.length > 0) return;
  const detail = 'The code host reported a change, and then showed none.';
  const prs = [...pulls.map(({ number }) => number), ...missing];
  delayLanding(draft, landing, prs, { reason: 'LANDING_PUT_OFF', detail });
};

/**
 * Delays the landing of these pull requests, whichever runs prove them. If none of them is in the queue, delays all
 * landings. Returns the time of the retry.
 */
const delayLanding = (
  draft: Draft,
  { members }: Landing,
  prs: readonly number[],
  because: Because,
): Instant => {
  const submissions = members.flatMap(({ pr }) => (prs.includes(pr) ? (draft.liveSubmission(pr) ?? []) : []));
  if (submissions.length === 0) landLater(draft);
  return retryLater(draft, submissions, because);
};

/**
 * A refusal that names no pull request counts against a pull request that was landed alone. After the refusal of a
 * batch, its members are tested and landed one by one.
 */
const handleRefusal = (draft: Draft, landing: Landing, run: TestRun, refusal: HostRefusal): void => {
  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);
  if (refusal.class === 'wait') return putLandingOff(draft, landing, run, refusal);
  if (refusal.pr === null && !isOneBatch(draft, landing))
    return draft.queue.landsSingly
      ? pauseFor(draft, 'HOST_REFUSED', refusal.message)
      : draft.changeQueue({ landsSingly: true });
  const refusedMembers = landing.members.filter(({ pr }) => refusal.pr === null || pr === refusal.pr);
  const [only, ...others] = refusedMembers;
  if (only === undefined) return putLandingOff(draft, landing, run, refusal);
  if (others.length > 0) return testEachAlone(draft, landing, refusal);
  const because = { reason: 'GITHUB_API_MERGE_PR_FAILED', detail: refusal.message, runId: run.id } as const;
  const submission = draft.liveSubmission(only.pr);
  if (submission !== undefined) leave(draft, submission, 'failed', because);
};
