import type { Check } from '../model/checks.js';
import type { CandidatePart, LandMember } from '../model/effect.js';
import type { Instant, Sha, TestRunId } from '../model/ids.js';
import type { CandidateOutcome, HostReach, LandOutcome } from '../model/outcomes.js';
import type { PullRequest, PullRequestFault } from '../model/pull-request.js';
import type { RepoRef } from '../model/repo.js';
import type { Candidate } from '../model/run.js';
import type { MergeMethod } from '../model/settings.js';
import type { CommandHost, LabelEvent } from './command-host.js';
import type { HostComment, PresenceHost } from './presence-host.js';

/**
 * A pull request as an adapter reads it. The engine adds `readAt`, the time at which it sent the request. A merged or closed
 * pull request is `not_mergeable` with a reason and without `conflicts`. The mergeability of a draft is that of its content.
 */
export type HostPullRequest = Omit<PullRequest, 'readAt'> & {
  /**
   * Why the requested mergeability cannot be computed, if this pull request alone is the cause; `mergeability` is then
   * `unspecified`. Null or absent otherwise. Before an adapter sets it, it must rule out a fault of the host: right before
   * it answers, it merges the base with itself, and computes the mergeability of another pull request if there is one.
   */
  readonly mergeFault?: string | null;
};

/** A pull request that exists and cannot be read, by a fault of its own. The same conditions hold as for `mergeFault`. */
export interface UnreadablePullRequest {
  readonly number: number;
  readonly fault: PullRequestFault;
}

export type PullRequestAnswer = HostPullRequest | UnreadablePullRequest;

export const isReadable = (answer: PullRequestAnswer): answer is HostPullRequest => !('fault' in answer);

/** The pull request as the core stores it. */
export const readAsOf = (pull: HostPullRequest, readAt: Instant): PullRequest => {
  const { mergeFault: _fault, ...shown } = pull;
  return { ...shown, readAt };
};

export interface ReadOptions {
  /**
   * If set, the host computes the mergeability with the current tip of the base, by this method. While that is going on,
   * `mergeability` is `in_progress`; an event follows when it is done. If not set, `mergeability` is what the host has
   * without extra work, else `unspecified`.
   */
  readonly merging?: MergeMethod;
  /** True if a person waits for the answer. Such a read goes before reads of polls. */
  readonly isUrgent?: boolean;
}

export interface BranchState {
  readonly head: Sha;
  /** The checks that the rules of the branch require; null if no rule is about checks. */
  readonly requiredChecks: readonly string[] | null;
  /** The digest of each check's current definition, by check name, as in `Check.digest`. Absent if the host has none. */
  readonly digests?: Readonly<Record<string, string>>;
  /** If the branch is a symbolic ref, the full name of the ref it points at. `land` moves that ref. */
  readonly symbolicRef?: string;
}

/** A hint that something may have changed. The engine reads the host to find out what. */
export interface HostEvent {
  readonly repo: RepoRef;
  readonly what: 'branch' | 'pull_requests' | 'checks';
  /** With `pull_requests`: only this one may have changed. Absent: any. */
  readonly pr?: number;
}

/**
 * What arrives from a host. A comment or a label may be a command: it is taken from the event itself, which the caller must
 * have authenticated, since an edit may have replaced its text by the time of a read. `labels` is for hosts that do not say
 * which label changed or who changed it: the label events of the repository are read then.
 */
export type InboundEvent =
  | HostEvent
  | {
      readonly repo: RepoRef;
      readonly what: 'comment';
      readonly pr: number;
      readonly comment: HostComment;
    }
  | { readonly repo: RepoRef; readonly what: 'label'; readonly label: LabelEvent }
  | { readonly repo: RepoRef; readonly what: 'labels' };

/**
 * An error of a host that says whether to retry.
 * - `never`: retrying gives the same answer until a person changes something.
 * - `later`: retry, not before `retryAt` if it is set and ahead. Every other error counts as `later`.
 *
 * `reach` says what a `never` is about: the repository (deleted or moved) or the access to it (token revoked, permission
 * lost). It is null if the error is about one pull request, commit or request. A failed read with `never` and a null
 * `reach` counts as lost access.
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

/** What a host calls a repository. */
export interface RepositoryIdentity {
  /** Another one after the repository was deleted and created again. Null if the host has no ids. */
  readonly id: string | null;
  readonly owner: string;
  readonly name: string;
  /** Whether anyone may open a pull request there. Absent if the host does not say. */
  readonly isPublic?: boolean;
}

/**
 * What a merge queue reads from a code host and does there. The rules for every method:
 * - It reports and never decides.
 * - It is safe for concurrent use, by up to 32 effects per repository.
 * - It is idempotent, also across processes: a second call with the same request leaves the host as the first did.
 * - Expected outcomes are values. It throws only if it does not know what happened, or a `HostError`.
 */
export interface CodeHost {
  /**
   * Whether this host can serve the repository. False if it does not exist, or if the name means another one than its `id`;
   * throws if the host cannot be reached.
   */
  hasRepository(repo: RepoRef): Promise<boolean>;
  /**
   * The repository that has the name now, as the host spells it. Null if it does not exist. Absent if the host has no ids and
   * one spelling alone. Every other call about a `RepoRef` with an `id` throws a `HostError` with the reach `repository` if the
   * name means a repository with another id.
   */
  identify?(repo: RepoRef): Promise<RepositoryIdentity | null>;
  /** True if every call finds a repository in any letter case of owner and name. Hints and answers may use any of them. */
  readonly ignoresCase?: boolean;
  /** Reads a branch: its tip and its rules. Null if the branch does not exist. */
  getBranch(
    repo: RepoRef,
    branch: string,
    options?: Pick<ReadOptions, 'isUrgent'>,
  ): Promise<BranchState | null>;
  /** Whether `commit` is reachable from `head`. False if either does not exist. */
  contains(repo: RepoRef, head: Sha, commit: Sha): Promise<boolean>;
  /**
   * Reads at most `PULL_REQUESTS_PER_READ` pull requests. Answers in any order, and leaves out numbers that do not exist.
   * A pull request that cannot be read is answered as `UnreadablePullRequest` and does not affect the others. Throws if
   * the host fails on more than single pull requests.
   */
  getPullRequests(
    repo: RepoRef,
    numbers: readonly number[],
    options?: ReadOptions,
  ): Promise<readonly PullRequestAnswer[]>;
  /** The number of the newest pull request with this head branch, open ones first. Null if there is none. */
  findPullRequest(repo: RepoRef, headBranch: string): Promise<number | null>;
  /**
   * Builds a candidate: merges the parts by `method`, in order, each on top of the previous one, the first on `base`. Keeps
   * the result reachable under `runId` until `dropCandidate` or `land`. The same request gives the same commit ids, in
   * every process. Code of the parts is never executed.
   *
   * Outcomes: a conflict is `conflicted`, also if the host names no path. A part that aborts the merge, exceeds the time
   * limit or cannot be read is `faulty`. Throws if the host would fail on other pull requests as well. Without parts the
   * candidate is `base` itself: it is tested and dropped, never landed.
   *
   * With `rebase`, a part whose branch has merge commits is compared with the merge of its head and the step below. If the
   * trees differ and a merge commit of the branch is not the automatic merge of its parents, the outcome is
   * `merge_content_lost`, or `conflicted` if that comparison merge conflicts.
   *
   * Messages: author and message of each rebased commit are kept byte for byte if git accepts them. Commits that the host
   * writes are in UTF-8: a declared encoding is converted, and undeclared bytes that are not UTF-8 are read as Latin-1. A
   * squash commit has the author and the trailers of `creditsOf`, which gets all commits of the branch; the authors of
   * merge commits are not credited.
   *
   * Dates: a commit has the date of the part's head (with `rebase`, of the commit that it replaces), at the latest
   * `begunAt` of the part. It is not earlier than the date of the commit below, unless that is later than `decidedAt`. So
   * no commit is dated later than `decidedAt`.
   */
  buildCandidate(request: BuildCandidateRequest): Promise<CandidateOutcome>;
  /**
   * Starts the named checks of a candidate. Absent if checks start without a request. Skips each check that is running or
   * has passed for this `runId`. A name that the host does not know is reported by `getChecks` as a check that ended with
   * the conclusion `infrastructure`.
   */
  startChecks?(request: StartChecksRequest): Promise<void>;
  /**
   * Cancels the checks of a test run that are still running. Absent if the host cannot cancel. `getChecks` reports a
   * cancelled check as `cancelled` or not at all. Does nothing if no check is running. `names`: the checks that are no
   * longer needed; absent for all. A host that cannot cancel single checks cancels all.
   */
  cancelChecks?(request: {
    readonly repo: RepoRef;
    readonly runId: TestRunId;
    readonly commit: Sha;
    readonly names?: readonly string[];
  }): Promise<void>;
  /**
   * Reads all checks of at most `COMMITS_PER_READ` commits. Throws rather than answer a partial list. Accepts any commit,
   * also the head of a pull request or the tip of the target, and answers all checks shown there, no matter what started
   * them. A commit without checks, or one that does not exist, has an empty list. After an error that lasts, the engine reads
   * the commits of each test run alone, and goes on with those that the host shows.
   */
  getChecks(repo: RepoRef, commits: readonly Sha[]): Promise<ReadonlyMap<Sha, readonly Check[]>>;
  /**
   * Moves `branch` from `onto` to the commit of the candidate and marks the members merged, or changes nothing. Never by
   * force. If `branch` is a symbolic ref, it stays one and the ref that it points at is moved.
   *
   * Does not land if the candidate is no longer kept under `runId`, if the branch is not at `onto`, or if a member does
   * not exist, is not open, is a draft, has another base, or has another head than stated. Mergeability is not checked
   * again: the candidate has proved it.
   *
   * Idempotent: a repeated call after a success answers `landed`, also if the branch has moved on or a member no longer
   * exists. Before any other answer, the candidate kept under `runId` is removed, so that a delayed duplicate of the call
   * cannot land.
   *
   * After a `HostError` with `never` and without a reach, or after several tries with `later` and without a time, of this call
   * or of the reads right before it, the engine drops the candidate and calls `land` once more. If that call answers `candidate_gone`, the error counts as a refusal;
   * if it throws, the outcome stays unknown and `land` is called again later.
   */
  land(request: LandRequest): Promise<LandOutcome>;
  /**
   * Removes the candidate kept under `runId`. Does nothing if there is none. `isRunOpen`: only the candidate goes; the
   * test run stays open, and its checks still count.
   */
  dropCandidate(request: {
    readonly repo: RepoRef;
    readonly runId: TestRunId;
    readonly isRunOpen?: true;
  }): Promise<void>;
  /**
   * The test runs whose candidates the host still keeps, at most `CANDIDATES_PER_READ`, in any order. Used to clean up
   * after a crash.
   */
  listCandidates(repo: RepoRef): Promise<readonly TestRunId[]>;
  /** The names of the repository's hooks that would run on a push and that `land` does not run. Absent if there are none. */
  hooksNotRun?(repo: RepoRef): Promise<readonly string[]>;
  /**
   * Shows a candidate as a draft pull request onto `branch`, for a CI that tests pull requests. Idempotent. It is closed by
   * `dropCandidate` and `land`, and not opened after them. Does nothing if the host refuses it, since the CI may test
   * branches. Absent if the host has no drafts.
   */
  openDraft?(request: OpenDraftRequest): Promise<void>;
  /** False if the queue cannot land past the rules that the host has for people: `forceEnqueued` is refused then. */
  readonly canForce?: boolean;
  /** Shows at pull requests what the queue does with them. Absent if the host has no comments, statuses and labels. */
  readonly presence?: PresenceHost;
  /** Reads the commands that people give by comments and labels. Absent if the host has none. */
  readonly commands?: CommandHost;
  /**
   * Subscribes to hints; returns the function that unsubscribes. Absent if the host sends none. Hints may be lost or
   * repeated: polling finds every change, only later.
   */
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

export interface OpenDraftRequest {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly branch: string;
  readonly commit: Sha;
  readonly title: string;
  readonly body: string;
}

export interface LandRequest {
  readonly repo: RepoRef;
  readonly runId: TestRunId;
  readonly branch: string;
  readonly onto: Sha;
  readonly candidate: Candidate;
  /** The pull requests that land, in order: the last steps of the candidate, each with its tested head. */
  readonly members: readonly Pick<LandMember, 'pr' | 'head'>[];
}
