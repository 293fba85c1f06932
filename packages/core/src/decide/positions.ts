import type { Member } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import type { Draft } from './draft.js';
import { lineOf } from './line.js';

/** One submission in line and what it would be tested on now: what is ahead of it and expected to land. */
export interface Position {
  readonly submission: Submission;
  readonly stack: readonly Member[];
  /** Those ahead that are not expected to land before it. */
  readonly without: readonly Member[];
  /** False where it is passed over: it holds nobody up, and nothing is built on it. */
  readonly isInPlay: boolean;
}

/** The line as it is, each with what is ahead of it. The lists grow as one goes on: whoever keeps one copies it. */
export function* positions(draft: Draft): Generator<Position> {
  const stack: Member[] = [];
  const without: Member[] = [];
  for (const submission of lineOf(draft)) {
    const isInPlay = canBeBuiltOn(submission);
    yield { submission, stack, without, isInPlay };
    (isInPlay ? stack : without).push(memberOf(submission));
  }
}

export const memberOf = (submission: Submission): Member => ({
  submissionId: submission.id,
  attempt: submission.attempt,
  pr: submission.pr,
  head: submission.head,
});

const canBeBuiltOn = (submission: Submission): boolean =>
  submission.heldBy === null && submission.asideSince === null && submission.state !== 'pending_failure';
