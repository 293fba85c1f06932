import type { CommitMessage } from './commit-message.js';
import type { EffectId, Instant, Sha, TestRunId } from './ids.js';
import type { LandingProof } from './landing-proof.js';
import type { Candidate } from './run.js';
import type { MergeMethod } from './settings.js';

/** One pull request of a candidate. The message is taken when the run is made, so that the same run gives the same commit. */
export interface CandidatePart {
  readonly pr: number;
  readonly head: Sha;
  readonly message: CommitMessage;
  /** The pull request's author as the host shows it, for the credits of a squash. */
  readonly author?: string;
  /** When the tests of this attempt first began: no commit of it may be dated later. Left out: `decidedAt`. */
  readonly begunAt?: Instant;
}

export interface LandMember {
  readonly pr: number;
  readonly head: Sha;
  /** True where the host's mergeability was skipped by right. */
  readonly forced: boolean;
}

interface Wish {
  readonly id: EffectId;
}

export type BuildCandidate = Wish & {
  readonly type: 'build_candidate';
  readonly runId: TestRunId;
  readonly branch: string;
  readonly base: Sha;
  readonly parts: readonly CandidatePart[];
  readonly method: MergeMethod;
  /** When the candidate was decided on. Dates of its commits depend on this and never on the clock of the host. */
  readonly decidedAt: Instant;
  /** True where checks that the host shows for the head count, if the candidate's tree is that of the head. */
  readonly isDirect: boolean;
};
export type StartChecks = Wish & {
  readonly type: 'start_checks';
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly names: readonly string[];
};
export type CancelChecks = Wish & {
  readonly type: 'cancel_checks';
  readonly runId: TestRunId;
  readonly commit: Sha;
};
export type ReadChecks = Wish & {
  readonly type: 'read_checks';
  /** `also` are other commits whose checks speak for the run: they are answered with those of its own commit. */
  readonly runs: readonly {
    readonly runId: TestRunId;
    readonly commit: Sha;
    readonly also?: readonly Sha[];
  }[];
};
export type ReadPullRequests = Wish & {
  readonly type: 'read_pull_requests';
  readonly prs: readonly number[];
  /** Those of them whose mergeability is computed, and by which method; absent from an older release. */
  readonly merging?: { readonly prs: readonly number[]; readonly method: MergeMethod };
};
export type ReadBranch = Wish & {
  readonly type: 'read_branch';
  readonly branch: string;
  readonly known: Sha | null;
};
export type Land = Wish & {
  readonly type: 'land';
  readonly runId: TestRunId;
  readonly branch: string;
  readonly onto: Sha;
  readonly candidate: Candidate;
  /** What lands by it, in order: the last steps of the candidate. */
  readonly members: readonly LandMember[];
  /** The passed runs that it rests on: their checks are read once more before. Absent from an older release. */
  readonly proofs?: readonly LandingProof[];
};
export type DropCandidate = Wish & { readonly type: 'drop_candidate'; readonly runId: TestRunId };

/** A wish about the host, committed before it is acted on. It may be carried out twice; that does no harm. */
export type Effect =
  | BuildCandidate
  | StartChecks
  | CancelChecks
  | ReadChecks
  | ReadPullRequests
  | ReadBranch
  | Land
  | DropCandidate;
