import type { Verdict } from '../model/checks.js';
import type { Effect } from '../model/effect.js';
import type { HistoryRow } from '../model/history.js';
import type { CommitId, EffectId, InputId, Instant, QueueId, RunId } from '../model/ids.js';
import type { TargetBook } from '../model/impacted-targets.js';
import type { Answer, Fact } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import type { Receipt } from '../model/receipt.js';
import type { RepoRef } from '../model/repo.js';
import type { Run } from '../model/run.js';
import type { Writes } from '../model/state.js';
import type { Submission, SubmissionState } from '../model/submission.js';

/** Rises with every commit of a queue, from 1. 0 means "before everything". */
export type Version = number;

/** What the decision at hand needs to know of the past. */
export interface Recall {
  /** Pull requests whose last submission and uploads are wanted, live or not. */
  readonly prs: readonly number[];
  /** Inputs that may have been answered before. */
  readonly inputIds: readonly InputId[];
}

/** Everything of one queue that changed after a version, in one consistent read. */
export interface QueueDelta {
  readonly version: Version;
  /** The store's time. */
  readonly now: Instant;
  readonly queue: Queue;
  /** Changed rows, those that ended included; from version 0 on only what is live. */
  readonly submissions: readonly Submission[];
  readonly runs: readonly Run[];
  /** Changed books of live pull requests. */
  readonly targets: readonly TargetBook[];
  /** Waiting facts, oldest first, at most `INBOX_PER_LOAD`. */
  readonly inbox: readonly Fact[];
  /** What was asked for by `Recall`. */
  readonly recalled: {
    readonly submissions: readonly Submission[];
    readonly targets: readonly TargetBook[];
    readonly answers: readonly Answer[];
  };
}

export const INBOX_PER_LOAD = 1000;

export interface Commit {
  readonly id: CommitId;
  readonly queueId: QueueId;
  readonly expected: Version;
  readonly writes: Writes;
  /** Facts that were taken into account. */
  readonly consumed: readonly InputId[];
  /** Results of the commands that were decided, to be found again by their ids for `ANSWERS_KEPT_MS`. */
  readonly answers: readonly Answer[];
  readonly effects: readonly Effect[];
  /**
   * Wishes taken back. Refused, with everything else, unless each is there and was never leased: one that has settled
   * left a fact that this decision may not have seen.
   */
  readonly withdraw: readonly EffectId[];
  /**
   * Wishes that were carried out under these leases, and whose answers this decision took in: they are removed. Refused,
   * with everything else, unless each lease is of this queue and still holds.
   */
  readonly settled: readonly Lease[];
  /** Hands the first of `effects` over to this owner, as `lease` would; null leaves them to whoever asks. */
  readonly handOver: LeaseAsk | null;
  /** Decide again no later than this, even if nothing arrives. */
  readonly wakeAt: Instant | null;
}

export const ANSWERS_KEPT_MS = 24 * 3_600_000;

export type CommitOutcome =
  | {
      readonly kind: 'committed';
      readonly version: Version;
      /** The store's time. */
      readonly now: Instant;
      /** Of the wishes that were handed over, in their order. May lack some where an answer was lost on the way. */
      readonly leases: readonly Lease[];
    }
  /** Somebody else committed first, or the queue is gone: nothing was written. */
  | { readonly kind: 'conflict' }
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

/** A wish that this owner may carry out as long as it renews the lease. `token` fences: only the last lease of an effect settles it. */
export interface Lease {
  readonly queueId: QueueId;
  readonly repo: RepoRef;
  readonly effect: Effect;
  /** How often it has been leased, this time included. */
  readonly tries: number;
  readonly token: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
}

export interface SubmissionQuery {
  readonly queueId: QueueId;
  readonly prs?: readonly number[];
  readonly states?: readonly SubmissionState[];
  /** Bounds, inclusive, on when the present state began. */
  readonly since?: Instant;
  readonly until?: Instant;
  readonly limit: number;
  readonly cursor?: string;
}

export interface HistoryQuery {
  readonly queueIds: readonly QueueId[];
  readonly types?: readonly HistoryRow['type'][];
  /** Only rows about this pull request. */
  readonly pr?: number;
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
  /** At most one live queue per repository and branch: `exists` changes nothing. The answer is stored in the same write. */
  createQueue(queue: Queue, wakeAt: Instant, answer: Answer | null): Promise<'created' | 'exists'>;
  /** Queues that are not deleted, by repository, branch and id in this order. */
  queues(query: QueueQuery): Promise<Page<Queue>>;
  /** Null where the queue does not exist or was deleted. */
  load(id: QueueId, since: Version, recall: Recall): Promise<QueueDelta | null>;
  /** All of it or none of it. */
  commit(commit: Commit): Promise<CommitOutcome>;
  /** Adds facts to the inbox; one whose id still waits there is not added twice. For a deleted queue it does nothing. */
  push(id: QueueId, facts: readonly Fact[]): Promise<void>;
  /** Wishes that are due and that nobody holds, oldest first. A wish that is not settled in that time is offered again. */
  lease(ask: LeaseAsk): Promise<readonly Lease[]>;
  /** Holds these for `forMs` from now on, under the same tokens. Those that were lost stay lost. */
  renew(leases: readonly Lease[], forMs: number): Promise<void>;
  /** Removes the wish and adds what was learnt to the inbox, in one write. False if the lease was lost: nothing is written. */
  settle(lease: Lease, facts: readonly Fact[]): Promise<boolean>;
  /** Lets go of the lease; the wish is offered again after `delayMs`. False if the lease was lost. */
  postpone(lease: Lease, delayMs: number, error: string): Promise<boolean>;
  /** Claims queues with waiting facts or a wake time that has come; each is offered again after `forMs` unless decided. */
  due(ask: { readonly forMs: number; readonly limit: number }): Promise<readonly QueueId[]>;
  /** When something will be due, if nothing arrives: the earliest wake or offered wish. Null when nothing ever will. */
  nextDueAt(): Promise<Instant | null>;
  /** The store's time. */
  now(): Promise<Instant>;
  /** What these inputs came to, as far as it is kept. */
  answers(ids: readonly InputId[]): Promise<readonly Answer[]>;
  /** By (stateSince, id), newest first. */
  submissions(query: SubmissionQuery): Promise<Page<Submission>>;
  /** A run of the queue, live or not; null where there is none of that id. */
  run(queueId: QueueId, runId: RunId): Promise<Run | null>;
  /** The newest passes kept for a tree of a repository, at most `VERDICTS_PER_TREE`. */
  verdicts(repo: RepoRef, tree: string): Promise<readonly Verdict[]>;
  history(query: HistoryQuery): Promise<Page<HistoryItem>>;
  /**
   * Receipts by rising number, exactly as they were written. None is ever pruned, also not those of deleted queues. A
   * commit with a number that its queue has already is an exception, and writes nothing.
   */
  receipts(query: ReceiptQuery): Promise<Page<Receipt>>;
  /** Optional hint that something was pushed or became due. Polling is the guarantee. */
  onWake?(listener: () => void): () => void;
  /** Ends connections and timers. Afterwards every call rejects. Doing it twice is no error. */
  close(): Promise<void>;
}

export interface QueueQuery {
  readonly repo?: RepoRef;
  readonly branch?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export const VERDICTS_PER_TREE = 200;
export const PAGE_LIMIT = 1000;
