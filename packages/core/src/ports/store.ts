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

/** 1 when the queue is created, and one more with every commit; nothing else raises it. 0 means "before everything". */
export type Version = number;

/**
 * The name of the history of commits that a store is in: another one from the moment on at which it may have lost commits
 * that it had confirmed, as when a replica that lagged behind has taken over. Versions of two incarnations are not compared.
 */
export type Incarnation = string;

/**
 * What the decision at hand needs to know of the past. Each is given out once, however often it was named and whether or
 * not it has changed, and what is not there is left out.
 */
export interface Recall {
  /** Pull requests whose last submission and uploads are wanted, live or not, submitted or not. */
  readonly prs: readonly number[];
  /** Inputs that may have been answered before, whatever queue they were for. */
  readonly inputIds: readonly InputId[];
  /** Commits that may have gone through; none where left out. */
  readonly commits?: readonly CommitId[];
}

/** Everything of one queue that changed after a version, in one consistent read. */
export interface QueueDelta {
  readonly version: Version;
  readonly incarnation: Incarnation;
  /** The store's time. */
  readonly now: Instant;
  readonly queue: Queue;
  /** Rows written after that version, as they are now, those that ended included; where it is 0, only what is live. */
  readonly submissions: readonly Submission[];
  readonly runs: readonly TestRun[];
  /** Of live pull requests: books written after that version, and all of those that were not live before it. */
  readonly targets: readonly TargetBook[];
  /** Waiting facts whatever the version, in the order in which they came, at most `INBOX_PER_LOAD`. */
  readonly inbox: readonly Fact[];
  /** What was asked for by `Recall`. */
  readonly recalled: Recalled;
}

export interface Recalled {
  readonly submissions: readonly Submission[];
  readonly targets: readonly TargetBook[];
  readonly answers: readonly Answer[];
  readonly commits: readonly CommitId[];
}

/** The rest of the inbox comes with the loads that follow, once these facts were consumed. */
export const INBOX_PER_LOAD = 1000;

export interface Commit {
  /** Drawn anew for each try: lets a store tell whether a commit whose answer was lost went through. */
  readonly id: CommitId;
  /** Whether `Recall.commits` finds it, for `ANSWERS_KEPT_MS` and no longer, whatever was committed since. */
  readonly recallable: boolean;
  readonly queueId: QueueId;
  /** The version that was decided on. */
  readonly expected: Version;
  /** Where that version was read; null where that does not matter. */
  readonly incarnation: Incarnation | null;
  /**
   * What this decision took for not being there, so that nothing had to be read before it. Refused, with everything else,
   * if any of it is there; null takes nothing for granted.
   */
  readonly absent: Recall | null;
  readonly writes: Writes;
  /** Facts that were taken into account; one that does not wait is passed over, and each may come again. */
  readonly consumed: readonly InputId[];
  /** Results of commands, found by their ids for `ANSWERS_KEPT_MS` and no longer. Until then the first answer stays. */
  readonly answers: readonly Answer[];
  /**
   * New wishes, offered from now on in this order. An id that is there already, or comes twice, is an exception: nothing is
   * written.
   */
  readonly effects: readonly Effect[];
  /**
   * Wishes taken back. Refused, with everything else, unless each is there and was never leased: one that has settled
   * left a fact that this decision may not have seen.
   */
  readonly withdraw: readonly EffectId[];
  /**
   * Wishes that were carried out under these leases, and whose answers this decision took in: they are removed. Refused,
   * with everything else, unless each is of a wish of this queue and still holds (see `Lease`).
   */
  readonly settled: readonly Lease[];
  /** Hands the first of `effects` over to this owner, as `lease` would; null leaves them to whoever asks. */
  readonly handOver: LeaseAsk | null;
  /** Decide again no later than this, even if nothing arrives. Replaces what was set; null sets nothing. */
  readonly wakeAt: Instant | null;
}

export const ANSWERS_KEPT_MS = 24 * 3_600_000;

/** Where several refusals apply, the first of this order is given. It names every wish that it is about. */
export type CommitOutcome =
  | {
      readonly kind: 'committed';
      readonly version: Version;
      /** The store's time. */
      readonly now: Instant;
      /** Of the wishes that were handed over, in their order. May lack some where an answer was lost on the way. */
      readonly leases: readonly Lease[];
    }
  /** Somebody else committed first, the queue is gone, or the store is in another incarnation: nothing was written. */
  | { readonly kind: 'conflict' }
  /** Of `absent` this is there, as `load` would have told it: nothing was written. */
  | { readonly kind: 'present'; readonly recalled: Recalled }
  /** The leases of these wishes were lost: nothing was written. */
  | { readonly kind: 'lost'; readonly effects: readonly EffectId[] }
  /** These wishes were leased or are gone, and cannot be taken back: nothing was written. */
  | { readonly kind: 'under_way'; readonly effects: readonly EffectId[] };

/** Who asks for wishes, how long a lease holds, and how many are wanted at most. */
export interface LeaseAsk {
  readonly owner: string;
  readonly forMs: number;
  readonly limit: number;
}

/**
 * A wish that this owner may carry out as long as it renews the lease. `token` fences: it is new with each lease, and a
 * lease is lost once the wish is settled, postponed or leased again. One that merely ran out still holds.
 */
export interface Lease {
  readonly queueId: QueueId;
  readonly repo: RepoRef;
  readonly effect: Effect;
  /** How often it has been leased, this time included. */
  readonly tries: number;
  readonly token: string;
}

/**
 * Pages have no gaps and no repeats while rows are added. `limit` is a whole number from 1 on, and more than `PAGE_LIMIT`
 * counts as that; anything else is an exception. So is a cursor that no page of this kind of list gave out, with the
 * `code` CURSOR_INVALID. A cursor goes with the query that it came from, whose `limit` alone may change.
 */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

/** All conditions hold together; an empty list of one finds nothing. */
export interface SubmissionQuery {
  readonly queueId: QueueId;
  readonly prs?: readonly number[];
  /** Of the state that each is in now, whatever it was before. */
  readonly states?: readonly SubmissionState[];
  /** Bounds, inclusive, on `stateSince`: when the present state began. */
  readonly since?: Instant;
  readonly until?: Instant;
  readonly limit: number;
  readonly cursor?: string;
}

/** All conditions hold together; an empty list of one finds nothing. */
export interface HistoryQuery {
  /** Live or deleted. One that is named twice counts once, one that is unknown has no rows. */
  readonly queueIds: readonly QueueId[];
  readonly types?: readonly HistoryRow['type'][];
  /** Only rows about this pull request: its moves, what put it off, the runs that hold it, and what was asked for it (`pullRequestsOf`). */
  readonly pr?: number;
  /** Bounds, inclusive, on `at`. */
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
  /** Only those with a higher number. */
  readonly after?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/** A row of the history and the queue that it belongs to. */
export type HistoryItem = HistoryRow & { readonly queueId: QueueId };

/**
 * Where queues live. An implementation is safe for concurrent use by many processes, reads what it wrote, and keeps rows
 * that it does not understand. Rows are immutable values: what was given or taken is never changed afterwards.
 * Expected outcomes are values; an exception means that it is not known whether the write happened.
 */
export interface Store {
  /**
   * At most one live queue per repository and branch, and one of each id, deleted ones included: `exists` changes
   * nothing. The answer is stored in the same write, as that of a commit is.
   */
  createQueue(queue: Queue, wakeAt: Instant, answer: Answer | null): Promise<'created' | 'exists'>;
  /** Queues that are not deleted, or those that are, by host, owner, name, branch and id in this order; texts by code point, not by language. */
  queues(query: QueueQuery): Promise<Page<Queue>>;
  /** Null where the queue does not exist or was deleted. No rows after a version that has not come yet. */
  load(id: QueueId, since: Version, recall: Recall): Promise<QueueDelta | null>;
  /**
   * All of it or none of it. Of several rows of one id the last counts. Ends the claim on the queue. A queue written with
   * `deletedAt` is gone for `queues`, `load`, `commit`, `push` and `due`, its waiting facts with it; its wishes go on, and
   * what it left stays readable.
   */
  commit(commit: Commit): Promise<CommitOutcome>;
  /**
   * Adds facts to the inbox, behind what waits; one whose id still waits in this queue is not added twice, and the first
   * stays. For a queue that is deleted or unknown it does nothing. Makes no version.
   */
  push(id: QueueId, facts: readonly Fact[]): Promise<void>;
  /**
   * Wishes of all queues that are offered and that nobody holds: first those that have been offered for longest, then as
   * they were written. A wish that is not settled in that time is offered again, from then on.
   */
  lease(ask: LeaseAsk): Promise<readonly Lease[]>;
  /** Holds these for `forMs` from now on, under the same tokens. Those that were lost stay lost. */
  renew(leases: readonly Lease[], forMs: number): Promise<void>;
  /**
   * Removes the wish and adds what was learnt to the inbox, as `push` does, in one write. False if the lease was lost:
   * nothing is written, also where it is asked twice. Makes no version.
   */
  settle(lease: Lease, facts: readonly Fact[]): Promise<boolean>;
  /** Lets go of the lease; the wish is offered again after `delayMs`. False if the lease was lost. */
  postpone(lease: Lease, delayMs: number, error: string): Promise<boolean>;
  /**
   * Claims queues with waiting facts or a wake time that has come, those due for longest first. Each is offered again
   * after `forMs`, and is due from then on, unless a commit ends the claim; a fact that comes meanwhile does not. One that
   * somebody is just writing to may be passed over, and so may such a wish by `lease`; `nextDueAt` passes over none.
   */
  due(ask: { readonly forMs: number; readonly limit: number }): Promise<readonly QueueId[]>;
  /**
   * When something will be due, if nothing arrives: the earliest wake or offered wish, or a time that has passed where
   * something waits now. What is claimed or leased counts from the end of that. Null when nothing ever will be due.
   */
  nextDueAt(): Promise<Instant | null>;
  /** The store's time, one for all processes. It never goes back, unless it is a database's whose clock was set back. */
  now(): Promise<Instant>;
  /** What these inputs came to, as far as it is kept: each once, in any order. */
  answers(ids: readonly InputId[]): Promise<readonly Answer[]>;
  /** By (stateSince, id), newest first; also of a deleted queue. Each is found as it is now, with its last attempt. */
  submissions(query: SubmissionQuery): Promise<Page<Submission>>;
  /** A run of the queue, open or closed, also of a deleted queue; null where there is none of that id, or it was pruned. */
  run(queueId: QueueId, runId: TestRunId): Promise<TestRun | null>;
  /**
   * The passes kept for a tree of a repository, those last written first, at most `VERDICTS_PER_TREE`. One of the same
   * check id and source replaces what was there.
   */
  verdicts(repo: RepoRef, tree: string): Promise<readonly Verdict[]>;
  /**
   * Rows of all these queues, also deleted ones, as one list by (at, queueId, sequence), rising or, newest first, falling.
   * Within a queue `at` never falls. Only its oldest rows may have been pruned; nothing says so but that they are missing.
   */
  history(query: HistoryQuery): Promise<Page<HistoryItem>>;
  /**
   * Receipts by rising number, exactly as they were written. None is ever pruned, also not those of deleted queues. A
   * commit with a number that its queue has already is an exception, and writes nothing.
   */
  receipts(query: ReceiptQuery): Promise<Page<Receipt>>;
  /** Optional hint that something was pushed or became due. Polling is the guarantee. */
  onWake?(listener: () => void): () => void;
  /** Ends connections and timers. Afterwards every call rejects, with the `code` CLOSED. Doing it twice is no error. */
  close(): Promise<void>;
}

export interface QueueQuery {
  readonly repo?: RepoRef;
  readonly branch?: string;
  /** True: those that were deleted, as they were then, in place of those that are there. */
  readonly isDeleted?: boolean;
  readonly limit: number;
  readonly cursor?: string;
}

export const VERDICTS_PER_TREE = 200;
/** The most rows of a page, whatever is asked for. */
export const PAGE_LIMIT = 1000;
