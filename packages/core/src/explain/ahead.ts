import type { Draft } from '../decide/draft/draft.js';
import { lineOf } from '../decide/line/line.js';
import { positionIn, STACK_LIMIT } from '../decide/line/positions.js';
import type { Submission } from '../model/submission.js';
import { type ChainStep, causeOf, type ExplainedCause } from './chain-step.js';
import { aboutToDecide } from './gates.js';
import { gatheringOf } from './gathering.js';
import { waitBehindLane } from './lane.js';
import { prOf } from './phrases.js';

/** The pull requests ahead of it in its lane, without those of its own batch. */
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

export const behindThoseNotBegun = (draft: Draft, submission: Submission): ChainStep | null => {
  const [first] = notBegunAhead(draft, submission);
  if (first === undefined) return null;
  return {
    causes: [waitBehindLane(draft, submission, [first])],
    waitsOf: [first],
    fallback: [aboutToDecide(submission)],
  };
};

/** With more pull requests than this before it, a wait for a slot leaves its lane out: that will have changed by then. */
export const EXPLAINED_LANE_LIMIT = 100;

/** The wait of a pull request with more ahead of it than a test run includes; null for others. */
export const beyondStackLimit = (draft: Draft, { id, pr }: Submission): ExplainedCause | null => {
  const position = positionIn(draft, id);
  if (position !== undefined && !position.isTooDeep) return null;
  return causeOf('stack_limit', { it: prOf(pr), limit: STACK_LIMIT }, { pr });
};

/** The first undecided pull request of the line, as a list of at most one. Pull requests far back wait for it too. */
export const firstUndecided = (draft: Draft): readonly Submission[] =>
  draft.memo('first undecided', () => {
    for (const one of lineOf(draft)) if (one.state !== 'tests_passed') return [one];
    return [];
  });
