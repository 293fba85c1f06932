import type { Instant, TestRunId } from './ids.js';
import type { Readiness } from './readiness.js';
import type { Submission } from './submission.js';
import type { WaitCode } from './waits.js';

/** A chain of causes is told up to this length. */
export const CAUSES_LIMIT = 12;

/** One cause of a wait, for programs and for people. */
export interface Cause {
  readonly code: WaitCode;
  /** One sentence with the names, numbers and times of the moment. */
  readonly sentence: string;
  /** The pull request that is pointed at: the one ahead, or the one whose tests run; null where it is about none. */
  readonly pr: number | null;
  /** The run that is awaited, or that failed; null where it is about none. */
  readonly runId: TestRunId | null;
  /** The checks that are awaited, or that failed. */
  readonly checks: readonly string[];
  /** When the queue goes on by itself, at the latest; null where no time is set for it. */
  readonly untilAt: Instant | null;
}

/** What a submission waits for at this moment. The code is that of the nearest cause. */
export interface Waiting {
  readonly code: WaitCode;
  /** That of the nearest cause, then that of whoever has to act, and what holds up the whole queue. */
  readonly sentence: string;
  /** The pull request that it waits behind or conflicts with; null where it waits for none. */
  readonly behindPr: number | null;
  /** When the next step comes, at the latest: the time of the nearest cause that has one; null where none has. */
  readonly untilAt: Instant | null;
  /** The chain, nearest first: each is why the one before it lasts. Never empty, at most `CAUSES_LIMIT`. */
  readonly causes: readonly Cause[];
  /** What would change it: what somebody can do, or what happens by itself, and where that is set, by when at the latest. */
  readonly remedy: string;
}

/** A submission with what is derived from its neighbours. */
export interface SubmissionView {
  readonly submission: Submission;
  readonly readiness: Readiness;
  /** Its newest open run that tests something, so none that only composes a candidate; null where it has none. */
  readonly runId: TestRunId | null;
  /** Null in terminal states. */
  readonly waiting: Waiting | null;
}
