import type { Sha } from '../../../model/ids.js';
import type { ChecksSeen, LandFinished } from '../../../model/input.js';
import type { HostRefusal, LandOutcome, MovedOutcome } from '../../../model/outcomes.js';
import type { Landing } from '../../../model/queue.js';
import type { TestRun } from '../../../model/run.js';
import type { Draft } from '../../draft/draft.js';
import { leave } from '../../moves/leave.js';
import { pauseFor } from '../../moves/pause.js';
import { ignorePendingAnswer } from '../../moves/polls.js';
import { retryLater } from '../../moves/retry.js';
import { doesStillPass } from '../../verdicts/conclude.js';
import { wouldLandWith } from '../../verdicts/merged-checks.js';
import { moveTarget } from './branch.js';
import { isOneBatch, putLandingOff, testEachAlone } from './landing-put-off.js';
import { notePullMissing, updatePull } from './pull-requests.js';

type NotLanded = Exclude<LandOutcome, MovedOutcome>;

/**
 * Handles a landing that did not happen. Its candidate is gone, but the results stay valid: what still matches the line
 * lands with a new candidate.
 */
export const handleNotLanded = (
  draft: Draft,
  landing: Landing,
  outcome: NotLanded,
  checksRead: LandFinished['checksRead'],
): void => {
  ignorePendingAnswer(draft, 'pullRequests');
  const run = draft.run(landing.runId);
  if (run === undefined || run.closedAt !== null) return;
  if (run.purpose.kind === 'compose') draft.closeRun(run, 'not_landed');
  else draft.changeRun(run, { isCandidateKept: false });
  if (outcome.kind === 'checks_changed') handleChangedChecks(draft, landing, run, checksRead?.seen ?? []);
  else handleOutcome(draft, landing, run, outcome);
};

type Outcome = Exclude<NotLanded, { kind: 'checks_changed' }>;

const handleOutcome = (draft: Draft, landing: Landing, run: TestRun, outcome: Outcome): void => {
  switch (outcome.kind) {
    case 'base_moved':
      return handleMovedBase(draft, landing, run, outcome.head);
    case 'members_changed':
      return handleChangedMembers(draft, landing, run, outcome);
    case 'candidate_gone':
      return handleGoneCandidate(draft, landing, run);
    case 'refused':
      return handleRefusal(draft, landing, run, outcome);
  }
};

/**
 * Puts the landing off after an answer that shows nothing to change: an immediate retry would fail in the same way. One
 * that never ends counts like a refusal.
 */
const putOffUnchanged = (
  draft: Draft,
  landing: Landing,
  run: TestRun,
  { pr = null, message }: { readonly pr?: number | null; readonly message: string },
): void => putLandingOff(draft, landing, run, { pr, message, reason: 'LANDING_PUT_OFF' });

/** If the target is at the expected commit, the host was busy, or the target is back. */
const handleMovedBase = (draft: Draft, landing: Landing, run: TestRun, head: Sha | null): void => {
  const { branch, target } = draft.queue;
  const message = `The code host reported that ${branch} had moved, and then showed it where it was.`;
  if (head === landing.onto) putOffUnchanged(draft, landing, run, { message });
  moveTarget(draft, { ...target, head, exists: head !== null });
};

/** A combined candidate that was lost right after it was built would be lost again. */
const handleGoneCandidate = (draft: Draft, landing: Landing, run: TestRun): void => {
  const message = 'The code host no longer has the candidate.';
  if (run.purpose.kind === 'compose') return putOffUnchanged(draft, landing, run, { message });
  for (const submission of draft.membersOf(run))
    draft.change(submission, { reason: 'TRIAL_GONE', reasonDetail: null });
};

/** Puts the landing off if all its runs still pass by the checks known here. */
const handleChangedChecks = (
  draft: Draft,
  landing: Landing,
  run: TestRun,
  seen: ChecksSeen['seen'],
): void => {
  const { members } = landing;
  const proofs = [...new Set(members.map(({ verifiedBy }) => verifiedBy))].map((id) => draft.run(id));
  const hasChanged = proofs.some(
    (proof) => proof?.outcome !== 'passed' || proof.overtakenBy !== null || !doesStillPass(draft, proof),
  );
  if (hasChanged) return;
  const refuted = new Set(seen.filter((one) => isRefutedBy(draft, one)).map(({ runId }) => runId));
  const [only, ...others] = members.filter(({ verifiedBy }) => refuted.has(verifiedBy));
  const pr = others.length > 0 ? null : (only?.pr ?? null);
  const message = 'The code host showed a check that has not passed, and then showed all passed.';
  putOffUnchanged(draft, landing, run, { pr, message });
};

/** True if a landing does not accept the run with the checks that were read for it. */
const isRefutedBy = (draft: Draft, { runId, checks }: ChecksSeen['seen'][number]): boolean => {
  const run = draft.run(runId);
  return run !== undefined && !wouldLandWith(draft, run, checks);
};

type MembersChanged = Extract<NotLanded, { kind: 'members_changed' }>;

/**
 * Puts off the named pull requests if they show no change, whichever runs prove them, or all if none of them is in the
 * landing. Only the first one is counted: the answer may be about that one alone.
 */
const handleChangedMembers = (
  draft: Draft,
  landing: Landing,
  run: TestRun,
  { pulls, missing }: MembersChanged,
): void => {
  const changedPulls = pulls.filter((pull) => updatePull(draft, pull));
  for (const pr of missing) notePullMissing(draft, pr);
  if (changedPulls.length > 0) return;
  const prs = [...pulls.map(({ number }) => number), ...missing];
  const [first, ...others] = landing.members.filter(({ pr }) => prs.includes(pr));
  const message = 'The code host reported a change, and then showed none.';
  for (const { pr } of others) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined)
      retryLater(draft, [submission], { reason: 'LANDING_PUT_OFF', detail: message });
  }
  putOffUnchanged(draft, landing, run, { pr: first?.pr ?? null, message });
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
