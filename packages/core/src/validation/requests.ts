import type { Actor } from '../model/actor.js';
import type { Check, RequiredChecks } from '../model/checks.js';
import type { Finding } from '../model/finding.js';
import type { HistoryRow } from '../model/history.js';
import type { Instant, QueueId, Sha, TestRunId } from '../model/ids.js';
import type { ImpactedTargets, TargetSet } from '../model/impacted-targets.js';
import type { Queue, QueueStatus, WantedStatus } from '../model/queue.js';
import type { ChainHead, Receipt } from '../model/receipt.js';
import type { RepoRef } from '../model/repo.js';
import type { RequiredStatusesSource } from '../model/required-checks.js';
import type { Restack } from '../model/restack.js';
import type { TestRun } from '../model/run.js';
import type { QueueSettings } from '../model/settings.js';
import type { AttemptStory } from '../model/story.js';
import type { SubmissionState } from '../model/submission.js';
import type { SubmissionView, Waiting } from '../model/view.js';

/** The position of a submission in the line. */
export interface LinePosition {
  /** Its rank in the order of getQueue, from 1; null if it is not admitted. */
  readonly position: number | null;
  /** The number of submissions that must land before it; 0 if it is next. Null if it is not admitted. */
  readonly aheadInLane: number | null;
}

/** Identifies a queue: one target branch of one repository. */
export interface QueueRef {
  readonly repo: RepoRef;
  readonly targetBranch: string;
}

/**
 * The originator of a request, and its idempotency key. All optional: by default the embedding program is the actor.
 */
export interface RequestOrigin {
  readonly actor?: Actor;
  /**
   * A repeated `id` with the same `digest` gets the first answer for 24 h, and waits for it if the first request is in
   * progress. With another digest it is refused (IDEMPOTENCY_KEY_REUSED).
   */
  readonly idempotency?: { readonly id: string; readonly digest: string };
}

/** Settings and requested state. Changes only the given fields; in createQueue the others have their defaults. */
export interface QueueChange extends Partial<QueueSettings> {
  /** `paused` starts and lands nothing; `draining` finishes what has begun. Defaults to `running` in createQueue. */
  readonly state?: WantedStatus;
  /** The reason, shown with every wait that it causes. Null is the same as absent. */
  readonly stateReason?: string | null;
  /** True removes the override of the required checks, as `requiredStatuses: null` does. */
  readonly deleteRequiredStatuses?: boolean;
  /** True confirms that `requiredStatuses: []` means "no check is needed". */
  readonly allowNoRequiredStatuses?: boolean;
  /** True confirms that `trustForkTargets: true` is meant for a public repository. */
  readonly allowPublicForkTargets?: boolean;
  /** `queue` pins the given list; `host` follows the rules of the branch. */
  readonly requiredStatusesSource?: RequiredStatusesSource | null;
  /** True, with the state `draining`, cancels every pull request without a test run until the state changes. */
  readonly cancelPending?: boolean;
}

export interface CreateQueueRequest extends QueueRef, RequestOrigin, QueueChange {}

export interface UpdateQueueRequest extends QueueRef, RequestOrigin, QueueChange {
  /** Changes nothing (SETTINGS_CHANGED) unless `settingsTagOf` the queue is one of these. */
  readonly ifSettings?: readonly string[];
}

export type SubmitRequest = QueueRef &
  RequestOrigin & {
    readonly pr: number;
    /** The expected head; refused if the host has another one (STALE_HEAD). */
    readonly sha?: Sha;
    /** 0-255, lower first; null is the default class. If absent, it does not change. */
    readonly priority?: number | null;
    /** Urgent, whatever the priority. If absent, it does not change unless a priority is given. */
    readonly skipTheLine?: boolean;
    readonly noBatch?: boolean;
    /** Skips only the host's mergeability. The caller must have checked that the actor may do that. */
    readonly forceEnqueued?: boolean;
  };

export type PullRequestRef = QueueRef & RequestOrigin & { readonly pr: number };

/** A command, to be looked at and not carried out. `withEstimates` adds expected merges, which may take seconds. */
export type PreviewRequest = { readonly withEstimates?: boolean } & (
  | ({ readonly operation: 'updateQueue' } & UpdateQueueRequest)
  | ({ readonly operation: 'submit' } & SubmitRequest)
  | ({ readonly operation: 'cancel' | 'restartTests' } & PullRequestRef)
);

export interface DiagnoseRequest {
  /** Only queues of this repository, of these repositories, or on this branch; all by default. */
  readonly repo?: RepoRef;
  readonly repositories?: readonly RepoRef[];
  readonly targetBranch?: string;
}

export interface Diagnosis {
  /** Errors first, at most `FINDINGS_LIMIT`. */
  readonly findings: readonly Finding[];
  /** The number of queues that were checked. */
  readonly queues: number;
  /** False if there are more queues or findings than the limits. */
  readonly isComplete: boolean;
}

export type SetImpactedTargetsRequest = PullRequestRef & {
  /** The head that the targets were computed for; defaults to the current head at the host. */
  readonly sha?: Sha;
  readonly impactedTargets: ImpactedTargets;
  readonly source?: TargetSet['source'];
};

/** A pull request by its number, or by its head branch if it was submitted here. */
export type SubmissionRef = QueueRef & ({ readonly pr: number } | { readonly headBranch: string });

export interface ListQueuesRequest {
  /** Only the queues of this repository. */
  readonly repo?: RepoRef;
  /** Only the queues of these repositories, under their canonical names; at most `REPOSITORIES_PER_QUERY`. */
  readonly repositories?: readonly RepoRef[];
  /** True lists deleted queues, whose history and receipts can still be read. */
  readonly deleted?: boolean;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface MetricsRequest {
  /** Metrics of this repository, which must have a queue (else REPOSITORY_NOT_FOUND). */
  readonly repo?: RepoRef;
  /** Metrics of these repositories, whether or not they have queues; at most `REPOSITORIES_PER_QUERY`. */
  readonly repositories?: readonly RepoRef[];
}

export interface TimelineRequest extends QueueRef {
  /** A live or deleted queue of this repository and branch; defaults to the live one. */
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
  /** A live or deleted queue of this repository and branch; defaults to the live one. */
  readonly queueId?: QueueId;
  readonly types?: readonly HistoryRow['type'][];
  readonly since?: Instant;
  readonly until?: Instant;
  /** Defaults to newest first. */
  readonly order?: 'oldest_first' | 'newest_first';
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface ReceiptsRequest extends QueueRef {
  /** A live or deleted queue of this repository and branch; defaults to the live one. */
  readonly queueId?: QueueId;
  /** Only receipts of this pull request. They no longer form a chain. */
  readonly pr?: number;
  /** Only receipts with a higher number. */
  readonly after?: number;
  /** At most `PAGE_LIMIT`. */
  readonly take?: number;
  readonly cursor?: string;
}

export interface ReceiptPage {
  readonly items: readonly Receipt[];
  readonly next: string | null;
  /** The head of the chain when the page was read; null for a deleted queue. */
  readonly head: ChainHead | null;
}

export interface QueueView {
  readonly queue: Queue;
  readonly status: QueueStatus;
  /** Null if neither the queue nor the host names any. */
  readonly requiredChecks: RequiredChecks | null;
  /** Required checks that no test run has reported although it could have. They may never be reported. */
  readonly unreportedChecks: readonly string[];
  /** The admitted submissions in queue order: those under test first, then those that wait. */
  readonly enqueued: readonly SubmissionView[];
  readonly notReady: readonly SubmissionView[];
}

export interface QueueSnapshotRequest extends QueueRef {
  /** The version of the last answer: what has changed since is answered, or everything if this replica does not know it. */
  readonly version?: string;
}

export interface QueueAtRequest extends QueueRef {
  /** One in the future counts as now. */
  readonly at: Instant;
}

export interface QueueUpdate {
  readonly queue: Queue;
  readonly requiredChecks: RequiredChecks | null;
  /** True if a merge in progress could not be stopped when the queue was paused. */
  readonly landingUnderWay: boolean;
  /** Hints that the request, although carried out, was probably not meant like this. */
  readonly warnings: readonly Warning[];
}

export const warningCodes = [
  'NO_REQUIRED_STATUSES',
  'HOOKS_NOT_RUN',
  'BISECTION_CONCURRENCY_LOW',
  'FORK_TARGETS_TRUSTED',
  'SETTING_WITHOUT_EFFECT',
  'TARGETS_EMPTY',
] as const;

/** A remark in an answer. */
export interface Warning {
  readonly code: (typeof warningCodes)[number];
  /** What was noticed, and what to do about it. */
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

/** A submission with everything that a person may need. */
export interface FoundView extends SubmittedView, LinePosition {
  /** What to do now, or what happens automatically, in one sentence. */
  readonly remedy: string;
  /** The test run whose failure ended it or is pending; null if there is none or it was pruned. */
  readonly failedRun: TestRun | null;
  /** The actor of its terminal state; null while it is live. */
  readonly endedBy: Actor | null;
  /** The landed pull request whose original commits are still in its branch; null if none is known. */
  readonly restack: Restack | null;
}

export interface ExplainRequest extends QueueRef {
  readonly pr: number;
  /** From 1; defaults to the last one. */
  readonly attempt?: number;
}

/** Why a submission waits (the current chain of causes), and the story of the attempt. */
export interface Explanation {
  /** Null for an ended attempt. */
  readonly waiting: Waiting | null;
  readonly story: AttemptStory;
  /** False if older rows of the attempt are missing: they were pruned, or exceed `STORY_ROWS_LIMIT`. */
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

/** A test run with data derived from its queue. */
export interface RunView {
  readonly run: TestRun;
  readonly queue: Queue;
  readonly requiredChecks: RequiredChecks | null;
  /** The newest check per (source, name). */
  readonly checks: readonly Check[];
  /** The pull requests of the batch, as last read. Those that left the queue long ago may be missing. */
  readonly tested: readonly SubmissionView[];
  /** The targets of the batch, and of the batch with its stack; null if any are unknown. */
  readonly impactedTargets: ImpactedTargets | null;
  readonly impactedTargetsOfStack: ImpactedTargets | null;
  readonly waitsOn: readonly number[];
  /** What it waits for, or its outcome and why it was closed, in one sentence. */
  readonly explanation: string;
}

/** One ended test run from the view of one of its pull requests. */
export interface TestingResult {
  readonly runId: TestRunId;
  /** True for a test run of a bisection. */
  readonly isBisection: boolean;
  readonly pr: number;
  readonly attempt: number;
  readonly outcome: 'passed' | 'failed' | 'timed_out' | 'cancelled' | 'infrastructure' | 'interrupted';
  readonly testingSince: Instant | null;
  readonly endedAt: Instant;
}

export interface FollowRequest {
  /** Default: the queues of all repositories. */
  readonly repo?: RepoRef;
  readonly targetBranch?: string;
  /** The `cursor` of an earlier step, also of another process: what was committed since comes first. Default: from now on. */
  readonly after?: string;
  /** Called for each queue that is found; by default all are followed. */
  readonly isWanted?: (queue: Queue) => boolean;
  /**
   * Returns whether the reader that got `after` followed a queue, if its queues were others. Queues that it did not
   * follow are followed from now on.
   */
  readonly wasWanted?: (queue: Queue) => boolean;
  /**
   * Where to continue after a reset: with rows that are committed from then on, or with the oldest row that is kept.
   * Default newest.
   */
  readonly afterLoss?: 'newest' | 'oldest';
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** One step of `follow`. Everything up to `cursor` has been given out, this step included. */
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
  /** Rows of this queue after `lastSequence` are missing: they were pruned, or lost by a failover. `afterLoss` says what follows. */
  | {
      readonly type: 'reset';
      readonly queue: Queue;
      readonly lastSequence: number;
      readonly cursor: string;
    };
