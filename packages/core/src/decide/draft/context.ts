import type { Instant } from '../../model/ids.js';
import type { TargetBook } from '../../model/impacted-targets.js';
import type { Submission } from '../../model/submission.js';

/** Intervals of reads and retries. An embedder may set them; rules only read them. */
export interface Pace {
  readonly pollBranchMs: number;
  readonly pollPullRequestsMs: number;
  readonly pollChecksMs: number;
  /** Delay of the first retry after an infrastructure failure or a cancelled test; doubled each time. */
  readonly retryDelayMs: number;
  /** Retries in one attempt after infrastructure failures or cancelled tests, before the pull request fails. */
  readonly retryLimit: number;
  /** Max prefix runs to find the culprit of one failed batch. */
  readonly bisectionRunLimit: number;
  /**
   * If unrelated pull requests hit infrastructure failures within this time of each other, the infrastructure is at
   * fault.
   */
  readonly infrastructureWindowMs: number;
  /**
   * How long the CI may take to show the first check of a candidate, before that counts as an infrastructure failure.
   */
  readonly ciStartMs: number;
  /** How long the host may fail to show a pull request before it is read once more, and then given up. */
  readonly missingGraceMs: number;
  /** The waiting time that one point of priority is worth. */
  readonly ageingMsPerPoint: number;
}

export const defaultPace: Pace = {
  pollBranchMs: 60_000,
  pollPullRequestsMs: 120_000,
  pollChecksMs: 30_000,
  retryDelayMs: 30_000,
  retryLimit: 2,
  bisectionRunLimit: 64,
  infrastructureWindowMs: 900_000,
  ciStartMs: 600_000,
  missingGraceMs: 600_000,
  ageingMsPerPoint: 60_000,
};

/** Everything that a decision takes besides state and inputs: time, randomness and old rows are arguments. */
export interface Context {
  readonly now: Instant;
  /** A UUID, new for each decision. All ids of the decision are derived from it. */
  readonly seed: string;
  readonly pace: Pace;
  /** The last submissions and target uploads of the pull requests that the commands name. */
  readonly recalled: { readonly submissions: readonly Submission[]; readonly targets: readonly TargetBook[] };
}
