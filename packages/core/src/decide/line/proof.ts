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
import { isFailureOvertaken, isVoidOnceLanded } from './overtaking.js';
import { memberOf, targetsOf } from './placement-input.js';
import { type Position, positionIn } from './positions.js';

/** Why a test run is stale, which means that it no longer tests what would land; null while it is not. */
export const staleReasonOf = (draft: Draft, run: TestRun): ReasonCode | null => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.overtakenBy !== null && !isRetest(draft, run)) return 'OVERTAKEN';
  if (run.method !== draft.queue.settings.mergeMethod) return 'MERGE_METHOD_CHANGED';
  if (run.candidate !== null && isByOwnChecks(run) && draft.queue.settings.directMergeMode === 'off')
    return 'DIRECT_MERGE_OFF';
  return staleReasonInLine(draft, run);
};

/**
 * True while a failed pull request is tested once more and all below it has landed. Others from behind may land first
 * meanwhile: a failure counts on the base on which it was tested, and what passes is tested again.
 */
const isRetest = (draft: Draft, run: TestRun): boolean =>
  run.outcome === null &&
  remainingStack(run).length === 0 &&
  !isFailureOvertaken(draft, run) &&
  draft.membersOf(run).some(({ suspectedBy }) => suspectedBy !== null);

/**
 * The stack that it is to be tested on. What lands now stands first in line, also if it comes from behind: a second test lacks
 * it if its failure counts all the same.
 */
const wantedStack = (draft: Draft, run: TestRun, { stack }: Position): readonly Member[] => {
  const landing = draft.queue.landing?.members ?? [];
  if (landing.length === 0 || !isRetest(draft, run)) return stack;
  const isNeeded = (one: Member) =>
    isVoidOnceLanded(draft, run, one.pr) || !landing.some((other) => isSameMember(one, other));
  return stack.filter(isNeeded);
};

/** The cause with which a stale run is closed. */
export const closeCause = ({ purpose }: TestRun, staleReason: ReasonCode): CloseCause => {
  if (staleReason === 'MANUAL_PUSH_TO_TARGET_BRANCH') return 'target_moved';
  return purpose.kind === 'isolate' ? 'isolated' : 'superseded';
};

/** Each member has to stand on exactly what lies below it in the candidate. */
const staleReasonInLine = (draft: Draft, run: TestRun): ReasonCode | null => {
  if (isForUrgentOnly(draft) && isPartlyUrgent(draft, run)) return 'SKIP_THE_LINE_INTERRUPTED';
  for (const { member, below } of membersWithStack(run)) {
    const staleReason = staleReasonOfMember(draft, run, { member, below });
    if (staleReason !== null) return staleReason;
  }
  return null;
};

/** True if an urgent pull request could land only with others. */
const isPartlyUrgent = (draft: Draft, run: TestRun): boolean => {
  const members = draft.membersOf(run);
  return members.some(isUrgent) && !members.every(isUrgent);
};

/** A batch member, and the members that lie below it in the candidate. */
interface MemberWithStack {
  readonly member: Member;
  readonly below: readonly Member[];
}

/** One for each member of the batch that has not landed. */
function* membersWithStack(run: TestRun): Generator<MemberWithStack> {
  const [stack, batch] = [remainingStack(run), remainingBatch(run)];
  for (const [index, member] of batch.entries())
    yield { member, below: index === 0 ? stack : [...stack, ...batch.slice(0, index)] };
}

const staleReasonOfMember = (
  draft: Draft,
  run: TestRun,
  { member, below }: MemberWithStack,
): ReasonCode | null => {
  const position = positionIn(draft, member.submissionId);
  if (position === undefined || !isSameMember(position.member, member)) return reasonOfAbsence(draft, member);
  if (position.isTooDeep) return 'PREREQUISITE_MERGE_ITEM_PENDING';
  if (!position.mayBeTested) return 'READINESS_LOST';
  const stack = wantedStack(draft, run, position);
  if (areSameMembers(below, stack)) return null;
  const missing = firstMissingIn(below, stack);
  if (missing !== undefined) return reasonOfAbsence(draft, missing);
  if (isSameOrder(draft, below, stack)) return null;
  return urgentBefore(draft, below, stack) === undefined
    ? 'PREREQUISITE_MERGE_ITEM_PENDING'
    : 'SKIP_THE_LINE_INTERRUPTED';
};

/** An urgent pull request that stands ahead but is not below in the candidate. */
const urgentBefore = (draft: Draft, below: readonly Member[], stack: readonly Member[]): Member | undefined =>
  stack.find((one) => {
    const ahead = draft.submission(one.submissionId);
    return ahead !== undefined && isUrgent(ahead) && !below.some((other) => isSameMember(one, other));
  });

/**
 * The first member that `others` does not include. Compares equal indexes first, because most members have the same
 * index in both lists.
 */
const firstMissingIn = (members: readonly Member[], others: readonly Member[]): Member | undefined =>
  members.find(
    (one, index) => !isSameMember(one, others[index]) && !others.some((other) => isSameMember(one, other)),
  );

/**
 * True if the whole stack lies below, and pull requests that overlap lie in the order of the stack. The order of the rest
 * may differ, since one lane may land while another is still tested.
 */
const isSameOrder = (draft: Draft, below: readonly Member[], stack: readonly Member[]): boolean => {
  const indexes = indexesIn(stack, below);
  return new Set(indexes).size >= stack.length && movedBefore(draft, below, indexes) === undefined;
};

/** The index in the stack of each member of `below`; -1 if it is not in the stack. */
const indexesIn = (stack: readonly Member[], below: readonly Member[]): readonly number[] => {
  const indexOf = new Map(stack.map(({ submissionId }, index) => [submissionId, index]));
  return below.map(({ submissionId }) => indexOf.get(submissionId) ?? -1);
};

/** A member that was tested behind another one with which it overlaps, and now stands ahead of that one. */
const movedBefore = (
  draft: Draft,
  below: readonly Member[],
  indexes: readonly number[],
): Member | undefined => {
  for (const [index, member] of below.entries())
    for (let later = index + 1; later < indexes.length; later += 1) {
      const other = below[later];
      const isMovedBefore = (indexes[later] ?? -1) < (indexes[index] ?? -1);
      if (isMovedBefore && other !== undefined && doMembersOverlap(draft, member, other)) return other;
    }
  return undefined;
};

const doMembersOverlap = (draft: Draft, one: Member, other: Member): boolean =>
  doOverlap(targetsOf(draft, one), targetsOf(draft, other));

/** Why a member that a run depends on is not in line any more. */
export const reasonOfAbsence = (draft: Draft, member: Member): ReasonCode => {
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

/** The pull request that made a run stale, as `#3`; null if there is none or it is not known. */
export const causeOfStaleness = (draft: Draft, run: TestRun, staleReason: ReasonCode): string | null => {
  if (staleReason === 'OVERTAKEN') return run.isOvertakerKnown ? `#${run.overtakenBy}` : null;
  if (staleReason === 'SKIP_THE_LINE_INTERRUPTED') return numberOf(firstMoverIn(draft, run, urgentBefore));
  if (staleReason === 'PREREQUISITE_MERGE_ITEM_PENDING')
    return numberOf(firstMoverIn(draft, run, movedAmong));
  return numberOf(remainingMembers(run).find((member) => reasonOfAbsence(draft, member) === staleReason));
};

const numberOf = (member: Member | undefined): string | null =>
  member === undefined ? null : `#${member.pr}`;

/**
 * What moved, for one member of a stale run: a pull request below that member, or else the batch member whose stack has
 * changed. As `#3`; null if unknown.
 */
export const causeOfMove = (draft: Draft, run: TestRun, id: Member['submissionId']): string | null => {
  const entries = [...membersWithStack(run)];
  const ownEntry = entries.find(({ member }) => member.submissionId === id);
  const below = ownEntry === undefined ? undefined : moverAt(draft, ownEntry, movedAmong);
  const batchMate = entries.find((one) => one !== ownEntry && moverAt(draft, one, movedAmong) !== undefined);
  return numberOf(below ?? batchMate?.member);
};

/**
 * Compares, member by member, the stack in the run's candidate with the present one. Returns the first difference
 * that `find` names.
 */
const firstMoverIn = (draft: Draft, run: TestRun, find: Find): Member | undefined => {
  for (const memberWithStack of membersWithStack(run)) {
    const found = moverAt(draft, memberWithStack, find);
    if (found !== undefined) return found;
  }
  return undefined;
};

type Find = (draft: Draft, below: readonly Member[], stack: readonly Member[]) => Member | undefined;

const moverAt = (draft: Draft, { member, below }: MemberWithStack, find: Find): Member | undefined => {
  const position = positionIn(draft, member.submissionId);
  return position === undefined || position.isTooDeep ? undefined : find(draft, below, position.stack);
};

/**
 * The first difference between the stack in the candidate and the present one: a pull request that is gone, has come
 * ahead, or has changed its order.
 */
const movedAmong = (draft: Draft, below: readonly Member[], stack: readonly Member[]): Member | undefined =>
  firstMissingIn(below, stack) ??
  firstMissingIn(stack, below) ??
  movedBefore(draft, below, indexesIn(stack, below));

/**
 * True if the candidate lacks a pull request that another one in its stack depends on. A failure of such a candidate
 * says nothing about the batch.
 */
export const isIncomplete = (draft: Draft, run: TestRun): boolean => {
  const members = remainingMembers(run);
  const isMissing = (one: Member): boolean => !members.some((other) => isSameMember(other, one));
  return (
    run.missingBelow !== undefined ||
    remainingStack(run).some((one) => positionIn(draft, one.submissionId)?.stack.some(isMissing) === true)
  );
};

/**
 * The passed run that proves a submission: its own, or with optimistic merging a run that holds it. Null without one.
 */
export const proofOf = (draft: Draft, submission: Submission): TestRun | null => {
  const member = memberOf(submission);
  const ownRun = draft
    .runsOf(submission)
    .find((run) => isProof(run) && staleReasonOf(draft, run) === null && provesMember(draft, run, member));
  const holdsMember = (run: TestRun) => remainingMembers(run).some((one) => isSameMember(one, member));
  return ownRun ?? proofsOfOthers(draft).findLast(holdsMember) ?? null;
};

/** Passed runs that also prove their stacks. */
const proofsOfOthers = (draft: Draft): readonly TestRun[] =>
  draft.memo('proofs of others', () =>
    draft
      .openRuns()
      .filter((run) => isProof(run) && provesStack(draft, run) && staleReasonOf(draft, run) === null),
  );

export const isProven = (draft: Draft, submission: Submission): boolean =>
  proofOf(draft, submission) !== null;

const isProof = (run: TestRun): boolean =>
  run.purpose.kind === 'test' ? run.outcome === 'passed' : clearsItsPart(run);

const provesMember = (draft: Draft, run: TestRun, member: Member): boolean =>
  remainingBatch(run).some((one) => isSameMember(one, member)) ||
  (remainingStack(run).some((one) => isSameMember(one, member)) && provesStack(draft, run));

/** A passed run proves its stack only if every required check succeeded and none was skipped. */
export const provesStack = (draft: Draft, run: TestRun): boolean =>
  (mergesOptimistically(draft) || run.purpose.kind === 'isolate') &&
  run.missingBelow === undefined &&
  (requiredChecksOf(draft.queue)?.names ?? run.requiredChecks).every((name) => hasSucceeded(run, name));

/**
 * With optimistic merging a pass proves everything below it. Does not apply after the host has refused a landing
 * without naming a pull request: then each one has to land by itself.
 */
export const mergesOptimistically = ({ queue }: Draft): boolean =>
  queue.settings.canOptimisticallyMerge && !queue.landsSingly;
