import { remainingMembers } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';

/** True where the landing under way would land this submission. */
export const isBeingLanded = (draft: Draft, submission: Submission): boolean => {
  const { landing } = draft.queue;
  const run = landing === null ? undefined : draft.run(landing.runId);
  return run !== undefined && remainingMembers(run).some((member) => member.submissionId === submission.id);
};

/** Takes the wish to land back, as long as nobody may be acting on it. True when no landing is under way any more. */
export const holdBackLanding = (draft: Draft): boolean => {
  const { landing } = draft.queue;
  if (landing === null) return true;
  if (!draft.withdraw(landing.effectId)) return false;
  draft.changeQueue({ landing: null });
  return true;
};
