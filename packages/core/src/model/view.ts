import type { Instant, RunId } from './ids.js';
import type { Readiness } from './readiness.js';
import type { Submission } from './submission.js';
import type { WaitCode } from './waits.js';

/** What a submission waits for at this moment, for programs and for people. */
export interface Waiting {
  readonly code: WaitCode;
  /** One sentence with the names and numbers of the moment. */
  readonly sentence: string;
  /** The pull request that it waits behind or conflicts with; null where it waits for none. */
  readonly behindPr: number | null;
  /** When the queue stops waiting, at the latest; null where no deadline applies. */
  readonly untilAt: Instant | null;
}

/** A submission with what is derived from its neighbours. */
export interface SubmissionView {
  readonly submission: Submission;
  readonly readiness: Readiness;
  /** Its newest live run; null where it has none. */
  readonly runId: RunId | null;
  /** Null in terminal states. */
  readonly waiting: Waiting | null;
}
