import type { Instant } from '../../model/ids.js';
import type { TargetBook } from '../../model/impacted-targets.js';
import type { Submission } from '../../model/submission.js';

/** How often the host is asked and how failures of the machinery are retried. An embedder may set it; rules only read it. */
export interface Pace {
  readonly pollBranchMs: number;
  readonly pollPullRequestsMs: number;
  readonly pollChecksMs: number;
  /** The first repetition after an infrastructure or cancelled outcome; doubled each time. */
  readonly retryDelayMs: number;
  /** How often a test is repeated in one attempt before an infrastructure or cancelled outcome counts. */
  readonly retryLimit: number;
  /** Tests that may be made to find the culprit of one failed batch. */
  readonly isolationRunLimit: number;
  /** Runs of unrelated submissions that end in infrastructure within this time of each other are the machinery's fault. */
  readonly machineryWindowMs: number;
  /** How long the CI may take to show any check at all of a candidate, before that counts as infrastructure. */
  readonly ciStartMs: number;
  /** How long a pull request may be unknown to the host before it is asked for once more, and then given up. */
  readonly missingGraceMs: number;
  /** What one point of priority is worth in waiting time. */
  readonly ageingMsPerPoint: number;
}

export const defaultPace: Pace = {
  pollBranchMs: 60_000,
  pollPullRequestsMs: 120_000,
  pollChecksMs: 30_000,
  retryDelayMs: 30_000,
  retryLimit: 2,
  isolationRunLimit: 64,
  machineryWindowMs: 900_000,
  ciStartMs: 600_000,
  missingGraceMs: 600_000,
  ageingMsPerPoint: 60_000,
};

/** Everything that a decision takes besides state and inputs: time, randomness and the past are arguments. */
export interface Context {
  readonly now: Instant;
  /** A UUID, drawn anew for each decision: all ids of the decision are made from it. */
  readonly seed: string;
  readonly pace: Pace;
  /** Last submissions and uploads of the pull requests that the commands name. */
  readonly recalled: { readonly submissions: readonly Submission[]; readonly targets: readonly TargetBook[] };
}
