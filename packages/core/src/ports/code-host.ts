import type { Check } from '../model/checks.js';
import type { CandidatePart, LandMember } from '../model/effect.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { CandidateOutcome, HostReach, LandOutcome } from '../model/outcomes.js';
import type { PullRequest, PullRequestFault } from '../model/pull-request.js';
import type { RepoRef } from '../model/repo.js';
import type { Candidate } from '../model/run.js';
import type { MergeMethod } from '../model/settings.js';

/**
 * A pull request as an adapter reads it; the engine stamps when it asked. One that is merged or closed is `not_mergeable`
 * with the reason and without `conflicts`; a draft is judged by its content like any other.
 */
export type HostPullRequest = Omit<PullRequest, 'readAt'> & {
  /**
   * Why the mergeability that was asked for cannot be computed, where that is a fault of this pull request alone: the
   * host has, right before it answered, merged the base with itself and computed it for another pull request, where the
   * repository has one. Its `mergeability` is `unspecified` then. Null or absent without one.
   */
  readonly mergeFault?: string | null;
};

/** It is there and cannot be read, by a fault of its own: under the same conditions as `mergeFault`. */
export interface UnreadablePullRequest {
  readonly number: number;
  readonly fault: PullRequestFault;
}

export type PullRequestAnswer = HostPullRequest | UnreadablePullRequest;

export const isReadable = (answer: PullRequestAnswer): answer is HostPullRequest => !('fault' in answer);

/** As the core keeps it. */
export const readAsOf = (pull: HostPullRequest, readAt: Instant): PullRequest => {
  const { mergeFault: _fault, ...shown } = pull;
  return { ...shown, readAt };
};

export interface ReadOptions {
  /**
   * Has the mergeability with the base's present tip computed, by this method. One that takes long is `in_progress`, and
   * an event follows when it is known. Without it the mergeability is what the host knows at no cost, else `unspecified`.
   */
  readonly merging?: MergeMethod;
  /** True where a person waits for the answer: it goes before reads of polls. */
  readonly isUrgent?: boolean;
}

export interface BranchState {
  readonly head: Sha;
  /** The checks that the branch's rules name; null where no rule speaks of checks. */
  readonly requiredChecks: readonly string[] | null;
  /** A digest of what each check does at present, by name, where the host knows: that of `Check.digest`. */
  readonly digests?: Readonly<Record<string, string>>;
  /** The full name of the ref that this branch points at, where it is a symbolic ref. `land` moves that one. */
  readonly symbolicRef?: string;
}

/** Something may have changed; what did is asked for. */
export interface HostEvent {
  readonly repo: RepoRef;
  readonly what: 'branch' | 'pull_requests' | 'checks';
}

/**
 * An error of a host whose meaning is known. `never`: asking again gives the same answer until a person changes
 * something. `later`: try again, not before `retryAt` where it is given. Any other error counts as `later`.
 * `reach` says what a `never` is about: the repository itself (gone or moved) or the queue's access to it (token revoked,
 * permission lost). Null for one pull request, commit or request; a question without an answer then counts as lost access.
 */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly reach: HostReach | null;
  constructor(
    message: string,
    readonly retry: 'never' | 'later',
    readonly retryAt: Instant | null = null,
    options?: ErrorOptions & { readonly reach?: HostReach },
  ) {
    super(message, options);
    this.reach = options?.reach ?? null;
  }
}

/**
 * What a merge queue needs to know of a code host, and the few things it does there. Implementations report and never
 * decide; are safe for concurrent use, by up to 32 wishes of each repository; may be asked anything twice, also by another
 * process, and then leave the host as one asking would; answer expected outcomes as values; and throw only where they do not
 * know what happened.
 */
export interface CodeHost {
  /** False where the repository is none that this host can serve. */
  hasRepository(repo: RepoRef): Promise<boolean>;
  /** Null where the branch does not exist. */
  getBranch(repo: RepoRef, branch: string): Promise<BranchState | null>;
  /** Whether `commit` is reachable from `head`; false where either is not there. */
  contains(repo: RepoRef, head: Sha, commit: Sha): Promise<boolean>;
  /**
   * Those of the numbers that exist, in any order; one that cannot be read keeps no other from being answered. Where the
   * host fails on more than single pull requests it throws. At most `PULL_REQUESTS_PER_READ` numbers.
   */
  getPullRequests(
    repo: RepoRef,
    numbers: readonly number[],
    options?: ReadOptions,
  ): Promise<readonly PullRequestAnswer[]>;
  /** The number of the newest pull request whose head branch this is, open ones first; null without one. */
  findPullRequest(repo: RepoRef, headBranch: string): Promise<number | null>;
  /**
   * Builds, in order, each part on the one before by `method`, beginning at `base`, and keeps the result reachable under
   * `runId`. The same request gives the same commit ids, whoever asks and however often. Nothing of the parts is run.
   *
   * By `rebase`, a part whose branch has merge commits is compared with the merge of its head and the step below it. Where
   * the trees differ and one of those merge commits is not the automatic merge of its parents, the answer is
   * `merge_content_lost`, or `conflicted` where that merge conflicts as well. Author and message of each commit are kept byte
   * for byte where git accepts them. Commits that the host writes itself are in UTF-8: a declared encoding is converted, and
   * undeclared bytes that are not UTF-8 are read as Latin-1. A squash has the author and the trailers of `creditsOf`.
   *
   * A commit is dated by the head (by rebase: by the commit that it replaces), which counts as no later than the part's
   * `begunAt`; and no earlier than the commit below, unless that one is dated later than `decidedAt`. So no commit is dated
   * later than `decidedAt`.
   *
   * Without parts the candidate is `base` itself, kept like any other: it is tested and dropped, and never landed.
   * A conflict that names no path is a conflict. A part that aborts the merge, takes too long or cannot be read is
   * `faulty`; where the host would fail on others as well it throws.
   */
  buildCandidate(request: BuildCandidateRequest): Promise<CandidateOutcome>;
  /**
   * Has the named checks of a candidate tested, where that does not happen by itself; each name that runs or has passed
   * for this `runId` already is left alone. A name that the host does not know is reported as a check that ended
   * with conclusion `infrastructure`.
   */
  startChecks?(request: StartChecksRequest): Promise<void>;
  /** Ends what still runs of a run's checks, where the host can; what is ended is reported as `cancelled`, or not at all. */
  cancelChecks?(request: {
    readonly repo: RepoRef;
    readonly runId: TestRunId;
    readonly commit: Sha;
  }): Promise<void>;
  /**
   * All checks of each commit, or an error: never a partial list. Any commit may be asked for, also a pull request's head
   * or the target's tip, and is answered with what the host shows there, whoever had it run; one that nobody tested, or
   * that is not there, with none. At most `COMMITS_PER_READ` commits.
   */
  getChecks(repo: RepoRef, commits: readonly Sha[]): Promise<ReadonlyMap<Sha, readonly Check[]>>;
  /**
   * Moves `branch` from `onto` to the candidate's commit and marks the members merged, or changes nothing; never by force.
   * A branch that is a symbolic ref stays one: the branch that it points at is moved.
   * Refused where the candidate kept under `runId` is gone, where the branch is not at `onto`, or where a member is not
   * there, not open, a draft, for another base, or its head not the one named. Mergeability is not looked at: the candidate
   * has shown it. Asked again after it happened, it answers `landed` again, whatever came after, also where a member is not there any more.
   * Before it answers anything but `landed`, what was kept under `runId` is gone: a late twin of this call then fails.
   */
  land(request: LandRequest): Promise<LandOutcome>;
  /** Lets go of what is kept under `runId`. Doing it twice is no error. */
  dropCandidate(request: { readonly repo: RepoRef; readonly runId: TestRunId }): Promise<void>;
  /** Runs of which the host still keeps a candidate: what crashed engines may have left. At most `CANDIDATES_PER_READ`. */
  listCandidates(repo: RepoRef): Promise<readonly TestRunId[]>;
  /** The names of the hooks of a repository that would run on a push, and that `land` does not run. Left out: there are none. */
  hooksNotRun?(repo: RepoRef): Promise<readonly string[]>;
  /** Hints; losing any of them costs only time. Returns the function that ends it. */
  onEvent?(listener: (event: HostEvent) => void): () => void;
}

export const PULL_REQUESTS_PER_READ = 100;
export const COMMITS_PER_READ = 100;
export const CANDIDATES_PER_READ = 1000;

export interface BuildCandidateRequest {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly branch: string;
  readonly base: Sha;
  readonly parts: readonly CandidatePart[];
  readonly method: MergeMethod;
  readonly decidedAt: Instant;
}

export interface StartChecksRequest {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly commit: Sha;
  readonly names: readonly string[];
}

export interface LandRequest {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly branch: string;
  readonly onto: Sha;
  readonly candidate: Candidate;
  /** What lands, in order: the last steps of the candidate, each with the head that was tested. */
  readonly members: readonly Pick<LandMember, 'pr' | 'head'>[];
}
