import { isSuccess } from '../../../model/checks.js';
import type { CandidateBuilt } from '../../../model/input.js';
import type { CandidateOutcome, HostRefusal } from '../../../model/outcomes.js';
import { type Candidate, isOnTip, isSameMember, remainingMembers, type TestRun } from '../../../model/run.js';
import type { Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { whyUnlike } from '../../entry/depart.js';
import { verdictBy } from '../../entry/expire.js';
import { faultSeen } from '../../moves/faults.js';
import { takeFromLanding } from '../../moves/landing.js';
import { closeRunsOf, leave, requeue, requeueUnlessTested } from '../../moves/leave.js';
import { pauseFor } from '../../moves/pause.js';
import { buildLater, composeLater, retryLater } from '../../moves/retry.js';
import { pullRequestSeen } from './pull-requests.js';

export const candidateBuilt = (draft: Draft, fact: CandidateBuilt): void => {
  for (const pull of fact.pulls) pullRequestSeen(draft, pull);
  const run = draft.run(fact.runId);
  if (run === undefined || run.closedAt !== null) {
    draft.wish({ type: 'drop_candidate', runId: fact.runId });
    return;
  }
  if (run.building !== fact.effectId) return;
  const { outcome } = fact;
  const known = draft.changeRun(run, { building: null });
  if (outcome.kind !== 'built') return notBuilt(draft, known, outcome);
  const untrue = builtOtherwise(draft, known, outcome.candidate);
  if (untrue !== undefined) testAnew(draft, { ...known, candidate: outcome.candidate }, untrue);
  else if (!isWhatLanded(known, outcome.candidate))
    draft.closeRun({ ...known, candidate: outcome.candidate }, 'target_moved');
  else
    startTests(
      draft,
      draft.changeRun(known, {
        candidate: outcome.candidate,
        ...provenBy(draft, known, withoutSuspect(draft, known, fact)),
      }),
    );
};

/** What a suspect is to be confirmed in was not skipped once and for all: that is asked of the CI again. */
const withoutSuspect = (draft: Draft, run: TestRun, fact: CandidateBuilt): CandidateBuilt => {
  const suspected = new Set(draft.membersOf(run).flatMap(({ suspectedChecks }) => suspectedChecks));
  const known = fact.known.filter((check) => isSuccess(check) || !suspected.has(check.name));
  return known.length === fact.known.length ? fact : { ...fact, known };
};

/**
 * Without a test of the queue only who has passed all of it by the checks of its own head; not where those do not speak for
 * it any more.
 */
const provenBy = (
  { queue }: Draft,
  { isDirect, requiredChecks }: TestRun,
  { known, passedOnHead = [] }: CandidateBuilt,
): Pick<TestRun, 'known' | 'isDirect'> => {
  if (queue.settings.directMergeMode === 'off')
    return { known: known.filter(({ name }) => !passedOnHead.includes(name)), isDirect: false };
  const isProven = requiredChecks.every((name) => passedOnHead.includes(name));
  return { known, isDirect: isDirect && requiredChecks.length > 0 && isProven };
};

/** What landed of the stack meanwhile, if nothing landed beside it, has to be what this candidate holds in its place. */
const isWhatLanded = (run: TestRun, candidate: Candidate): boolean =>
  run.landed.length === 0 || run.beside.length > 0 || isOnTip({ ...run, candidate });

/** Of what is put together, a run whose candidate stood on the same tip with nothing else below: that is built once more, and has to be the same commit. */
const builtOtherwise = (
  draft: Draft,
  { purpose, base, batch }: TestRun,
  { steps }: Candidate,
): TestRun | undefined => {
  const vouchers = purpose.kind === 'compose' ? purpose.vouchers.flatMap((id) => draft.run(id) ?? []) : [];
  return vouchers.find((voucher) => {
    const held = remainingMembers(voucher);
    const isFirst = held.every((member, index) => isSameMember(member, batch[index]));
    const isAgain = isFirst && voucher.onto === base && isOnTip(voucher);
    return isAgain && steps[held.length - 1]?.commit !== voucher.candidate?.commit;
  });
};

/** What it passed on is not what would land. Where the tree is the same, what passed for it is not tested again. */
const testAnew = (draft: Draft, composed: TestRun, voucher: TestRun): void => {
  const members = draft.membersOf(voucher);
  draft.closeRun(composed, 'not_built');
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

type NotBuilt = Exclude<CandidateOutcome, { kind: 'built' }>;

/** What a candidate cannot hold is moved only while nothing lands it: until that is settled, the same is asked again. */
const notBuilt = (draft: Draft, run: TestRun, outcome: NotBuilt): void => {
  if (run.purpose.kind === 'control' || run.purpose.kind === 'isolate') {
    const failure =
      outcome.kind === 'refused' ? outcome.message : 'The commit to be tested could not be built.';
    draft.changeRun(run, { state: 'ended', outcome: 'infrastructure', endedAt: draft.now, failure });
    return;
  }
  draft.closeRun(run, 'not_built');
  const about = outcome.pr === null ? undefined : draft.liveSubmission(outcome.pr);
  if (about !== undefined && !takeFromLanding(draft, about))
    return buildLater(draft, run, `#${about.pr} is being landed.`);
  // It is let go of for what became of it, and not for what could not be built of it.
  if (about !== undefined && isDifferent(draft, about)) return;
  switch (outcome.kind) {
    case 'conflicted':
    case 'nothing_to_land':
    case 'merge_content_lost':
      if (about !== undefined) unbuildable(draft, run, about, outcome);
      return;
    case 'faulty':
      if (about !== undefined) faultyCandidate(draft, run, about, outcome);
      return;
    case 'head_gone':
      if (about !== undefined)
        leave(draft, about, 'failed', {
          reason: 'START_TEST_RUN_REFUSED',
          detail: 'Its head is no longer there.',
        });
      return;
    case 'refused':
      refusedCandidate(draft, run, about, outcome);
  }
};

const isDifferent = ({ queue }: Draft, { pull, head }: Submission): boolean =>
  pull.state === 'merged' || whyUnlike(pull, queue.branch, head) !== null;

type Unbuildable = Extract<NotBuilt, { kind: 'conflicted' | 'nothing_to_land' | 'merge_content_lost' }>;

/** Blamed on the target it is settled. With a submission ahead it only waits: that one may yet leave. */
const unbuildable = (draft: Draft, run: TestRun, about: Submission, outcome: Unbuildable): void => {
  if (outcome.with !== 'target') {
    const holder = draft.liveSubmission(outcome.with);
    if (holder === undefined) return;
    const mates = closeRunsOf(draft, about, 'not_built');
    const reason =
      outcome.kind === 'nothing_to_land' ? 'CHANGE_ALREADY_AHEAD' : 'CONFLICT_WITH_SUBMISSION_AHEAD';
    draft.change(requeue(draft, about, { reason, detail: `#${outcome.with}` }), { heldBy: holder.id });
    for (const mate of mates) requeueUnlessTested(draft, mate, { reason: 'RUN_NOT_BUILT' });
    return;
  }
  if (run.base !== draft.queue.target.head) return;
  if (run.purpose.kind === 'compose' && outcome.kind !== 'nothing_to_land') return passAnew(draft, about);
  if (outcome.kind === 'nothing_to_land') leave(draft, about, 'merged', { reason: 'NOTHING_TO_LAND' });
  else leave(draft, about, 'failed', { ...whyUnbuildable(outcome), runId: run.id });
};

const whyUnbuildable = (outcome: Exclude<Unbuildable, { kind: 'nothing_to_land' }>) =>
  outcome.kind === 'conflicted'
    ? ({
        reason: 'START_TEST_RUN_MERGE_CONFLICT',
        detail: outcome.paths.length === 0 ? null : outcome.paths.join(', '),
      } as const)
    : ({ reason: 'REBASE_WOULD_LOSE_MERGE_CONTENT', detail: `merge commit ${outcome.commit}` } as const);

type Faulty = Extract<NotBuilt, { kind: 'faulty' }>;

/** As with conflicts, only what fails on the target itself is its own; with a pull request ahead it waits for that one. */
const faultyCandidate = (
  draft: Draft,
  run: TestRun,
  about: Submission,
  { with: below, fault }: Faulty,
): void => {
  if (below === 'target') {
    if (run.base !== draft.queue.target.head) return;
    if (run.purpose.kind === 'compose') return passAnew(draft, about);
  }
  const holder = below === 'target' ? null : draft.liveSubmission(below);
  if (holder === undefined) return;
  const because =
    holder === null
      ? ({ reason: 'RUN_NOT_BUILT', detail: fault.message } as const)
      : ({ reason: 'MERGE_NOT_COMPUTABLE_AHEAD', detail: `#${holder.pr}` } as const);
  const mates = closeRunsOf(draft, about, 'not_built');
  const waiting = requeue(draft, about, because);
  if (holder === null) faultSeen(draft, waiting, fault, true);
  else draft.change(waiting, { heldBy: holder.id });
  for (const mate of mates) requeueUnlessTested(draft, mate, { reason: 'RUN_NOT_BUILT' });
};

/** It passed before another lane landed what it conflicts with: it is tested on that, and whose fault it is shows there. */
const passAnew = (draft: Draft, about: Submission): void => {
  const mates = closeRunsOf(draft, about, 'not_built');
  requeue(draft, about, { reason: 'CONFLICT_WITH_OTHER_LANE' }, 'place');
  for (const mate of mates) requeueUnlessTested(draft, mate, { reason: 'CONFLICT_WITH_OTHER_LANE' });
};

const refusedCandidate = (
  draft: Draft,
  run: TestRun,
  about: Submission | undefined,
  refusal: HostRefusal,
): void => {
  if (refusal.class === 'setting' || refusal.class === 'policy')
    return pauseFor(draft, 'HOST_REFUSED', refusal.message);
  if (refusal.class === 'pull_request' && about !== undefined) {
    leave(draft, about, 'failed', {
      reason: 'START_TEST_RUN_REFUSED',
      detail: refusal.message,
      runId: run.id,
    });
    return;
  }
  comeBackLater(draft, run, about, refusal.message);
};

/** Where one of what was put together has to wait, the others are put together without it. */
const comeBackLater = (draft: Draft, run: TestRun, about: Submission | undefined, detail: string): void => {
  const members = draft.membersOf(run);
  const because = { reason: 'HOST_NOT_READY', detail } as const;
  if (run.purpose.kind !== 'compose') retryLater(draft, members, { reason: 'RUN_NOT_BUILT', detail });
  else if (about !== undefined && members.includes(about)) retryLater(draft, [about], because);
  else composeLater(draft, run, because);
};
