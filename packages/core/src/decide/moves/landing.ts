import { isAttemptOf, type TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

/** True if the current landing includes this submission. */
export const isBeingLanded = (
  { queue: { landing } }: Draft,
  submission: Pick<Submission, 'id' | 'attempt'>,
): boolean => landing?.members.some((member) => isAttemptOf(member, submission)) ?? false;

/** True if the current landing depends on this run: it lands its candidate, or one of its members is proven by it. */
export const isLandedBy = ({ queue: { landing } }: Draft, { id }: TestRun): boolean =>
  landing !== null && (landing.runId === id || landing.members.some(({ verifiedBy }) => verifiedBy === id));

/** True if a performer may hold a landing that depends on this run: the branch may have moved already. */
export const mayHaveLanded = (draft: Draft, run: TestRun): boolean => {
  const { landing } = draft.queue;
  return landing !== null && isLandedBy(draft, run) && draft.isUnderWay(landing.effectId);
};

/** Withdraws the landing unless a performer may hold it. True if no landing is under way any more. */
export const withdrawLanding = (draft: Draft): boolean => {
  const { landing } = draft.queue;
  if (landing === null) return true;
  if (!draft.withdraw(landing.effectId)) return false;
  draft.changeQueue({ landing: null });
  return true;
};

/** Withdraws a landing that includes the submission. False if it may be under way: its answer has to come first. */
export const takeFromLanding = (draft: Draft, submission: Submission): boolean =>
  !isBeingLanded(draft, submission) || withdrawLanding(draft);

/** Withdraws a landing that depends on the run. False if it may be under way. */
export const takeRunFromLanding = (draft: Draft, run: TestRun): boolean =>
  !isLandedBy(draft, run) || withdrawLanding(draft);
