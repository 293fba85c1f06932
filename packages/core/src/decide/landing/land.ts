import { freezeEndOf, gateOf, landingHolds, mayLand } from '../../model/gates.js';
import type { SubmissionId, TestRunId } from '../../model/ids.js';
import { type LandingProof, landingProofOf } from '../../model/landing-proof.js';
import type { LandingMember } from '../../model/queue.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import {
  isOnTip,
  isSameMember,
  type Member,
  memberKey,
  remainingMembers,
  type TestRun,
} from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { frontPositions } from '../line/positions.js';
import { proofOf, staleReasonOf } from '../line/proof.js';
import { beginRun } from '../moves/new-run.js';
import { ignorePendingAnswer } from '../moves/polls.js';
import { delayedUntil } from '../moves/retry.js';
import { termsOf } from './receipts.js';

/** Max pull requests in one landing. */
export const LANDING_LIMIT = 100;

/** A pull request that has passed together with everything below it, and the run that proves it. */
interface Landable {
  readonly member: Member;
  readonly proof: TestRun;
}

/**
 * Lands what has passed at the front of the line, together with everything below it. If the last run's candidate
 * stands on the tip and holds all of them as tested, one move of the target lands them. Otherwise (several lanes, an
 * old tip, or a lost candidate) all of them are first built into one combined candidate, which lands without another
 * test.
 */
export const land = (draft: Draft): void => {
  const { queue } = draft;
  draft.wakeAt(freezeEndOf(draft) ?? Number.POSITIVE_INFINITY);
  if (queue.landing !== null || queue.target.head === null || !mayLand(gateOf(queue))) return;
  if (queue.landAfter !== null && queue.landAfter > draft.now) return draft.wakeAt(queue.landAfter);
  const landables = passedFromTheFront(draft);
  const asTested = runThatHoldsAll(landables);
  if (asTested !== null) return beginLanding(draft, asTested, landables);
  if (landables.length > 0) combine(draft, landables);
};

/** The pull requests at the front of the line that have passed together with everything below them. */
export const passedFromTheFront = (draft: Draft): readonly Landable[] => {
  const landables: Landable[] = [];
  const landableIds = new Set<SubmissionId>();
  let first: TestRun | null = null;
  for (const {
    member: { submissionId },
    stack,
    isInPlay,
  } of frontPositions(draft)) {
    const submission = draft.submission(submissionId);
    if (!isInPlay || submission?.state !== 'tests_passed' || mustWaitToLand(draft, submission)) continue;
    if (!stack.every((member) => landableIds.has(member.submissionId))) continue;
    const proof = proofOf(draft, submission);
    if (proof === null || landables.length >= LANDING_LIMIT) continue;
    first ??= proof;
    if (draft.queue.landsSingly && proof.id !== first.id) continue;
    const member = remainingMembers(proof).find((one) => one.submissionId === submission.id);
    if (member === undefined) continue;
    landableIds.add(submissionId);
    landables.push({ member, proof });
  }
  return wholeRuns(landables);
};

/** True while the host does not show it, until its retry delay is over, and while something else holds it. */
const mustWaitToLand = (draft: Draft, submission: Submission): boolean => {
  const until = delayedUntil(draft, submission);
  if (until !== null) draft.wakeAt(until);
  const holds = landingHolds(draft, submission);
  for (const { untilAt } of holds) draft.wakeAt(untilAt);
  return submission.missingSince !== null || until !== null || holds.length > 0;
};

const mustAnyWaitToLand = (draft: Draft, combined: TestRun): boolean =>
  draft.membersOf(combined).some((submission) => mustWaitToLand(draft, submission));

/**
 * A run lands whole or not at all. If one of its pull requests is left out, all of them are, which may leave out others in
 * turn.
 */
const wholeRuns = (landables: readonly Landable[]): readonly Landable[] => {
  const whole = wholeAmong(
    landables,
    landables.map(({ member }) => member),
  );
  return whole.length === landables.length ? whole : wholeRuns(whole);
};

const wholeAmong = (landables: readonly Landable[], members: readonly Member[]): readonly Landable[] => {
  const keys = new Set(members.map(memberKey));
  const isWhole = ({ proof }: Landable) =>
    remainingMembers(proof).every((member) => keys.has(memberKey(member)));
  return landables.filter(isWhole);
};

/**
 * The run with the longest candidate on the tip that holds the landables exactly as they were tested. A candidate that
 * the host has not kept is skipped: a longer one may hold it too, or `combine` builds it again without a slot.
 */
const runThatHoldsAll = (landables: readonly Landable[]): TestRun | null => {
  let previous: TestRun | null = null;
  let last: TestRun | null = null;
  for (const [index, { proof }] of landables.entries()) {
    if (proof === previous) continue;
    if (!isOnTip(proof) || !holdsEarlierLandables(landables, index) || !holdsAsTested(proof, previous))
      return isSingleLane(landables) ? last : null;
    previous = proof;
    if (proof.isCandidateKept) last = proof;
  }
  return last;
};

/** True if all landables are in one lane. What the longest candidate does not hold then waits for the next landing. */
const isSingleLane = (landables: readonly Landable[]): boolean =>
  landables.every(({ proof }, index) => isOnTip(proof) && holdsEarlierLandables(landables, index));

/** True if the run of this landable begins with the landables before it. */
const holdsEarlierLandables = (landables: readonly Landable[], index: number): boolean => {
  const proof = landables[index]?.proof;
  const members = proof === undefined ? [] : remainingMembers(proof);
  return members.slice(0, index).every((one, i) => isSameMember(one, landables[i]?.member));
};

/** True if the commits below in its candidate are those that were tested. */
const holdsAsTested = (run: TestRun, below: TestRun | null): boolean => {
  if (below === null) return true;
  const at = run.landed.length + remainingMembers(below).length - 1;
  return run.candidate?.steps[at]?.commit === below.candidate?.commit;
};

/**
 * Builds a combined candidate on the tip. One that exists already is awaited, and lands if it is not stale and none of
 * its members has to wait. What has passed since lands next.
 */
const combine = (draft: Draft, landables: readonly Landable[]): void => {
  const combined = draft.openRuns().find(({ purpose }) => purpose.kind === 'compose');
  if (combined !== undefined && !mustAnyWaitToLand(draft, combined)) {
    if (combined.state === 'ended') beginLanding(draft, combined, landables);
    return;
  }
  if (combined !== undefined) draft.closeRun(combined, 'superseded');
  const vouchers = [...new Set(landables.map(({ proof }) => proof.id))];
  const { head } = draft.queue.target;
  if (head === null) return;
  beginRun(draft, draft.newId<TestRunId>(), {
    purpose: { kind: 'compose', vouchers },
    batch: landables.map(({ member }) => member),
    stack: [],
    without: [],
    base: head,
    requiredChecks: [],
  });
};

const beginLanding = (draft: Draft, run: TestRun, landables: readonly Landable[]): void => {
  const { queue } = draft;
  if (run.candidate === null || !isValid(draft, run) || queue.target.head === null) return;
  const members = withProvingRuns(draft, run, landables);
  const effectId = draft.request({
    type: 'land',
    runId: run.id,
    branch: queue.branch,
    onto: queue.target.head,
    candidate: run.candidate,
    proofs: proofsOf(draft, members),
    members: members.map(({ pr, head, submissionId }) => ({
      pr,
      head,
      forced: draft.submission(submissionId)?.forceEnqueued ?? false,
    })),
  });
  ignorePendingAnswer(draft, 'branch');
  draft.changeQueue({
    landing: {
      effectId,
      runId: run.id,
      onto: queue.target.head,
      members,
      candidate: run.candidate,
      terms: termsOf(queue),
      startedAt: draft.now,
    },
    landAfter: null,
  });
};

/** The runs that prove these members, each once, judged by the checks that are required now. */
const proofsOf = (draft: Draft, members: readonly LandingMember[]): readonly LandingProof[] => {
  const ids = new Set(members.map(({ verifiedBy }) => verifiedBy));
  return [...ids].flatMap((id) => draft.run(id) ?? []).flatMap((run) => proofsBy(draft, run));
};

/** What a landing reads again of one run that proves a member. */
export const proofsBy = ({ queue }: Draft, run: TestRun): readonly LandingProof[] =>
  landingProofOf(run, requiredChecksOf(queue)?.names ?? run.requiredChecks, queue.target.digests);

/** Adds to each member the run that proves it. That run has to land whole, since it was tested whole. */
const withProvingRuns = (
  draft: Draft,
  run: TestRun,
  landables: readonly Landable[],
): readonly LandingMember[] => {
  const members = remainingMembers(run);
  const proofs = new Map(
    wholeAmong(landables, members).map(({ member, proof }) => [memberKey(member), proof.id]),
  );
  const vouchers =
    run.purpose.kind === 'compose' ? run.purpose.vouchers.flatMap((id) => draft.run(id) ?? []) : [run];
  const provingRunOf = (member: Member) =>
    vouchers.find((one) => remainingMembers(one).some((other) => isSameMember(other, member))) ?? run;
  return members.map((member) => ({
    verifiedBy: proofs.get(memberKey(member)) ?? provingRunOf(member).id,
    ...member,
  }));
};

/** A combined candidate is valid while all the runs that it combines are. */
const isValid = (draft: Draft, run: TestRun): boolean =>
  run.purpose.kind === 'compose'
    ? run.purpose.vouchers.every((id) => {
        const voucher = draft.run(id);
        return voucher !== undefined && staleReasonOf(draft, voucher) === null;
      })
    : staleReasonOf(draft, run) === null;
