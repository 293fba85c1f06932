import { hasFailed, isUntested, remainingMembers, remainingStack, type TestRun } from '../../model/run.js';
import type { Draft } from '../draft/draft.js';
import { doesVouchForStack, flawOf, mergesOptimistically } from '../line/proof.js';
import { noSuspicion, requeueUnlessTested } from '../moves/leave.js';
import { assumptionsOf, witnessesOf } from './blame.js';
import { detailOf, failCulprit, failureReason, isClearedBy, repeatConfirmation } from './culprit.js';
import { repeat } from './repeat.js';
import { recordBaselineResult } from './tip.js';

/**
 * What an outcome means for those who were tested. Only a failure may be somebody's fault, and not of one for whom another
 * run vouches: where both are there at once, the passes come first.
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
  if (run.outcome === 'passed') return vouch(draft, run);
  if (!draft.membersOf(run).some((submission) => submission.state === 'testing')) return;
  if (hasFailed(run)) suspect(draft, run);
  else repeat(draft, run);
};

export const passReason = (run: TestRun) => (isUntested(run) ? 'PASSED_BY_OPTIMIZATION' : 'TEST_RUN_PASSED');

/** A pass vouches for the batch; where the queue merges optimistically, a success of everything also for the stack. */
const vouch = (draft: Draft, run: TestRun): void => {
  const suspect = draft.membersOf(run).find((one) => one.state === 'testing' && !isClearedBy(one, run));
  if (suspect !== undefined) return repeatConfirmation(draft, suspect, run);
  for (const submission of draft.membersOf(run))
    if (submission.state === 'testing')
      draft.move(submission, 'tests_passed', { reason: passReason(run), runId: run.id }, noSuspicion);
  if (mergesOptimistically(draft) && doesVouchForStack(draft, run) && flawOf(draft, run) === null)
    vouchForStack(draft, run);
};

const vouchForStack = (draft: Draft, run: TestRun): void => {
  for (const member of remainingStack(run)) {
    const below = draft.submission(member.submissionId);
    if (below === undefined || below.state === 'tests_passed') continue;
    for (const own of draft.runsOf(below))
      if (own.outcome !== 'passed') letGoOfVouched(draft, own, run, below.pr);
    // Whoever was sent back to come again later could not be landed: a pass does not change that.
    const retryAt = below.state === 'pending' ? below.retryAt : null;
    draft.move(
      below,
      'tests_passed',
      { reason: 'SUCCESSOR_TEST_RUN_PASSED', runId: run.id },
      { failedRunId: null, retryAt, ...noSuspicion },
    );
  }
};

/** Of a batch whom the pass holds only in part, the others are tested again behind those. */
const letGoOfVouched = (draft: Draft, own: TestRun, passed: TestRun, pr: number): void => {
  const held = new Set(remainingMembers(passed).map(({ submissionId }) => submissionId));
  const others = draft.membersOf(own).filter(({ id }) => !held.has(id));
  draft.closeRun(own, others.length === 0 ? 'vouched_for' : 'superseded');
  for (const { id } of others)
    requeueUnlessTested(draft, id, { reason: 'PREREQUISITE_MERGE_ITEM_PENDING', detail: `#${pr}` });
};

/** Whoever may be blamed at once is; the others are held back until it is known whose fault it is. */
const suspect = (draft: Draft, run: TestRun): void => {
  const witnesses = witnessesOf(draft, run);
  const failed = draft.changeRun(run, { witnesses });
  // Another run of theirs may have failed them, or passed them, before.
  for (const submission of draft.membersOf(failed))
    if (submission.state === 'testing') draft.change(submission, { failedRunId: run.id });
  const [only] = draft.membersOf(failed);
  const isItsFault =
    run.batch.length === 1 && witnesses.length === 0 && assumptionsOf(draft, failed) === 'came_true';
  if (isItsFault && only !== undefined) failCulprit(draft, only, failed);
  for (const submission of draft.membersOf(failed))
    if (submission.state === 'testing')
      draft.move(submission, 'pending_failure', {
        reason: failureReason(run),
        detail: detailOf(run),
        runId: run.id,
      });
};
