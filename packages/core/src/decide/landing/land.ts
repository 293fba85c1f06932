import { freezeEndOf, frozenUntil, gateOf, mayLand } from '../../model/gates.js';
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
import { flawOf, proofOf } from '../line/proof.js';
import { beginRun } from '../moves/new-run.js';
import { disregard } from '../moves/polls.js';
import { holdsBackUntil } from '../moves/retry.js';
import { termsOf } from './receipts.js';

/** One landing holds at most this many pull requests. */
export const LANDING_LIMIT = 100;

/** One that has passed together with everybody below, and the run that vouches for it. */
interface Landable {
  readonly member: Member;
  readonly proof: TestRun;
}

/**
 * What may land now: from the front of the line on, whoever has passed together with everybody below. Where the last
 * run's candidate stands on the tip and holds all of them as tested, one move of the target lands them. What passed in
 * several lanes, or on a tip that other lanes have overtaken, or has a candidate that is gone, is put together on the tip
 * first, and then lands at once.
 */
export const land = (draft: Draft): void => {
  const { queue } = draft;
  draft.wakeAt(freezeEndOf(draft) ?? Number.POSITIVE_INFINITY);
  if (queue.landing !== null || queue.target.head === null || !mayLand(gateOf(queue))) return;
  if (queue.landAfter !== null && queue.landAfter > draft.now) return draft.wakeAt(queue.landAfter);
  const landables = passedFromTheFront(draft);
  const asTested = heldByOne(landables);
  if (asTested !== null) return beginLanding(draft, asTested, landables);
  if (landables.length > 0) compose(draft, landables);
};

/** From the front of the line on, whoever has passed together with everybody below. */
export const passedFromTheFront = (draft: Draft): readonly Landable[] => {
  const landables: Landable[] = [];
  const found = new Set<SubmissionId>();
  let first: TestRun | null = null;
  for (const {
    member: { submissionId },
    stack,
    isInPlay,
  } of frontPositions(draft)) {
    const submission = draft.submission(submissionId);
    if (!isInPlay || submission?.state !== 'tests_passed' || isHeldBack(draft, submission)) continue;
    if (!stack.every((member) => found.has(member.submissionId))) continue;
    const proof = proofOf(draft, submission);
    if (proof === null || landables.length >= LANDING_LIMIT) continue;
    first ??= proof;
    if (draft.queue.landsSingly && proof.id !== first.id) continue;
    const member = remainingMembers(proof).find((one) => one.submissionId === submission.id);
    if (member === undefined) continue;
    found.add(submissionId);
    landables.push({ member, proof });
  }
  return wholeRuns(landables);
};

/** One that the host does not show waits until it is shown again, or given up; one that it would not land, for a while; one that is frozen, until the freeze ends. */
const isHeldBack = (draft: Draft, submission: Submission): boolean => {
  const until = holdsBackUntil(draft, submission);
  if (until !== null) draft.wakeAt(until);
  return submission.missingSince !== null || until !== null || frozenUntil(draft, submission) !== null;
};

const isAnyHeldBack = (draft: Draft, composed: TestRun): boolean =>
  draft.membersOf(composed).some((submission) => isHeldBack(draft, submission));

/** A run lands with everything that it holds, or not at all: who falls out takes others along, until nobody does. */
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
 * The longest beginning of them that one candidate on the tip holds, each commit for commit as it was tested. What the host does
 * not keep any more lands with a candidate that holds it too, or is built anew: `compose` does, without a slot.
 */
const heldByOne = (landables: readonly Landable[]): TestRun | null => {
  let seen: TestRun | null = null;
  let last: TestRun | null = null;
  for (const [index, { proof }] of landables.entries()) {
    if (proof === seen) continue;
    if (!isOnTip(proof) || !holdsThoseBefore(landables, index) || !holdsAsTested(proof, seen))
      return isOneLine(landables) ? last : null;
    seen = proof;
    if (proof.isCandidateKept) last = proof;
  }
  return last;
};

/** Without lanes side by side, what one candidate does not hold yet waits for the next landing. */
const isOneLine = (landables: readonly Landable[]): boolean =>
  landables.every(({ proof }, index) => isOnTip(proof) && holdsThoseBefore(landables, index));

/** The run of this one begins with those before it, as far as it goes. */
const holdsThoseBefore = (landables: readonly Landable[], index: number): boolean => {
  const proof = landables[index]?.proof;
  const members = proof === undefined ? [] : remainingMembers(proof);
  return members.slice(0, index).every((one, i) => isSameMember(one, landables[i]?.member));
};

/** What lies below in its candidate is commit for commit what was tested for those below. */
const holdsAsTested = (run: TestRun, below: TestRun | null): boolean => {
  if (below === null) return true;
  const at = run.landed.length + remainingMembers(below).length - 1;
  return run.candidate?.steps[at]?.commit === below.candidate?.commit;
};

/**
 * Puts on the tip what no candidate holds there. What was composed before is awaited, and lands if it is still true and holds
 * nobody who may not land for the moment: whoever has passed since lands next.
 */
const compose = (draft: Draft, landables: readonly Landable[]): void => {
  const composed = draft.openRuns().find(({ purpose }) => purpose.kind === 'compose');
  if (composed !== undefined && !isAnyHeldBack(draft, composed)) {
    if (composed.state === 'ended') beginLanding(draft, composed, landables);
    return;
  }
  if (composed !== undefined) draft.closeRun(composed, 'superseded');
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
  if (run.candidate === null || !isFlawless(draft, run) || queue.target.head === null) return;
  const members = withVouchers(draft, run, landables);
  const effectId = draft.wish({
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
  disregard(draft, 'branch');
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

/** The runs by which these have passed, each once, judged by the checks in force. */
const proofsOf = (draft: Draft, members: readonly LandingMember[]): readonly LandingProof[] => {
  const required = requiredChecksOf(draft.queue)?.names;
  return [...new Set(members.map(({ verifiedBy }) => verifiedBy))].flatMap((id) => {
    const run = draft.run(id);
    return run === undefined
      ? []
      : landingProofOf(run, required ?? run.requiredChecks, draft.queue.target.digests);
  });
};

/** Each with the run that vouches for it: one that lands whole, since what was tested is a whole candidate. */
const withVouchers = (
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
  const voucherOf = (member: Member) =>
    vouchers.find((one) => remainingMembers(one).some((held) => isSameMember(held, member))) ?? run;
  return members.map((member) => ({
    verifiedBy: proofs.get(memberKey(member)) ?? voucherOf(member).id,
    ...member,
  }));
};

/** What was composed has no flaw as long as none of the runs has that vouch for it. */
const isFlawless = (draft: Draft, run: TestRun): boolean =>
  run.purpose.kind === 'compose'
    ? run.purpose.vouchers.every((id) => {
        const voucher = draft.run(id);
        return voucher !== undefined && flawOf(draft, voucher) === null;
      })
    : flawOf(draft, run) === null;
