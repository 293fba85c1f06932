import type { Actor } from '../model/actor.js';
import type { Check, RequiredChecks } from '../model/checks.js';
import type { HistoryRow } from '../model/history.js';
import type { Instant, QueueId, Sha, TestRunId } from '../model/ids.js';
import type { ImpactedTargets, TargetSet } from '../model/impacted-targets.js';
import type { Queue, QueueStatus, WantedStatus } from '../model/queue.js';
import type { ChainHead, Receipt } from '../model/receipt.js';
import type { RepoRef } from '../model/repo.js';
import type { RequiredStatusesSource } from '../model/required-checks.js';
import type { TestRun } from '../model/run.js';
import type { MergeMethod, QueueSettings } from '../model/settings.js';
import type { AttemptStory } from '../model/story.js';
import type { SubmissionState } from '../model/submission.js';
import type { SubmissionView, Waiting } from '../model/view.js';

/** Where a submission stands. */
export interface Standing {
  /** Its rank in the order of getQueue, from 1; null where it is not admitted. */
  readonly position: number | null;
  /** How many have to land before it; 0: it is next. Null where it is not admitted. */
  readonly aheadInLane: number | null;
}

/** Names a queue: one target branch of one repository. */
export interface QueueRef {
  readonly repo: RepoRef;
  readonly targetBranch: string;
}

/** Who asks, and how a repeated request is known. All optional: an embedder asks as itself. */
export interface Asking {
  readonly actor?: Actor;
  /**
   * The same `id` with the same `digest` gets the first answer again for 24 h, waiting for it where it is under way;
   * with another digest it is refused (IDEMPOTENCY_KEY_REUSED).
   */
  readonly idempotency?: { readonly id: string; readonly digest: string };
}

/** Settings, and what the queue is to do. Only what is named changes; in createQueue the rest has its default. */
export interface QueueChange extends Partial<QueueSettings> {
  /** `paused` starts and lands nothing, `draining` only finishes what it has begun. Created without it, a queue runs. */
  readonly state?: WantedStatus;
  /** Why; shown to everyone who asks what the queue waits for. Null is the same as left out. */
  readonly stateReason?: string | null;
  /** True drops the override of the required checks, as `requiredStatuses: null` does. */
  readonly deleteRequiredStatuses?: boolean;
  /** True, together with `requiredStatuses: []`, means that no check is needed. */
  readonly allowNoRequiredStatuses?: boolean;
  /** `queue` pins the list that comes with it; `host` follows the rules of the branch. */
  readonly requiredStatusesSource?: RequiredStatusesSource | null;
  /** True, with the state `draining`, cancels everything without a test run until the state changes. */
  readonly cancelPending?: boolean;
}

export interface CreateQueueRequest extends QueueRef, Asking, QueueChange {}

export interface UpdateQueueRequest extends QueueRef, Asking, QueueChange {}

export type SubmitRequest = QueueRef &
  Asking & {
    readonly pr: number;
    /** The head that is meant; another one at the host is refused (STALE_HEAD). */
    readonly sha?: Sha;
    /** 0-255, lower first; null is the default class. Left out, it stays what it was. */
    readonly priority?: number | null;
    /** Urgent, whatever the priority given with it. Left out, it stays what it was unless a priority is given. */
    readonly skipTheLine?: boolean;
    readonly noBatch?: boolean;
    /** Skips the host's mergeability, nothing else. The caller has made sure that the actor may. */
    readonly forceEnqueued?: boolean;
  };

export type PullRequestRef = QueueRef & Asking & { readonly pr: number };

export type SetImpactedTargetsRequest = PullRequestRef & {
  /** The head that the targets were computed for; left out, the host's present head. */
  readonly sha?: Sha;
  readonly impactedTargets: ImpactedTargets;
  readonly source?: TargetSet['source'];
};

/** By number, or by the head branch of a pull request that was submitted here. */
export type SubmissionRef = QueueRef & ({ readonly pr: number } | { readonly headBranch: string });

export interface ListQueuesRequest {
  /** Only the queues of this repository. */
  readonly repo?: RepoRef;
  /** True: those that were deleted, whose history and receipts can still be read. */
  readonly deleted?: boolean;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface TimelineRequest extends QueueRef {
  /** A queue of this repository and branch, also one that was deleted; left out, the one that is there now. */
  readonly queueId?: QueueId;
  readonly pr: number;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface TestingResultsRequest extends QueueRef {
  readonly since: Instant;
  readonly until?: Instant;
  /** Counts from the newest. */
  readonly offset?: number;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
}

export interface HistoryRequest extends QueueRef {
  /** A queue of this repository and branch, also one that was deleted; left out, the one that is there now. */
  readonly queueId?: QueueId;
  readonly types?: readonly HistoryRow['type'][];
  readonly since?: Instant;
  readonly until?: Instant;
  /** Newest first where left out. */
  readonly order?: 'oldest_first' | 'newest_first';
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface ReceiptsRequest extends QueueRef {
  /** A queue of this repository and branch, also one that was deleted; left out, the one that is there now. */
  readonly queueId?: QueueId;
  /** Only receipts of this pull request: no chain any more. */
  readonly pr?: number;
  /** Only those with a higher number. */
  readonly after?: number;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface ReceiptPage {
  readonly items: readonly Receipt[];
  readonly next: string | null;
  /** How far the chain had come when the page was read, or further; null for a queue that was deleted. */
  readonly head: ChainHead | null;
}

export interface QueueView {
  readonly queue: Queue;
  readonly status: QueueStatus;
  /** Null where neither the queue nor the host names any. */
  readonly requiredChecks: RequiredChecks | null;
  /** Required checks that no run of this queue has ever shown, though it could have: nobody may ever report them. */
  readonly unreportedChecks: readonly string[];
  /** What is admitted, in queue order: under test first, then waiting. */
  readonly enqueued: readonly SubmissionView[];
  readonly notReady: readonly SubmissionView[];
}

export interface QueueUpdate {
  readonly queue: Queue;
  readonly requiredChecks: RequiredChecks | null;
  /** True where a landing could no longer be held back when the queue was paused. */
  readonly landingUnderWay: boolean;
  /** What was done as asked, and is probably not what was meant. */
  readonly warnings: readonly Warning[];
}

export const warningCodes = [
  'NO_REQUIRED_STATUSES',
  'HOOKS_NOT_RUN',
  'BISECTION_CONCURRENCY_LOW',
  'TARGETS_EMPTY',
] as const;

/** A remark beside an answer. */
export interface Warning {
  readonly code: (typeof warningCodes)[number];
  /** What is so, and what to do about it. */
  readonly sentence: string;
}

export interface TargetsStored {
  /** The head that they are stored for. */
  readonly sha: Sha;
  readonly impactedTargets: ImpactedTargets;
  readonly warnings: readonly Warning[];
}

export interface SubmittedView extends SubmissionView {
  readonly queue: Queue;
}

/** A submission with all that a person may want to know of it. */
export interface FoundView extends SubmittedView, Standing {
  /** What can be done now, or what happens by itself: one sentence. */
  readonly remedy: string;
  /** The test run whose failure ended or holds it; null without one, and where nothing is on record of it. */
  readonly failedRun: TestRun | null;
  /** Who brought it into its terminal state; null while it is live. */
  readonly endedBy: Actor | null;
  /** The landed pull request on whose own commits its branch still stands; null where none is known. */
  readonly stackedOn: StackedOn | null;
}

/** A pull request that another one was stacked on, and that landed as other commits. */
export interface StackedOn {
  readonly pr: number;
  readonly head: Sha;
  readonly method: MergeMethod;
}

export interface ExplainRequest extends QueueRef {
  readonly pr: number;
  /** Counts from 1; left out, the last one. */
  readonly attempt?: number;
}

/** Why a submission is where it is: the present chain of causes, and how the attempt came to this. */
export interface Explanation {
  /** Null for an attempt that has ended. */
  readonly waiting: Waiting | null;
  readonly story: AttemptStory;
  /** False where older rows of the attempt are gone or were left out: at most `STORY_ROWS_LIMIT` are read. */
  readonly isComplete: boolean;
}

export interface ListSubmissionsRequest extends QueueRef {
  readonly states?: readonly SubmissionState[];
  readonly since?: Instant;
  readonly until?: Instant;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

/** A run with what is derived from its queue. */
export interface RunView {
  readonly run: TestRun;
  readonly queue: Queue;
  readonly requiredChecks: RequiredChecks | null;
  /** The newest check per (source, name). */
  readonly checks: readonly Check[];
  /** The pull requests of the batch, as last read; those that left the queue long ago may be missing. */
  readonly tested: readonly SubmissionView[];
  /** Targets of the batch, and of the batch with its stack; null where any is unknown. */
  readonly impactedTargets: ImpactedTargets | null;
  readonly impactedTargetsOfStack: ImpactedTargets | null;
  readonly waitsOn: readonly number[];
  /** What it waits for, or what it came to and why the queue let go of it: one sentence. */
  readonly explanation: string;
}

/** One ended run as one of its pull requests saw it. */
export interface TestingResult {
  readonly runId: TestRunId;
  /** True for a test of a part of a failed batch. */
  readonly isBisection: boolean;
  readonly pr: number;
  readonly attempt: number;
  readonly outcome: 'passed' | 'failed' | 'timed_out' | 'cancelled' | 'infrastructure' | 'interrupted';
  readonly testingSince: Instant | null;
  readonly endedAt: Instant;
}

export interface FollowRequest {
  /** Left out: the queues of all repositories. */
  readonly repo?: RepoRef;
  readonly targetBranch?: string;
  /** The `cursor` of an earlier step, also of another process: what was committed since comes first. Left out: from now on. */
  readonly after?: string;
  /** Asked about each queue as it is found; left out, all are followed. */
  readonly isWanted?: (queue: Queue) => boolean;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** One step of `follow`. What `cursor` stands for has been given out, this step included. */
export type Followed =
  /** The first step: what is committed from now on will come. */
  | { readonly type: 'started'; readonly cursor: string }
  /** The next row of one queue, without a gap since the one before. */
  | {
      readonly type: 'row';
      readonly queue: Queue;
      readonly row: HistoryRow & { readonly queueId: QueueId };
      readonly cursor: string;
    }
  /** Rows of this queue are missing: they were pruned, or lost by a failover. What follows is what is committed from now on. */
  | { readonly type: 'reset'; readonly queue: Queue; readonly cursor: string };
