import type { Verdict } from '../model/checks.js';
import type { Effect } from '../model/effect.js';
import type { HistoryRow } from '../model/history.js';
import type { CommitId, EffectId, InputId, Instant, QueueId, TestRunId } from '../model/ids.js';
import type { TargetBook } from '../model/impacted-targets.js';
import type { Answer, Fact } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import type { Receipt } from '../model/receipt.js';
import type { RepoRef } from '../model/repo.js';
import type { TestRun } from '../model/run.js';
import type { Writes } from '../model/state.js';
import type { Submission, SubmissionState } from '../model/submission.js';

/** The version of a queue: 1 when it is created, and increased by 1 by every commit, by nothing else. 0 is before everything. */
export type Version = number;

/**
 * Identifies one unbroken history of commits. It changes when the store may have lost confirmed commits, for example after
 * a failover to a replica that lagged behind. Versions of different incarnations cannot be compared.
 */
export type Incarnation = string;

/**
 * Older data that a decision needs besides what changed. The answer has each item once, also if it was requested twice or
 * has not changed. Items that do not exist are left out.
 */
export interface Recall {
  /** Pull requests to read the last submission and the uploaded targets of, live or not. */
  readonly prs: readonly number[];
  /** Inputs to read the answers to, of any queue. */
  readonly inputIds: readonly InputId[];
  /** Commits of unknown outcome: those that were written are answered. */
  readonly commits?: readonly CommitId[];
}

/** What changed in one queue after a version, as one consistent read. */
export interface QueueDelta {
  readonly version: Version;
  readonly incarnation: Incarnation;
  /** The store's time. */
  readonly now: Instant;
  readonly queue: Queue;
  /** Rows written after that version, in their current state, ended ones included. For version 0 only live rows. */
  readonly submissions: readonly Submission[];
  readonly runs: readonly TestRun[];
  /** Targets of live pull requests: those written after that version, and all of pull requests that became live after it. */
  readonly targets: readonly TargetBook[];
  /** All waiting facts, regardless of the version, in order of arrival. At most `INBOX_PER_LOAD`. */
  readonly inbox: readonly Fact[];
  /** What `Recall` requested. */
  readonly recalled: Recalled;
}

export interface Recalled {
  readonly submissions: readonly Submission[];
  readonly targets: readonly TargetBook[];
  readonly answers: readonly Answer[];
  readonly commits: readonly CommitId[];
}

/** Later facts are loaded once these were consumed. */
export const INBOX_PER_LOAD = 1000;

export interface Commit {
  /** New for each try. Identifies the commit in `Recall.commits` if its answer was lost. */
  readonly id: CommitId;
  /** Whether `Recall.commits` finds this commit, for exactly `ANSWERS_KEPT_MS`. Later commits do not change that. */
  readonly recallable: boolean;
  readonly queueId: QueueId;
  /** The version that the decision is based on. Another version is a conflict. */
  readonly expected: Version;
  /** The incarnation in which that version was read. Another one is a conflict; null accepts any. */
  readonly incarnation: Incarnation | null;
  /**
   * Rows that the decision assumed to be absent without reading. If any of them exists, the commit is refused as
   * `present`. Null assumes nothing.
   */
  readonly absent: Recall | null;
  readonly writes: Writes;
  /** Facts to remove from the inbox. One that does not wait is ignored, and a fact with the same id may arrive later. */
  readonly consumed: readonly InputId[];
  /** Results of commands, kept by id for exactly `ANSWERS_KEPT_MS`. In that time a second answer does not replace the first. */
  readonly answers: readonly Answer[];
  /**
   * New effects, offered from now on in this order. Throws and writes nothing if an id exists already or occurs twice.
   */
  readonly effects: readonly Effect[];
  /**
   * Effects to withdraw. If any of them was leased or does not exist, the commit is refused as `under_way`: a settled
   * effect has left a fact that the decision may not have seen.
   */
  readonly withdraw: readonly EffectId[];
  /**
   * Leases of performed effects whose results this decision has applied: the effects are removed. If any lease is of
   * another queue or was lost (see `Lease`), the commit is refused as `lost`.
   */
  readonly settled: readonly Lease[];
  /** Leases the first of `effects` to this owner in the same write, as `lease` would. Null leaves them to any process. */
  readonly handOver: LeaseRequest | null;
  /** The latest time of the next decision, also if nothing arrives. Replaces the previous value; null removes it. */
  readonly wakeAt: Instant | null;
}

export const ANSWERS_KEPT_MS = 24 * 3_600_000;

/** If several refusals apply, the first of this order is answered. It names every effect that it is about. */
export type CommitOutcome =
  | {
      readonly kind: 'committed';
      readonly version: Version;
      /** The store's time. */
      readonly now: Instant;
      /** The leases requested by `handOver`, in the order of the effects. May lack some if an answer of the store was lost. */
      readonly leases: readonly Lease[];
    }
  /** Nothing was written: another commit came first, the queue is gone, or the incarnation differs. */
  | { readonly kind: 'conflict' }
  /** Nothing was written: some of `absent` exists, answered as `load` would. */
  | { readonly kind: 'present'; readonly recalled: Recalled }
  /** Nothing was written: the leases of these effects were lost. */
  | { readonly kind: 'lost'; readonly effects: readonly EffectId[] }
  /** Nothing was written: these effects were leased or are gone, and cannot be withdrawn. */
  | { readonly kind: 'under_way'; readonly effects: readonly EffectId[] };

/** A request for leases: at most `limit` of them, each for `forMs` milliseconds. */
export interface LeaseRequest {
  readonly owner: string;
  readonly forMs: number;
  readonly limit: number;
}

/**
 * The right to perform an effect, for as long as the owner renews it. `token` is a fencing token, new with each lease. A
 * lease is lost once the effect is settled, postponed or leased again. An expired lease that none of these ended still holds.
 */
export interface Lease {
  readonly queueId: QueueId;
  readonly repo: RepoRef;
  readonly effect: Effect;
  /** How often the effect has been leased, this lease included. */
  readonly tries: number;
  readonly token: string;
}

/**
 * One page of a list. Following the cursors gives no gaps and no repeats while rows are added. `limit` is a whole number of
 * at least 1, else a RangeError; a value above `PAGE_LIMIT` counts as `PAGE_LIMIT`. A cursor is valid only with the query
 * that it came from, of which only `limit` may change. A cursor of another kind of list throws with the `code` CURSOR_INVALID.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null at the end. */
  readonly next: string | null;
}

/** Conditions are combined by "and". An empty list matches nothing. */
export interface SubmissionQuery {
  readonly queueId: QueueId;
  readonly prs?: readonly number[];
  /** Matches the current state. */
  readonly states?: readonly SubmissionState[];
  /** Inclusive bounds on `stateSince`, the start of the current state. */
  readonly since?: Instant;
  readonly until?: Instant;
  readonly limit: number;
  readonly cursor?: string;
}

/** Conditions are combined by "and". An empty list matches nothing. */
export interface HistoryQuery {
  /** Live or deleted queues. A repeated id counts once; an unknown one has no rows. */
  readonly queueIds: readonly QueueId[];
  readonly types?: readonly HistoryRow['type'][];
  /** Only rows about this pull request: its moves and delays, its test runs, and the commands for it (`pullRequestsOf`). */
  readonly pr?: number;
  /** Inclusive bounds on `at`. */
  readonly since?: Instant;
  readonly until?: Instant;
  readonly order: 'oldest_first' | 'newest_first';
  readonly limit: number;
  readonly cursor?: string;
}

export interface ReceiptQuery {
  readonly queueId: QueueId;
  /** Only receipts of this pull request. */
  readonly pr?: number;
  /** Only receipts with a higher number. */
  readonly after?: number;
  readonly limit: number;
  readonly cursor?: string;
}

export interface QueueVersion {
  readonly id: QueueId;
  readonly version: Version;
  readonly incarnation: Incarnation;
}

export type HistoryItem = HistoryRow & { readonly queueId: QueueId };

/**
 * Where queues live. The rules for every method:
 * - It is safe for concurrent use by many processes. A read sees every earlier confirmed write.
 * - Rows are immutable values: neither side changes an object after passing it. Unknown fields of rows are kept.
 * - Expected outcomes are values. An exception means that it is unknown whether the write happened, unless stated otherwise.
 */
export interface Store {
  /**
   * Creates a queue with version 1, due at `wakeAt`. Answers `exists` and writes nothing if the repository and branch have
   * a live queue, or if a queue, live or deleted, has this id. Stores `answer` in the same write, as a commit does.
   */
  createQueue(queue: Queue, wakeAt: Instant, answer: Answer | null): Promise<'created' | 'exists'>;
  /**
   * Lists live queues, or deleted ones if requested, ordered by host, owner, name, branch and id. Texts are ordered by code
   * point, not by language.
   */
  queues(query: QueueQuery): Promise<Page<Queue>>;
  /** Lists the versions of live queues, ordered by id: one read shows which of many queues have changed. */
  queueVersions(query: { readonly limit: number; readonly cursor?: string }): Promise<Page<QueueVersion>>;
  /**
   * Reads what changed in a queue after version `since`, with the waiting facts and what `recall` requests, as one
   * consistent read. Null if the queue does not exist or was deleted. For a version in the future there are no rows.
   */
  load(id: QueueId, since: Version, recall: Recall): Promise<QueueDelta | null>;
  /**
   * Writes everything or nothing. Not idempotent: a repeated commit is a `conflict`; `Recall.commits` says whether the first
   * was written. If several rows have one id, the last counts. A successful commit ends the claim of `due` on the queue. A
   * queue written with `deletedAt` no longer exists for `queues`, `load`, `commit`, `push` and `due`, and its waiting facts
   * are removed. Its effects are still offered, and its submissions, test runs, history and receipts stay readable.
   */
  commit(commit: Commit): Promise<CommitOutcome>;
  /**
   * Appends facts to the inbox and makes the queue due. Idempotent while a fact waits: one whose id waits in this queue is
   * ignored, and the first stays. Does nothing for a deleted or unknown queue. Does not change the version.
   */
  push(id: QueueId, facts: readonly Fact[]): Promise<void>;
  /**
   * Leases offered effects of all queues, those offered for longest first, then in the order in which they were written. An
   * effect whose lease expires unsettled is offered again from that time on. May skip an effect that is being written.
   */
  lease(ask: LeaseRequest): Promise<readonly Lease[]>;
  /** Extends leases to `forMs` milliseconds from now, under the same tokens. Ignores lost leases; they stay lost. */
  renew(leases: readonly Lease[], forMs: number): Promise<void>;
  /**
   * Removes the effect and appends the resulting facts to the inbox, as `push` does, in one write. Writes nothing and
   * answers false if the lease was lost, so also for a repeated call. Does not change the version.
   */
  settle(lease: Lease, facts: readonly Fact[]): Promise<boolean>;
  /**
   * Ends the lease and offers the effect again after `delayMs` milliseconds; `error` is stored with it. Answers false and
   * writes nothing if the lease was lost.
   */
  postpone(lease: Lease, delayMs: number, error: string): Promise<boolean>;
  /**
   * Claims at most `limit` queues that have waiting facts or a `wakeAt` in the past, those due for longest first. A claim
   * ends with the next commit to the queue, or after `forMs` milliseconds; then the queue is due again. A fact that arrives
   * does not end it. May skip a queue that is being written; `nextDueAt` skips none.
   */
  due(ask: { readonly forMs: number; readonly limit: number }): Promise<readonly QueueId[]>;
  /**
   * The earliest time at which a queue or an effect is due if nothing arrives. In the past if one is due now. A claimed
   * queue and a leased effect are due when the claim or lease ends. Null if nothing will become due.
   */
  nextDueAt(): Promise<Instant | null>;
  /** The time of the store, the same for all processes. Goes back only if the clock of a database server is set back. */
  now(): Promise<Instant>;
  /** The kept answers to these inputs, each once, in any order. Inputs without an answer are left out. */
  answers(ids: readonly InputId[]): Promise<readonly Answer[]>;
  /** Lists submissions in their current state, by (stateSince, id), newest first. Also of a deleted queue. */
  submissions(query: SubmissionQuery): Promise<Page<Submission>>;
  /** Reads a test run, open or closed, also of a deleted queue. Null if the queue has none of this id or it was pruned. */
  run(queueId: QueueId, runId: TestRunId): Promise<TestRun | null>;
  /**
   * The kept passes of checks on a tree of a repository, those written last first, at most `VERDICTS_PER_TREE`. A pass
   * replaces an earlier one of the same check id and source.
   */
  verdicts(repo: RepoRef, tree: string): Promise<readonly Verdict[]>;
  /**
   * Removes uploaded targets of pull requests outside the queues of a repository, in each queue those written longest ago
   * first, until all that its live queues hold takes at most `bytesLimit` bytes. Resolves with the bytes that are left, which
   * are more where pull requests in the queues have that many. Bytes are those of the rows as JSON in UTF-8.
   */
  shedTargets(repo: RepoRef, bytesLimit: number): Promise<number>;
  /** The bytes of the targets that `shedTargets` never removes: those of pull requests in the live queues of a repository. */
  heldTargetBytes(repo: RepoRef): Promise<number>;
  /**
   * Lists history rows of the queues, also of deleted ones, ordered by (at, queueId, sequence), ascending or, for
   * `newest_first`, descending. Within a queue, `at` never decreases. The oldest rows may have been pruned; the answer does
   * not say so.
   */
  history(query: HistoryQuery): Promise<Page<HistoryItem>>;
  /**
   * Lists receipts by ascending number, unchanged byte for byte. Receipts are never pruned, also not those of deleted
   * queues. A commit with a receipt number that the queue already has throws and writes nothing.
   */
  receipts(query: ReceiptQuery): Promise<Page<Receipt>>;
  /**
   * Subscribes to hints that something became due; returns the function that unsubscribes. Hints may be lost: callers must
   * poll as well.
   */
  onWake?(listener: () => void): () => void;
  /** Ends connections and timers. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export interface QueueQuery {
  readonly repo?: RepoRef;
  /** Only those of these repositories, at most `REPOSITORIES_PER_QUERY`. */
  readonly repositories?: readonly RepoRef[];
  readonly branch?: string;
  /** True lists deleted queues, in their last state, instead of live ones. */
  readonly isDeleted?: boolean;
  readonly limit: number;
  readonly cursor?: string;
}

export const REPOSITORIES_PER_QUERY = 100;
export const VERDICTS_PER_TREE = 200;
/** Max rows of a page, whatever the query's `limit`. */
export const PAGE_LIMIT = 1000;
