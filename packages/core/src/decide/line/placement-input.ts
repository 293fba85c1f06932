import type { SubmissionId } from '../../model/ids.js';
import { type ImpactedTargets, isOneLane, targetsInForce } from '../../model/impacted-targets.js';
import { hasFailed, type Member, memberKey, remainingBatch, type TestRun } from '../../model/run.js';
import { isAdmitted, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { isAhead } from './line.js';

/** What determines the position of a submission, besides what is ahead of it. */
export interface PlacementInput {
  readonly member: Member;
  readonly targets: ImpactedTargets;
  readonly isFit: boolean;
  /** True if pull requests behind it may be stacked on it, unless it is too deep. */
  readonly isStackable: boolean;
  /** True if it may be tested although nothing is stacked on it: one more test run is to confirm its failure. */
  readonly isSuspected: boolean;
  /** The failed pull requests on which it is tested as well, to show if their failure was real. */
  readonly failedBelow: ReadonlySet<SubmissionId>;
}

/** The impacted targets in force for its head. */
export const targetsOf = (draft: Draft, { pr, head }: Pick<Member, 'pr' | 'head'>): ImpactedTargets =>
  isOneLane(draft.queue.settings) ? 'ALL' : targetsInForce(draft.targets(pr), head, draft.queue.settings);

export const memberOf = (submission: Submission): Member => ({
  submissionId: submission.id,
  attempt: submission.attempt,
  pr: submission.pr,
  head: submission.head,
});

export const placementInputOf = (
  draft: Draft,
  failedRuns: FailedRuns,
  submission: Submission,
): PlacementInput => ({
  member: memberOf(submission),
  targets: targetsOf(draft, submission),
  isFit: isFit(submission),
  isStackable: isStackable(draft, failedRuns, submission),
  isSuspected: isFit(submission) && isSuspected(draft, submission),
  failedBelow: failedBelowOf(failedRuns, submission),
});

/**
 * True if a candidate holds only the pull requests ahead that overlap with its batch directly, and not those that
 * only these overlap with. False with optimistic merging, where a pass has to prove the whole stack, and with
 * batches, whose members have to stand on the same stack.
 */
export const holdsOnlyDirect = ({ queue }: Pick<Draft, 'queue'>): boolean => {
  const { mode, canOptimisticallyMerge, batch } = queue.settings;
  return mode === 'parallel' && !canOptimisticallyMerge && !batch;
};

/**
 * Returns the pull requests ahead that are in the lane of these targets, in line order: each overlaps with the
 * targets, or with a returned pull request behind it.
 */
export const aheadInLane = <One extends { readonly targets: ImpactedTargets }>(
  ahead: readonly One[],
  targets: ImpactedTargets,
): readonly One[] => {
  if (targets === 'ALL') return ahead;
  const touched = new Set(targets);
  const inLane: One[] = [];
  for (let index = ahead.length - 1; index >= 0; index -= 1) {
    const one = ahead[index];
    if (one === undefined) continue;
    if (one.targets === 'ALL') return [...ahead.slice(0, index + 1), ...inLane.reverse()];
    if (!one.targets.some((target) => touched.has(target))) continue;
    for (const target of one.targets) touched.add(target);
    inLane.push(one);
  }
  return inLane.reverse();
};

const isFit = ({ heldBy, asideSince, fault }: Submission): boolean =>
  heldBy === null && asideSince === null && fault?.isAside !== true;

/** True for a pull request in line that is expected to land, unless it is too deep. */
export const canBeStackedOn = (draft: Draft, submission: Submission): boolean =>
  isStackable(draft, failedRunsOf(draft), submission);

/**
 * True if a candidate may hold both: the one ahead is expected to land, or it has failed and waits for the test of the other
 * one or of one behind that.
 */
export const mayShareCandidate = (draft: Draft, ahead: Submission, submission: Submission): boolean =>
  canBeStackedOn(draft, ahead) || (isFit(ahead) && hasWitnessFrom(draft, ahead, submission));

const hasWitnessFrom = (draft: Draft, failed: Submission, submission: Submission): boolean =>
  draft
    .runsOf(failed)
    .filter((run) => hasFailed(run) && run.bisection === null)
    .flatMap(({ witnesses }) => witnesses)
    .flatMap((member) => draft.attemptOf(member) ?? [])
    .some(
      (witness) =>
        witness.id === submission.id ||
        (isFit(witness) && isAdmitted(witness) && mayComeBehind(draft, witness, submission)),
    );

/** Also without a test run, because it may lose its place. */
const mayComeBehind = (draft: Draft, one: Submission, other: Submission): boolean =>
  isAhead(draft, other, one) || (one.state === 'testing' && draft.runsOf(one).length === 0);

const isStackable = (draft: Draft, failedRuns: FailedRuns, submission: Submission): boolean =>
  isFit(submission) &&
  submission.state !== 'pending_failure' &&
  !isSuspected(draft, submission) &&
  (submission.state === 'tests_passed' || !isAmong(failedRuns.bisected, submission));

/**
 * True while one more test run is to confirm its failure, and nothing is stacked on it. With optimistic merging others stay
 * stacked on it, since their passes may clear it.
 */
const isSuspected = ({ queue }: Draft, { state, suspectedBy }: Submission): boolean =>
  suspectedBy !== null &&
  (state === 'pending' || state === 'testing') &&
  !queue.settings.canOptimisticallyMerge;

/** True while its batch is under bisection and it is not cleared. */
export const isBisected = (draft: Draft, submission: Submission): boolean =>
  isAmong(failedRunsOf(draft).bisected, submission);

const isAmong = (keys: ReadonlySet<string>, submission: Submission): boolean =>
  keys.size > 0 && keys.has(memberKey(memberOf(submission)));

/** What failed test runs change about positions. */
export interface FailedRuns {
  /** Members of batches under bisection. */
  readonly bisected: ReadonlySet<string>;
  /** By witness, the failed pull requests that wait for its test. */
  readonly failedBelow: ReadonlyMap<string, ReadonlySet<SubmissionId>>;
}

export const failedRunsOf = (draft: Draft): FailedRuns =>
  draft.memo('failed runs', () => {
    const bisected = new Set<string>();
    const failedBelow = new Map<string, Set<SubmissionId>>();
    for (const run of draft.openRuns())
      if (run.bisection !== null) for (const member of remainingBatch(run)) bisected.add(memberKey(member));
      else if (hasFailed(run)) addWitnesses(failedBelow, run);
    return { bisected, failedBelow };
  });

const addWitnesses = (failedBelow: Map<string, Set<SubmissionId>>, { witnesses, batch }: TestRun): void => {
  for (const witness of witnesses) {
    const key = memberKey(witness);
    const failed = failedBelow.get(key) ?? new Set();
    failedBelow.set(key, failed);
    for (const { submissionId } of batch) failed.add(submissionId);
  }
};

/** The failed pull requests that wait for the test of this one. */
const failedBelowOf = ({ failedBelow }: FailedRuns, submission: Submission): ReadonlySet<SubmissionId> =>
  (failedBelow.size === 0 ? undefined : failedBelow.get(memberKey(memberOf(submission)))) ?? none;

const none: ReadonlySet<SubmissionId> = new Set();
