import { isAttemptOf, type TestRun } from '../../model/run.js';
import type { Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';

/** True where the landing under way would land this submission. */
export const isBeingLanded = (
  { queue: { landing } }: Draft,
  submission: Pick<Submission, 'id' | 'attempt'>,
): boolean => landing?.members.some((member) => isAttemptOf(member, submission)) ?? false;

/** True where the landing under way rests on this run: it lands its candidate, or one of its members was proven by it. */
export const isLandedBy = ({ queue: { landing } }: Draft, { id }: TestRun): boolean =>
  landing !== null && (landing.runId === id || landing.members.some(({ verifiedBy }) => verifiedBy === id));

/** Takes the wish to land back, as long as nobody may be acting on it. True when no landing is under way any more. */
export const withdrawLanding = (draft: Draft): boolean => {
  const { landing } = draft.queue;
  if (landing === null) return true;
  if (!draft.withdraw(landing.effectId)) return false;
  draft.changeQueue({ landing: null });
  return true;
};

/** Takes it out of a landing that nobody acts on yet. False where that may be under way: its answer has to come first. */
export const takeFromLanding = (draft: Draft, submission: Submission): boolean =>
  !isBeingLanded(draft, submission) || withdrawLanding(draft);

/** The same for a run: false where a landing that may be under way rests on it. */
export const takeRunFromLanding = (draft: Draft, run: TestRun): boolean =>
  !isLandedBy(draft, run) || withdrawLanding(draft);
