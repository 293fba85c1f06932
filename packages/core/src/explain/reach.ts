import type { Draft } from '../decide/draft/draft.js';
import { lineOf } from '../decide/line/line.js';
import { positionIn, STACK_LIMIT } from '../decide/line/positions.js';
import type { Submission } from '../model/submission.js';
import { type Explained, explained, type Step } from './explained.js';
import { aboutToDecide } from './gates.js';
import { gatheringOf } from './gathering.js';
import { waitBehindLane } from './lane.js';
import { prOf } from './words.js';

/** Those ahead of it in its lane, but for those with whom it is tested. */
export const aheadOf = (draft: Draft, submission: Submission): readonly Submission[] => {
  const { stack } = positionIn(draft, submission.id) ?? { stack: [] };
  const mates = new Set(gatheringOf(draft, submission)?.members.map(({ id }) => id));
  const ahead: Submission[] = [];
  for (const { submissionId } of stack) {
    const one = draft.submission(submissionId);
    if (one !== undefined && !mates.has(one.id)) ahead.push(one);
  }
  return ahead;
};

export const notBegunAhead = (draft: Draft, submission: Submission): readonly Submission[] =>
  aheadOf(draft, submission).filter(({ place }) => place === null);

export const behindThoseNotBegun = (draft: Draft, submission: Submission): Step | null => {
  const [first] = notBegunAhead(draft, submission);
  if (first === undefined) return null;
  const told = waitBehindLane(draft, submission, [first]);
  return { causes: [told], because: [first], otherwise: [aboutToDecide(submission)] };
};

/** Whoever waits behind so many for a slot is not told what holds them up among each other: that will have changed by then. */
export const TOLD_LANE_LIMIT = 100;

/** Told where more are ahead of it than one test may hold; null where it is within reach. */
export const beyondStackLimit = (draft: Draft, { id, pr }: Submission): Explained | null => {
  const position = positionIn(draft, id);
  if (position !== undefined && !position.isTooDeep) return null;
  return explained('stack_limit', { it: prOf(pr), limit: STACK_LIMIT }, { pr });
};

/** The first in line of whom it is not known yet whether it lands: whoever stands far back waits for it too. */
export const undecided = (draft: Draft): readonly Submission[] =>
  draft.memo('first undecided', () => {
    for (const one of lineOf(draft)) if (one.state !== 'tests_passed') return [one];
    return [];
  });
