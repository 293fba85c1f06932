import {
  areSameMembers,
  isOnTip,
  type Member,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import { isSameRow, isSameWithin } from '../../model/same.js';
import type { CancelledRun, Draft } from '../draft/draft.js';
import { messageOf, type Planned } from '../moves/new-run.js';

/**
 * A test that is to be begun and that this very decision has let go of while it was under way: the line has moved there and back,
 * and nothing has become untrue of it. Null where there is none, or where somebody of it has been elsewhere meanwhile.
 */
export const cancelledInVain = (draft: Draft, planned: Planned): CancelledRun | null =>
  draft.letGo.find(({ run, cause }) => {
    const isToGoOn = run.state !== 'ended' && (cause === 'superseded' || cause === 'interrupted');
    return isToGoOn && isTheSame(draft, run, planned) && run.batch.every((member) => isBack(draft, member));
  }) ?? null;

/** Whatever the candidate would be made of, and tested for, is what that of the run was; what of it has landed since is below both. */
const isTheSame = (draft: Draft, run: TestRun, planned: Planned): boolean =>
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

/** Who has lost its place has lost its message with it, and would be given another if its title had changed. */
const hasItsMessage = (draft: Draft, { submissionId }: Member): boolean => {
  const [before, now] = [draft.submissionBefore(submissionId), draft.submission(submissionId)];
  if (before?.message == null || now === undefined) return false;
  return isSameRow(before.message, messageOf(draft, now));
};

/** It was under test, and all that has happened to it since is that it was sent back. */
const isBack = (draft: Draft, { submissionId }: Member): boolean =>
  draft.submissionBefore(submissionId)?.state === 'testing' &&
  draft.submission(submissionId)?.state === 'pending' &&
  draft.history.movesOf(submissionId).length === 1;

/** The test goes on, on whoever else stands around it by now, and those who were sent back never were. */
export const resumeRun = (draft: Draft, again: CancelledRun, { without }: Planned): void => {
  for (const { submissionId } of again.run.batch) draft.takeMoveBack(submissionId);
  draft.resume({ ...again, run: { ...again.run, without } });
};
