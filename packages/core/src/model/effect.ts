import type { ReusedPass } from './checks.js';
import type { CommitMessage } from './commit-message.js';
import type { EffectId, Instant, Sha, TestRunId } from './ids.js';
import type { LandingProof } from './landing-proof.js';
import type { Candidate } from './run.js';
import type { MergeMethod } from './settings.js';

/**
 * One pull request of a candidate. The message is fixed when the test run is created, so that a rebuild gives the same
 * commit.
 */
export interface CandidatePart {
  readonly pr: number;
  readonly head: Sha;
  readonly message: CommitMessage;
  /** The author of the pull request at the host, for the credits of a squash. */
  readonly author?: string;
  /** See `PullRequest`. */
  readonly authorIdentity?: string;
  /** When the tests of this attempt first began: the latest date of its commits. Defaults to `decidedAt`. */
  readonly begunAt?: Instant;
}

export interface LandMember {
  readonly pr: number;
  readonly head: Sha;
  /** True if the host's mergeability was skipped with permission. */
  readonly forced: boolean;
}

interface Identified {
  readonly id: EffectId;
}

export type BuildCandidate = Identified & {
  readonly type: 'build_candidate';
  readonly runId: TestRunId;
  readonly branch: string;
  readonly base: Sha;
  readonly parts: readonly CandidatePart[];
  readonly method: MergeMethod;
  /** When the candidate was decided on. The dates of its commits depend on this, never on the clock of the host. */
  readonly decidedAt: Instant;
  /** True if checks that the host shows for the head count, provided that the candidate has the tree of the head. */
  readonly isDirect: boolean;
};
export type StartChecks = Identified & {
  readonly type: 'start_checks';
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly names: readonly string[];
  /** The draft pull request onto `branch` by which a CI sees the candidate. Absent if none is wanted. */
  readonly draft?: { readonly branch: string; readonly title: string; readonly body: string };
};
export type CancelChecks = Identified & {
  readonly type: 'cancel_checks';
  readonly runId: TestRunId;
  readonly commit: Sha;
  /** The checks that are no longer needed. Absent for all. */
  readonly names?: readonly string[];
};
export type ReadChecks = Identified & {
  readonly type: 'read_checks';
  /**
   * `also`: other commits whose checks count for the test run. `reused`: passes of other commits, read there again. All
   * are answered together with the checks of `commit`.
   */
  readonly runs: readonly {
    readonly runId: TestRunId;
    readonly commit: Sha;
    readonly also?: readonly Sha[];
    readonly reused?: readonly ReusedPass[];
  }[];
};
export type ReadPullRequests = Identified & {
  readonly type: 'read_pull_requests';
  readonly prs: readonly number[];
  /** The pull requests to compute the mergeability of, and the method. Absent if there are none. */
  readonly merging?: { readonly prs: readonly number[]; readonly method: MergeMethod };
};
export type ReadBranch = Identified & {
  readonly type: 'read_branch';
  readonly branch: string;
  readonly known: Sha | null;
};
export type Land = Identified & {
  readonly type: 'land';
  readonly runId: TestRunId;
  readonly branch: string;
  readonly onto: Sha;
  readonly candidate: Candidate;
  /** The pull requests that land, in order: the last steps of the candidate. */
  readonly members: readonly LandMember[];
  /**
   * The passed test runs that the landing rests on. Their checks are read again right before. Absent from an older
   * release.
   */
  readonly proofs?: readonly LandingProof[];
};
export type DropCandidate = Identified & { readonly type: 'drop_candidate'; readonly runId: TestRunId };

/**
 * An action requested from the host. It is committed before it is performed, and may be performed twice without harm.
 */
export type Effect =
  | BuildCandidate
  | StartChecks
  | CancelChecks
  | ReadChecks
  | ReadPullRequests
  | ReadBranch
  | Land
  | DropCandidate;
