import type { Draft } from '../decide/draft/draft.js';
import { lineOf } from '../decide/line/line.js';
import { targetsOf } from '../decide/line/placement-input.js';
import { queueOrder } from '../explain/explain.js';
import type { SubmissionId } from '../model/ids.js';
import { doOverlap, type ImpactedTargets } from '../model/impacted-targets.js';
import { isAdmitted, type Submission } from '../model/submission.js';
import type { LinePosition } from '../validation/requests.js';

/** O(n) in the length of the queue. */
export const linePositionOf = (draft: Draft, submission: Submission): LinePosition => {
  if (!isAdmitted(submission)) return { position: null, aheadInLane: null };
  return {
    position: (ranks(draft).get(submission.id) ?? 0) + 1,
    aheadInLane: aheadInLane(draft, submission),
  };
};

const ranks = (draft: Draft): ReadonlyMap<SubmissionId, number> =>
  draft.memo('ranks', () => new Map(queueOrder(draft).enqueued.map(({ id }, rank) => [id, rank])));

/** The number of submissions ahead that overlap with it, directly or through others. */
const aheadInLane = (draft: Draft, submission: Submission): number => {
  const line = [...lineOf(draft)];
  const rank = line.findIndex(({ id }) => id === submission.id);
  const lane: ImpactedTargets[] = [targetsOf(draft, submission)];
  for (const one of line.slice(0, Math.max(0, rank)).reverse()) {
    const targets = targetsOf(draft, one);
    if (lane.some((other) => doOverlap(other, targets))) lane.push(targets);
  }
  return lane.length - 1;
};
