import { isSuccess } from '../../../model/checks.js';
import type { SubmissionId } from '../../../model/ids.js';
import type { CandidateBuilt } from '../../../model/input.js';
import type { CandidateOutcome, HostRefusal } from '../../../model/outcomes.js';
import { restackDetail, type StackedOn } from '../../../model/restack.js';
import {
  type Candidate,
  isOnTip,
  isSameMember,
  type Member,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../../../model/run.js';
import type { Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import type { Because } from '../../draft/history-rows.js';
import { reasonOfChange } from '../../entry/depart.js';
import { verdictBy } from '../../entry/expire.js';
import { memberOf } from '../../line/placement-input.js';
import { positionIn } from '../../line/positions.js';
import { isIncomplete } from '../../line/proof.js';
import { countFault } from '../../moves/faults.js';
import { takeFromLanding } from '../../moves/landing.js';
import { closeRunsOf, leave, requeue, requeueUnlessTested } from '../../moves/leave.js';
import { pauseFor } from '../../moves/pause.js';
import { buildLater, combineLater, retryLater } from '../../moves/retry.js';
import { updatePull } from './pull-requests.js';

export const applyCandidateBuilt = (draft: Draft, fact: CandidateBuilt): void => {
  for (const pull of fact.pulls) updatePull(draft, pull);
  const run = draft.run(fact.runId);
  if (run === undefined || run.closedAt !== null) {
    draft.request({ type: 'drop_candidate', runId: fact.runId });
    return;
  }
  if (run.building !== fact.effectId) return;
  const { outcome } = fact;
  const updated = draft.changeRun(run, { building: null });
  if (outcome.kind !== 'built') return handleNotBuilt(draft, updated, outcome, fact);
  const staleVoucher = voucherOfOtherCommit(draft, updated, outcome.candidate);
  if (staleVoucher !== undefined)
    testAgain(draft, { ...updated, candidate: outcome.candidate }, staleVoucher);
  else if (!isWhatLanded(updated, outcome.candidate))
    draft.closeRun({ ...updated, candidate: outcome.candidate }, 'target_moved');
  else
    startTests(
      draft,
      draft.changeRun(updated, {
        candidate: outcome.candidate,
        ...evidenceFor(draft, updated, withoutSkippedSuspects(draft, updated, fact)),
      }),
    );
};

/** A skipped check that is to be confirmed is started again, so the skip is not taken over. */
const withoutSkippedSuspects = (draft: Draft, run: TestRun, fact: CandidateBuilt): CandidateBuilt => {
  const suspected = new Set(draft.membersOf(run).flatMap(({ suspectedChecks }) => suspectedChecks));
  const usable = fact.known.filter((check) => isSuccess(check) || !suspected.has(check.name));
  return usable.length === fact.known.length ? fact : { ...fact, known: usable };
};

/**
 * Only a single pull request whose head has passed all required checks needs no test by the queue. Does not apply if
 * `directMergeMode` has been switched off since.
 */
const evidenceFor = (
  { queue }: Draft,
  { isDirect, requiredChecks }: TestRun,
  { known, passedOnHead = [] }: CandidateBuilt,
): Pick<TestRun, 'known' | 'isDirect'> => {
  if (queue.settings.directMergeMode === 'off')
    return { known: known.filter(({ name }) => !passedOnHead.includes(name)), isDirect: false };
  const isProven = requiredChecks.every((name) => passedOnHead.includes(name));
  return { known, isDirect: isDirect && requiredChecks.length > 0 && isProven };
};

/** If a part of its stack has landed since, the candidate has to hold exactly the commit that landed. */
const isWhatLanded = (run: TestRun, candidate: Candidate): boolean =>
  run.landed.length === 0 || run.beside.length > 0 || isOnTip({ ...run, candidate });

/**
 * Finds a voucher at the bottom of a combined candidate whose members became another commit there, although both
 * stand on the same tip. The same request should give the same commit, so the pass of that voucher says nothing about
 * this candidate.
 */
const voucherOfOtherCommit = (
  draft: Draft,
  { purpose, base, batch }: TestRun,
  { steps }: Candidate,
): TestRun | undefined => {
  const vouchers = purpose.kind === 'compose' ? purpose.vouchers.flatMap((id) => draft.run(id) ?? []) : [];
  return vouchers.find((voucher) => {
    const members = remainingMembers(voucher);
    const isFirst = members.every((member, index) => isSameMember(member, batch[index]));
    const isAgain = isFirst && voucher.onto === base && isOnTip(voucher);
    return isAgain && steps[members.length - 1]?.commit !== voucher.candidate?.commit;
  });
};

/** Tests the pull requests of a voucher again, because it passed on another commit than the one that would land. */
const testAgain = (draft: Draft, combined: TestRun, voucher: TestRun): void => {
  const members = draft.membersOf(voucher);
  draft.closeRun(combined, 'not_built');
  draft.closeRun(voucher, 'not_built');
  for (const { id } of members) requeueUnlessTested(draft, id, { reason: 'TRIAL_GONE', runId: voucher.id });
};

const startTests = (draft: Draft, run: TestRun): void => {
  draft.changeRun(run, {
    state: 'testing',
    testingSince: draft.now,
    deadlineAt: verdictBy(draft, draft.now),
  });
  if (run.purpose.kind !== 'test') return;
  for (const submission of draft.membersOf(run))
    if (submission.timesPutOff > 0 || submission.fault !== null)
      draft.change(submission, { timesPutOff: 0, fault: null });
};

const isOfIncompleteStack = (draft: Draft, run: TestRun, concerned: Submission): boolean =>
  run.purpose.kind === 'test' && isBelow(draft, run, concerned) && isIncomplete(draft, run);

/** False also if it was below when the candidate was requested, and has been requeued since: then the run is stale. */
const isBelow = (draft: Draft, run: TestRun, concerned: Submission): boolean => {
  const isStillBelow = ({ submissionId }: Member) =>
    isAmong(positionIn(draft, submissionId)?.stack ?? [], concerned);
  return isAmong(remainingStack(run), concerned) && remainingBatch(run).some(isStillBelow);
};

const isAmong = (members: readonly Member[], submission: Submission): boolean =>
  members.some((member) => isSameMember(member, memberOf(submission)));

/**
 * A pull request below the batch conflicts, because the candidate lacks what that pull request stands on. The batch
 * waits until it is decided.
 */
const holdFor = (draft: Draft, run: TestRun, concerned: Submission): void => {
  const because = { reason: 'CONFLICT_WITH_SUBMISSION_AHEAD', detail: `#${concerned.pr}` } as const;
  for (const submission of draft.membersOf(run))
    if (draft.runsOf(submission).length === 0)
      draft.change(requeue(draft, submission, because), { heldBy: concerned.id });
};

type NotBuilt = Exclude<CandidateOutcome, { kind: 'built' }>;

/** Handles a build without a candidate. A pull request that is being landed is not moved: the candidate is built again later. */
const handleNotBuilt = (
  draft: Draft,
  run: TestRun,
  outcome: NotBuilt,
  { stackedOn }: CandidateBuilt,
): void => {
  if (run.purpose.kind === 'control' || run.purpose.kind === 'isolate') {
    const failure = outcome.kind === 'refused' ? outcome.message : 'The commit to test could not be built.';
    draft.changeRun(run, { state: 'ended', outcome: 'infrastructure', endedAt: draft.now, failure });
    return;
  }
  draft.closeRun(run, 'not_built');
  const concerned = outcome.pr === null ? undefined : draft.liveSubmission(outcome.pr);
  if (concerned !== undefined && isOfIncompleteStack(draft, run, concerned))
    return holdFor(draft, run, concerned);
  if (concerned !== undefined && !takeFromLanding(draft, concerned))
    return buildLater(draft, run, `#${concerned.pr} is being merged.`);
  // If the pull request has changed, it leaves for that reason (`depart`), which says more.
  if (concerned !== undefined && hasChanged(draft, concerned)) return;
  switch (outcome.kind) {
    case 'conflicted':
    case 'nothing_to_land':
    case 'merge_content_lost':
      if (concerned !== undefined) handleUnbuildable(draft, run, concerned, outcome, stackedOn);
      return;
    case 'faulty':
      if (concerned !== undefined) handleFaultyCandidate(draft, run, concerned, outcome);
      return;
    case 'head_gone':
      if (concerned !== undefined)
        leave(draft, concerned, 'failed', {
          reason: 'START_TEST_RUN_REFUSED',
          detail: 'The code host no longer has its head commit.',
        });
      return;
    case 'refused':
      handleRefusedCandidate(draft, run, concerned, outcome);
  }
};

const hasChanged = ({ queue }: Draft, { pull, head }: Submission): boolean =>
  pull.state === 'merged' || reasonOfChange(pull, queue.branch, head) !== null;

type Unbuildable = Extract<NotBuilt, { kind: 'conflicted' | 'nothing_to_land' | 'merge_content_lost' }>;

/**
 * A conflict with the target is final. A conflict with a pull request ahead is not: the submission waits, since the
 * other may leave.
 */
const handleUnbuildable = (
  draft: Draft,
  run: TestRun,
  concerned: Submission,
  outcome: Unbuildable,
  stackedOn: StackedOn | undefined,
): void => {
  if (outcome.with !== 'target') {
    const holder = draft.liveSubmission(outcome.with);
    if (holder === undefined) return;
    const batchMates = closeRefuted(draft, run, concerned);
    const reason =
      outcome.kind === 'nothing_to_land' ? 'CHANGE_ALREADY_AHEAD' : 'CONFLICT_WITH_SUBMISSION_AHEAD';
    draft.change(requeue(draft, concerned, { reason, detail: `#${outcome.with}` }), { heldBy: holder.id });
    for (const batchMate of batchMates) requeueUnlessTested(draft, batchMate, { reason: 'RUN_NOT_BUILT' });
    return;
  }
  if (run.base !== draft.queue.target.head) return;
  if (run.purpose.kind === 'compose' && outcome.kind !== 'nothing_to_land')
    return requeueOnOtherLane(draft, run, concerned);
  if (outcome.kind === 'nothing_to_land') leave(draft, concerned, 'merged', { reason: 'NOTHING_TO_LAND' });
  else
    leave(draft, concerned, 'failed', {
      ...whyUnbuildable(draft, concerned, outcome, stackedOn),
      runId: run.id,
    });
};

const whyUnbuildable = (
  { queue }: Draft,
  { pull }: Submission,
  outcome: Exclude<Unbuildable, { kind: 'nothing_to_land' }>,
  stackedOn: StackedOn | undefined,
): Because => {
  if (outcome.kind === 'merge_content_lost')
    return { reason: 'REBASE_WOULD_LOSE_MERGE_CONTENT', detail: `merge commit ${outcome.commit}` };
  const reason = 'START_TEST_RUN_MERGE_CONFLICT';
  const paths = outcome.paths.length === 0 ? null : outcome.paths.join(', ');
  if (stackedOn === undefined) return { reason, detail: paths };
  const restack = { ...stackedOn, target: queue.branch, headBranch: pull.headBranch };
  const detail = [...(paths === null ? [] : [paths]), restackDetail(restack)].join('; ');
  return { reason, detail, restack };
};

type Faulty = Extract<NotBuilt, { kind: 'faulty' }>;

/**
 * Handled like a conflict: a fault on the bare target counts against the pull request. After a fault on top of a pull
 * request ahead, it waits for that one.
 */
const handleFaultyCandidate = (
  draft: Draft,
  run: TestRun,
  concerned: Submission,
  { with: below, fault }: Faulty,
): void => {
  if (below === 'target') {
    if (run.base !== draft.queue.target.head) return;
    if (run.purpose.kind === 'compose') return requeueOnOtherLane(draft, run, concerned);
  }
  const holder = below === 'target' ? null : draft.liveSubmission(below);
  if (holder === undefined) return;
  const because =
    holder === null
      ? ({ reason: 'RUN_NOT_BUILT', detail: fault.message } as const)
      : ({ reason: 'MERGE_NOT_COMPUTABLE_AHEAD', detail: `#${holder.pr}` } as const);
  const batchMates = closeRefuted(draft, run, concerned);
  const waiting = requeue(draft, concerned, because);
  if (holder === null) countFault(draft, waiting, fault, true);
  else draft.change(waiting, { heldBy: holder.id });
  for (const batchMate of batchMates) requeueUnlessTested(draft, batchMate, { reason: 'RUN_NOT_BUILT' });
};

/**
 * Another lane landed a change that conflicts with this pull request, after it had passed. It is tested again on top
 * of that change, and fails if the conflict is real.
 */
const requeueOnOtherLane = (draft: Draft, run: TestRun, concerned: Submission): void => {
  const batchMates = closeRefuted(draft, run, concerned);
  requeue(draft, concerned, { reason: 'CONFLICT_WITH_OTHER_LANE' }, 'place');
  for (const batchMate of batchMates)
    requeueUnlessTested(draft, batchMate, { reason: 'CONFLICT_WITH_OTHER_LANE' });
};

/**
 * Closes the test runs of a pull request with which a candidate could not be built, and returns the other members of their
 * batches. If it was a combined candidate, test runs on top of that pull request are closed too: with optimistic merging
 * their pass would prove it again, and the same candidate would be built at once.
 */
const closeRefuted = (draft: Draft, run: TestRun, concerned: Submission): readonly SubmissionId[] => {
  const batchMates = closeRunsOf(draft, concerned, 'not_built');
  if (run.purpose.kind !== 'compose') return batchMates;
  for (const onTop of draft.openRuns()) {
    if (onTop.purpose.kind !== 'test' || !isAmong(remainingStack(onTop), concerned)) continue;
    draft.closeRun(onTop, 'not_built');
    for (const { id } of draft.membersOf(onTop))
      requeueUnlessTested(draft, id, {
        reason: 'PREREQUISITE_MERGE_ITEM_PENDING',
        detail: `#${concerned.pr}`,
      });
  }
  return batchMates;
};

const handleRefusedCandidate = (
  draft: Draft,
  run: TestRun,
  concerned: Submission | undefined,
  refusal: HostRefusal,
): void => {
  if (refusal.class === 'setting' || refusal.class === 'policy')
    return pauseFor(draft, 'HOST_REFUSED', refusal.message);
  if (refusal.class === 'pull_request' && concerned !== undefined) {
    leave(draft, concerned, 'failed', {
      reason: 'START_TEST_RUN_REFUSED',
      detail: refusal.message,
      runId: run.id,
    });
    return;
  }
  buildAgainLater(draft, run, concerned, refusal.message);
};

/** If one member of a combined candidate has to wait, the others are combined without it. */
const buildAgainLater = (
  draft: Draft,
  run: TestRun,
  concerned: Submission | undefined,
  detail: string,
): void => {
  const members = draft.membersOf(run);
  const because = { reason: 'HOST_NOT_READY', detail } as const;
  if (run.purpose.kind !== 'compose') retryLater(draft, members, { reason: 'RUN_NOT_BUILT', detail });
  else if (concerned !== undefined && members.includes(concerned)) retryLater(draft, [concerned], because);
  else combineLater(draft, run, because);
};
