import { isForUrgentOnly } from '../../model/gates.js';
import { doOverlap } from '../../model/impacted-targets.js';
import type { ReasonCode } from '../../model/reasons.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import {
  areSameMembers,
  type CloseCause,
  isByOwnChecks,
  isSameMember,
  type Member,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import { clearsItsPart, hasSucceeded } from '../../model/run-evidence.js';
import { isUrgent, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { positionIn } from './positions.js';
import { memberOf, targetsOf } from './standpoint.js';

/** Why a run would no longer land what it tests; null while it would. */
export const flawOf = (draft: Draft, run: TestRun): ReasonCode | null => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.overtakenBy !== null) return 'OVERTAKEN';
  if (run.method !== draft.queue.settings.mergeMethod) return 'MERGE_METHOD_CHANGED';
  if (run.candidate !== null && isByOwnChecks(run) && draft.queue.settings.directMergeMode === 'off')
    return 'DIRECT_MERGE_OFF';
  return flawInLine(draft, run);
};

/** As what the queue lets go of a run for such a flaw. */
export const closeCause = ({ purpose }: TestRun, flaw: ReasonCode): CloseCause => {
  if (flaw === 'MANUAL_PUSH_TO_TARGET_BRANCH') return 'target_moved';
  return purpose.kind === 'isolate' ? 'isolated' : 'superseded';
};

/** Each of its batch has to stand on what lies below it in the candidate, and on nothing else. */
const flawInLine = (draft: Draft, run: TestRun): ReasonCode | null => {
  if (isForUrgentOnly(draft) && isPartlyUrgent(draft, run)) return 'SKIP_THE_LINE_INTERRUPTED';
  for (const { member, below } of footings(run)) {
    const flaw = flawOfMember(draft, member, below);
    if (flaw !== null) return flaw;
  }
  return null;
};

/** True where an urgent pull request could land with others only. */
const isPartlyUrgent = (draft: Draft, run: TestRun): boolean => {
  const members = draft.membersOf(run);
  return members.some(isUrgent) && !members.every(isUrgent);
};

/** One of a batch, and what lies below it in the candidate. */
interface Footing {
  readonly member: Member;
  readonly below: readonly Member[];
}

/** Of each of its batch that has not landed. */
function* footings(run: TestRun): Generator<Footing> {
  const [stack, batch] = [remainingStack(run), remainingBatch(run)];
  for (const [place, member] of batch.entries())
    yield { member, below: place === 0 ? stack : [...stack, ...batch.slice(0, place)] };
}

const flawOfMember = (draft: Draft, member: Member, below: readonly Member[]): ReasonCode | null => {
  const position = positionIn(draft, member.submissionId);
  if (position === undefined || !isSameMember(position.member, member)) return whatBecameOf(draft, member);
  if (position.isTooDeep) return 'PREREQUISITE_MERGE_ITEM_PENDING';
  if (!position.isInPlay) return 'READINESS_LOST';
  const { stack } = position;
  if (areSameMembers(below, stack)) return null;
  const gone = firstWithout(below, stack);
  if (gone !== undefined) return whatBecameOf(draft, gone);
  if (isSameOrder(draft, below, stack)) return null;
  return urgentBefore(draft, below, stack) === undefined
    ? 'PREREQUISITE_MERGE_ITEM_PENDING'
    : 'SKIP_THE_LINE_INTERRUPTED';
};

/** The urgent one that stands ahead and is not among these. */
const urgentBefore = (draft: Draft, below: readonly Member[], stack: readonly Member[]): Member | undefined =>
  stack.find((one) => {
    const ahead = draft.submission(one.submissionId);
    return ahead !== undefined && isUrgent(ahead) && !below.some((other) => isSameMember(one, other));
  });

/** The first of these who is not among the others. Most of both stand in the same places. */
const firstWithout = (members: readonly Member[], others: readonly Member[]): Member | undefined =>
  members.find(
    (one, place) => !isSameMember(one, others[place]) && !others.some((other) => isSameMember(one, other)),
  );

/** All of them: those who touch nothing in common in any order, since one lane may land while the other is still tested. */
const isSameOrder = (draft: Draft, below: readonly Member[], stack: readonly Member[]): boolean => {
  const places = placesIn(stack, below);
  return new Set(places).size >= stack.length && movedBefore(draft, below, places) === undefined;
};

/** Where each of these stands among those; -1 for one who does not. */
const placesIn = (stack: readonly Member[], below: readonly Member[]): readonly number[] => {
  const placeOf = new Map(stack.map(({ submissionId }, index) => [submissionId, index]));
  return below.map(({ submissionId }) => placeOf.get(submissionId) ?? -1);
};

/** Who stands before one by now whom it was tested behind, and touches the same. */
const movedBefore = (
  draft: Draft,
  below: readonly Member[],
  places: readonly number[],
): Member | undefined => {
  for (const [index, member] of below.entries())
    for (let later = index + 1; later < places.length; later += 1) {
      const other = below[later];
      const isMovedBefore = (places[later] ?? -1) < (places[index] ?? -1);
      if (isMovedBefore && other !== undefined && doTouchTheSame(draft, member, other)) return other;
    }
  return undefined;
};

const doTouchTheSame = (draft: Draft, one: Member, other: Member): boolean =>
  doOverlap(targetsOf(draft, one), targetsOf(draft, other));

/** Why one that a run counts on is not there any more. */
export const whatBecameOf = (draft: Draft, member: Member): ReasonCode => {
  switch (draft.attemptOf(member)?.state) {
    case 'failed':
    case 'pending_failure':
      return 'PREREQUISITE_MERGE_ITEM_FAILED';
    case 'merged':
      return 'PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED';
    case 'cancelled':
    case undefined:
      return 'PREREQUISITE_MERGE_ITEM_CANCELLED';
    default:
      return 'PREREQUISITE_MERGE_ITEM_PENDING';
  }
};

/** Who made a run untrue by failing, leaving, going or landing first, for people: `#3`; null where that was nobody, or is not known. */
export const whoseDoing = (draft: Draft, run: TestRun, flaw: ReasonCode): string | null => {
  if (flaw === 'OVERTAKEN') return run.isOvertakerKnown ? `#${run.overtakenBy}` : null;
  if (flaw === 'SKIP_THE_LINE_INTERRUPTED') return named(moverIn(draft, run, urgentBefore));
  if (flaw === 'PREREQUISITE_MERGE_ITEM_PENDING') return named(moverIn(draft, run, movedAmong));
  return named(remainingMembers(run).find((member) => whatBecameOf(draft, member) === flaw));
};

const named = (member: Member | undefined): string | null => (member === undefined ? null : `#${member.pr}`);

/** To one of its batch: who moved among those below it; else whoever of the batch stands on others than it did. */
export const whoMovedFor = (draft: Draft, run: TestRun, id: Member['submissionId']): string | null => {
  const all = [...footings(run)];
  const own = all.find(({ member }) => member.submissionId === id);
  const below = own === undefined ? undefined : moverAt(draft, own, movedAmong);
  const mate = all.find((one) => one !== own && moverAt(draft, one, movedAmong) !== undefined);
  return named(below ?? mate?.member);
};

/** The first who is found between what the run holds and what each of its batch stands on now. */
const moverIn = (draft: Draft, run: TestRun, find: Find): Member | undefined => {
  for (const footing of footings(run)) {
    const found = moverAt(draft, footing, find);
    if (found !== undefined) return found;
  }
  return undefined;
};

type Find = (draft: Draft, below: readonly Member[], stack: readonly Member[]) => Member | undefined;

const moverAt = (draft: Draft, { member, below }: Footing, find: Find): Member | undefined => {
  const position = positionIn(draft, member.submissionId);
  return position === undefined || position.isTooDeep ? undefined : find(draft, below, position.stack);
};

/** Who lies below and is not expected there any more, or else has come to stand ahead, or else before others of them. */
const movedAmong = (draft: Draft, below: readonly Member[], stack: readonly Member[]): Member | undefined =>
  firstWithout(below, stack) ??
  firstWithout(stack, below) ??
  movedBefore(draft, below, placesIn(stack, below));

/** The passed run that vouches for a submission: its own, or where the queue merges optimistically one that holds it. */
export const proofOf = (draft: Draft, submission: Submission): TestRun | null => {
  const member = memberOf(submission);
  const own = draft
    .runsOf(submission)
    .find((run) => isProof(run) && flawOf(draft, run) === null && vouchesFor(draft, run, member));
  const holds = (run: TestRun) => remainingMembers(run).some((one) => isSameMember(one, member));
  return own ?? proofsOfOthers(draft).findLast(holds) ?? null;
};

/** The passed runs that vouch for more than those whom they test. */
const proofsOfOthers = (draft: Draft): readonly TestRun[] =>
  draft.derived('proofs of others', () =>
    draft
      .openRuns()
      .filter((run) => isProof(run) && doesVouchForStack(draft, run) && flawOf(draft, run) === null),
  );

export const isProven = (draft: Draft, submission: Submission): boolean =>
  proofOf(draft, submission) !== null;

const isProof = (run: TestRun): boolean =>
  run.purpose.kind === 'test' ? run.outcome === 'passed' : clearsItsPart(run);

const vouchesFor = (draft: Draft, run: TestRun, member: Member): boolean =>
  remainingBatch(run).some((one) => isSameMember(one, member)) ||
  (remainingStack(run).some((one) => isSameMember(one, member)) && doesVouchForStack(draft, run));

/** A passed run is evidence about what lies below it only where each required check succeeded, and none was skipped. */
export const doesVouchForStack = (draft: Draft, run: TestRun): boolean =>
  (mergesOptimistically(draft) || run.purpose.kind === 'isolate') &&
  (requiredChecksOf(draft.queue)?.names ?? run.requiredChecks).every((name) => hasSucceeded(run, name));

/** A pass vouches for everything below it. Not after a refusal that names nobody: then each has to land by itself. */
export const mergesOptimistically = ({ queue }: Draft): boolean =>
  queue.settings.canOptimisticallyMerge && !queue.landsSingly;
