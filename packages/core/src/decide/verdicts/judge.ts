import { withFlakes } from '../../model/flakes.js';
import { hasFailed, isUntested, remainingMembers, remainingStack, type TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { mergesOptimistically, provesStack, staleReasonOf } from '../line/proof.js';
import { adaptToFailure } from '../moves/adapt.js';
import { noSuspicion, requeueUnlessTested } from '../moves/leave.js';
import { recordBaselineResult } from './baseline-runs.js';
import { assumptionsOf, witnessesToAwait } from './blame.js';
import { detailOf, failCulprit, failureReason, isClearedBy, repeatConfirmation } from './culprit.js';
import { retryInconclusive } from './retry-inconclusive.js';

/**
 * Applies the outcome of each ended run to its members. Passes come first: a pull request that another run has proven
 * is not failed.
 */
export const judge = (draft: Draft): void => {
  const runs = draft.openRuns();
  for (const { id, outcome } of runs) if (outcome === 'passed') judgeRun(draft, id);
  for (const { id, outcome } of runs) if (outcome !== 'passed') judgeRun(draft, id);
};

const judgeRun = (draft: Draft, id: TestRun['id']): void => {
  const run = draft.run(id);
  if (run?.state !== 'ended' || run.closedAt !== null) return;
  if (run.purpose.kind === 'control') return recordBaselineResult(draft, run);
  if (run.purpose.kind !== 'test' || run.bisection !== null) return;
  if (run.outcome === 'passed') return applyPass(draft, run);
  if (!draft.membersOf(run).some((submission) => submission.state === 'testing')) return;
  if (hasFailed(run)) applyFailure(draft, run);
  else retryInconclusive(draft, run);
};

export const passReason = (run: TestRun) => (isUntested(run) ? 'PASSED_BY_OPTIMIZATION' : 'TEST_RUN_PASSED');

/** A pass proves the batch. With optimistic merging it also proves the stack, if every required check succeeded. */
const applyPass = (draft: Draft, run: TestRun): void => {
  const suspect = draft.membersOf(run).find((one) => one.state === 'testing' && !isClearedBy(one, run));
  if (suspect !== undefined) return repeatConfirmation(draft, suspect, run);
  noteFlake(draft, run);
  for (const submission of draft.membersOf(run))
    if (submission.state === 'testing')
      draft.move(
        submission,
        'tests_passed',
        { reason: passReason(run), runId: run.id, flakes: submission.suspectedChecks },
        noSuspicion,
      );
  if (mergesOptimistically(draft) && provesStack(draft, run) && staleReasonOf(draft, run) === null)
    passStack(draft, run);
};

/** A suspect that passes when it is tested once more failed by chance. */
const noteFlake = (draft: Draft, run: TestRun): void => {
  for (const { suspectedChecks } of draft.membersOf(run))
    if (suspectedChecks.length > 0)
      draft.changeQueue({ flakeCounts: withFlakes(draft.queue, suspectedChecks) });
};

const passStack = (draft: Draft, run: TestRun): void => {
  for (const member of remainingStack(run)) {
    const below = draft.submission(member.submissionId);
    if (below === undefined || below.state === 'tests_passed') continue;
    for (const ownRun of draft.runsOf(below))
      if (ownRun.outcome !== 'passed') closeProvenRun(draft, ownRun, run, below.pr);
    // A retry delay that postpones the landing stays: a pass does not change what the host said.
    const retryAt = below.state === 'pending' ? below.retryAt : null;
    draft.move(
      below,
      'tests_passed',
      { reason: 'SUCCESSOR_TEST_RUN_PASSED', runId: run.id },
      { failedRunId: null, retryAt, ...noSuspicion },
    );
  }
};

/** If the passed run holds only some members of this batch, the others are tested again behind those. */
const closeProvenRun = (draft: Draft, ownRun: TestRun, passed: TestRun, pr: number): void => {
  const idsInPassed = new Set(remainingMembers(passed).map(({ submissionId }) => submissionId));
  const notInPassed = draft.membersOf(ownRun).filter(({ id }) => !idsInPassed.has(id));
  draft.closeRun(ownRun, notInPassed.length === 0 ? 'vouched_for' : 'superseded');
  for (const { id } of notInPassed)
    requeueUnlessTested(draft, id, { reason: 'PREREQUISITE_MERGE_ITEM_PENDING', detail: `#${pr}` });
};

/**
 * Fails a pull request if the failure is certainly its fault. Otherwise its members wait in `pending_failure` until
 * that is known.
 */
const applyFailure = (draft: Draft, run: TestRun): void => {
  adaptToFailure(draft, run);
  const witnesses = witnessesToAwait(draft, run);
  const failed = draft.changeRun(run, { witnesses });
  // Another test run may have failed or passed them before.
  for (const submission of draft.membersOf(failed))
    if (submission.state === 'testing') draft.change(submission, { failedRunId: run.id });
  const [only] = draft.membersOf(failed);
  const isCulprit =
    run.batch.length === 1 && witnesses.length === 0 && assumptionsOf(draft, failed) === 'came_true';
  if (isCulprit && only !== undefined) failCulprit(draft, only, failed);
  for (const submission of draft.membersOf(failed))
    if (submission.state === 'testing')
      draft.move(submission, 'pending_failure', {
        reason: failureReason(run),
        detail: detailOf(run),
        runId: run.id,
      });
};
