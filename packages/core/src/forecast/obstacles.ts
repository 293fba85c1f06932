import type { Draft } from '../decide/draft/draft.js';
import { isBisected } from '../decide/line/placement-input.js';
import { type Estimate, type EstimateObstacle, estimateObstacles } from '../model/estimate.js';
import { isLive, type Submission } from '../model/submission.js';
import { filledIn } from '../model/waits.js';
import { type Learnt, RUNS_NEEDED } from './learn.js';

/** Max live submissions: a forecast copies every row of the queue. */
const FORECAST_SIZE_LIMIT = 10_000;

/** The reason why the current state allows no estimate; null if there is none. */
export const obstacleOf = (draft: Draft, submission: Submission, learnt: Learnt): Estimate | null => {
  const obstacle = ofSubmission(draft, submission);
  if (obstacle !== null) return unavailable(obstacle);
  if (learnt.basedOnRuns < RUNS_NEEDED)
    return unavailable('little_history', { runs: learnt.basedOnRuns, needed: RUNS_NEEDED });
  const live = draft.liveCount;
  return live > FORECAST_SIZE_LIMIT ? unavailable('too_many', { live, limit: FORECAST_SIZE_LIMIT }) : null;
};

const ofSubmission = (draft: Draft, submission: Submission): EstimateObstacle | null => {
  const { state, asideSince, heldBy, fault, place } = submission;
  const { wanted } = draft.queue;
  if (!isLive(submission)) return 'ended';
  if (state === 'not_ready' || asideSince !== null || fault?.isAside) return 'not_ready';
  if (heldBy !== null) return 'held';
  if (wanted === 'paused') return 'paused';
  // Also while the mode is being switched: the queue drains in the old mode then.
  if (wanted === 'draining' && place === null) return 'draining';
  if (draft.queue.hostTrouble !== null) return 'host_trouble';
  return state !== 'tests_passed' && isBisected(draft, submission) ? 'isolated' : null;
};

export const unavailable = (
  reason: EstimateObstacle,
  values: Readonly<Record<string, string | number>> = {},
): Estimate => ({
  status: 'unavailable',
  reason,
  sentence: filledIn(estimateObstacles[reason], values),
});
