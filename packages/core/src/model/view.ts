import type { Instant, TestRunId } from './ids.js';
import type { Readiness } from './readiness.js';
import type { Submission } from './submission.js';
import type { WaitCode } from './waits.js';

/** Causes in a chain. */
export const CAUSES_LIMIT = 12;

/** One cause of a wait. */
export interface Cause {
  readonly code: WaitCode;
  /** One sentence with current names, numbers and times. */
  readonly sentence: string;
  /** The pull request that the cause is about: the one ahead, or the one under test; null if there is none. */
  readonly pr: number | null;
  /** The test run that is awaited or has failed; null if there is none. */
  readonly runId: TestRunId | null;
  /** The checks that are awaited or have failed. */
  readonly checks: readonly string[];
  /** When the queue continues by itself at the latest; null if no time is set. */
  readonly untilAt: Instant | null;
}

/** What a submission waits for. The code is that of the nearest cause. */
export interface Waiting {
  readonly code: WaitCode;
  /** The sentence of the nearest cause, then those of the cause that needs an action and of causes that block the whole queue. */
  readonly sentence: string;
  /** The pull request that it waits behind or conflicts with; null if there is none. */
  readonly behindPr: number | null;
  /** When the next step comes at the latest: the time of the nearest cause that has one; null if none has. */
  readonly untilAt: Instant | null;
  /** The chain, nearest first: each cause explains the one before it. Never empty, at most `CAUSES_LIMIT`. */
  readonly causes: readonly Cause[];
  /** What a user can do, or what happens next by itself, and by when at the latest if a time is set. */
  readonly remedy: string;
}

/** A submission with what is derived from the rest of the queue. */
export interface SubmissionView {
  readonly submission: Submission;
  readonly readiness: Readiness;
  /** Its newest open test run (never one that only builds a combined commit); null if it has none. */
  readonly runId: TestRunId | null;
  /** Null in terminal states. */
  readonly waiting: Waiting | null;
}
