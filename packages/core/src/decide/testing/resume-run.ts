import { isSameRow, isSameWithin } from '../../model/equality.js';
import {
  areSameMembers,
  isOnTip,
  type Member,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import type { ClosedRun, Draft } from '../draft/draft.js';
import { messageOf, type RunPlan } from '../moves/new-run.js';

/**
 * Finds the test run that this decision has closed and would now start again, because the line changed and changed
 * back. Null if there is none, or if a member changed in another way meanwhile.
 */
export const resumableRun = (draft: Draft, planned: RunPlan): ClosedRun | null =>
  draft.closedRuns.find(({ run, cause }) => {
    const isOfUse = run.state !== 'ended' || run.outcome === 'passed';
    return (
      isOfUse &&
      (cause === 'superseded' || cause === 'interrupted') &&
      isSamePlan(draft, run, planned) &&
      run.batch.every((member) => wasOnlyRequeued(draft, member))
    );
  }) ?? null;

/**
 * True if the new candidate would have the same content and the same required checks. Members that have landed since
 * are below both candidates.
 */
const isSamePlan = (draft: Draft, run: TestRun, planned: RunPlan): boolean =>
  run.purpose.kind === 'test' &&
  run.isCandidateKept &&
  isOnTip(run) &&
  run.onto === planned.base &&
  run.isDirect === (planned.isDirect ?? false) &&
  run.method === draft.queue.settings.mergeMethod &&
  areSameMembers(run.batch, planned.batch) &&
  areSameMembers(remainingStack(run), planned.stack) &&
  isSameWithin(run.requiredChecks, planned.requiredChecks) &&
  remainingMembers(run).every((member) => hasItsMessage(draft, member));

/** A pull request that lost its place lost its commit message too. It gets another message if its title has changed. */
const hasItsMessage = (draft: Draft, { submissionId }: Member): boolean => {
  const [before, now] = [draft.submissionBefore(submissionId), draft.submission(submissionId)];
  if (before?.message == null || now === undefined) return false;
  return isSameRow(before.message, messageOf(draft, now));
};

/** True if it was under test or had passed, and all that happened to it since is that it was requeued. */
const wasOnlyRequeued = (draft: Draft, { submissionId }: Member): boolean => {
  const before = draft.submissionBefore(submissionId)?.state;
  return (
    (before === 'testing' || before === 'tests_passed') &&
    draft.submission(submissionId)?.state === 'pending' &&
    draft.history.movesOf(submissionId).length === 1
  );
};

/** Reopens the test run and undoes the requeue of its members. `without` is taken from the new plan. A pass counts again. */
export const resumeRun = (draft: Draft, resumable: ClosedRun, { without }: RunPlan): void => {
  for (const { submissionId } of resumable.run.batch) draft.undoMoves(submissionId);
  draft.resume({ ...resumable, run: { ...resumable.run, without } });
};
