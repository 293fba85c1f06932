import type { Actor } from './actor.js';
import type { Check } from './checks.js';
import type { EffectId, InputId, Instant, Sha, TestRunId } from './ids.js';
import type { ImpactedTargets, TargetSet } from './impacted-targets.js';
import type { CandidateOutcome, HostReach, LandOutcome } from './outcomes.js';
import type { PullRequest, PullRequestFault } from './pull-request.js';
import type { BranchRules, Queue, Target, WantedStatus } from './queue.js';
import type { RequiredStatusesSource } from './required-checks.js';
import type { StackedOn } from './restack.js';
import type { QueueSettings } from './settings.js';
import type { SubmissionView } from './view.js';

/** The fields that every command has. */
interface CommandEnvelope {
  readonly id: InputId;
  readonly actor: Actor;
  /** A digest of the caller's request if the id is an idempotency key; else null. */
  readonly digest: string | null;
}

export type Submit = CommandEnvelope & {
  readonly type: 'submit';
  /** As read from the host right before. */
  readonly pull: PullRequest;
  /** Why the host cannot compute the mergeability, if this pull request alone is the cause. */
  readonly fault?: PullRequestFault;
  /** What the target requires, read right before if the queue was idle. Absent if not read, or without an answer. */
  readonly rules?: BranchRules;
  /** The head that the caller expects; null accepts any. */
  readonly expectedHead: Sha | null;
  /** Undefined keeps the previous priority; null is the default class. */
  readonly priority?: number | null;
  readonly skipTheLine?: boolean;
  readonly noBatch?: boolean;
  readonly forceEnqueued?: boolean;
};
export type Cancel = CommandEnvelope & {
  readonly type: 'cancel';
  readonly pr: number;
};
export type RestartTests = CommandEnvelope & { readonly type: 'restart_tests'; readonly pr: number };
export type SetImpactedTargets = CommandEnvelope & {
  readonly type: 'set_impacted_targets';
  readonly pr: number;
  readonly head: Sha;
  readonly targets: ImpactedTargets;
  readonly source: TargetSet['source'];
};
export type Configure = CommandEnvelope & {
  readonly type: 'configure';
  /** The changed settings, already validated by the schema. */
  readonly settings: Partial<QueueSettings>;
  readonly wanted: WantedStatus | null;
  readonly stateReason: string | null;
  /** Whether a draining queue cancels pull requests without a test run; null does not change it. */
  readonly cancelPending: boolean | null;
  /** The source of the required checks; null if the request does not say. */
  readonly requiredStatusesSource: RequiredStatusesSource | null;
  /** True confirms that an empty list of required checks means that none is required. */
  readonly allowNoRequiredStatuses: boolean;
  /** What the host requires, read right before if the request names checks. Absent if it did not answer. */
  readonly rules?: BranchRules;
  /** The tags of settings that may be changed; left out, any. */
  readonly ifSettings?: readonly string[];
};
export type DeleteQueue = CommandEnvelope & { readonly type: 'delete_queue' };

/** A request of a client. It may be refused. */
export type Command = Submit | Cancel | RestartTests | SetImpactedTargets | Configure | DeleteQueue;

/** The pull request that a command is about; null if it is about the queue. */
export const pullRequestOf = (command: Command): number | null => {
  if (command.type === 'submit') return command.pull.number;
  return 'pr' in command ? command.pr : null;
};

interface Observed {
  /** Identifies this observation. While it waits, the same id is accepted once. */
  readonly id: InputId;
}
/** The result of one effect. */
interface Answered extends Observed {
  readonly effectId: EffectId;
}

export type PullRequestsSeen = Answered & {
  readonly type: 'pull_requests_seen';
  readonly pulls: readonly PullRequest[];
  /** Requested pull requests that the host does not know. */
  readonly missing: readonly number[];
  /** Pull requests that the host fails on while it answers for others. Absent if there are none. */
  readonly faulty?: readonly FaultyPullRequest[];
};
export interface FaultyPullRequest {
  readonly pr: number;
  readonly fault: PullRequestFault;
}
export type BranchSeen = Answered & {
  readonly type: 'branch_seen';
  readonly target: Target;
  readonly rewound: boolean;
};
export type CandidateBuilt = Answered & {
  readonly type: 'candidate_built';
  readonly runId: TestRunId;
  readonly outcome: CandidateOutcome;
  /** Recorded passes for the tree that was built. */
  readonly known: readonly Check[];
  /** The checks that passed on the head itself, if the candidate has the same tree; absent if there are none. */
  readonly passedOnHead?: readonly string[];
  /** If it conflicts with the target: the landed pull request that its branch was stacked on; absent if none is known. */
  readonly stackedOn?: StackedOn;
  /** Pull requests that could not be part of the candidate, as read afterwards. */
  readonly pulls: readonly PullRequest[];
};
export type ChecksStarted = Answered & {
  readonly type: 'checks_started';
  readonly runId: TestRunId;
  readonly commit: Sha;
};
export type ChecksSeen = Answered & {
  readonly type: 'checks_seen';
  readonly seen: readonly {
    readonly runId: TestRunId;
    readonly commit: Sha;
    readonly checks: readonly Check[];
  }[];
};
export type LandFinished = Answered & {
  readonly type: 'land_finished';
  readonly runId: TestRunId;
  readonly outcome: LandOutcome;
  /** True if the target was moved by others and no longer contains the expected base. */
  readonly rewound?: boolean;
  /**
   * The checks read right before, of the test runs that the landing rests on, and the time of the read. Absent if none
   * were read.
   */
  readonly checksRead?: { readonly at: Instant; readonly seen: ChecksSeen['seen'] };
};
/** The host refused the effect for certain, with its message. Never for a landing. */
export type EffectFailed = Answered & {
  readonly type: 'effect_failed';
  readonly runId: TestRunId | null;
  readonly message: string;
};
/** The host did not answer, or could not be reached. The effect is retried. */
export type EffectDelayed = Answered & {
  readonly type: 'effect_delayed';
  readonly message: string;
  /**
   * Set if retrying is useless until a person changes something: then the queue holds. Absent if not.
   */
  readonly reach?: HostReach;
  /** The number of tries in a row; absent if `reach` is set. */
  readonly tries?: number;
};
/** A hint that something may have changed at the host. It causes a read; nothing is decided on it. */
export type Noticed = Observed & {
  readonly type: 'noticed';
  readonly what: 'branch' | 'pull_requests' | 'checks';
  /** Only this pull request may have changed; absent: any. */
  readonly pr?: number;
};

/** An observation. May be late, repeated or out of order, and is never refused. */
export type Fact =
  | PullRequestsSeen
  | BranchSeen
  | CandidateBuilt
  | ChecksStarted
  | ChecksSeen
  | LandFinished
  | EffectFailed
  | EffectDelayed
  | Noticed;

export type Input = Command | Fact;

export const refusalCodes = [
  'PULL_REQUEST_CLOSED',
  'PULL_REQUEST_MERGED',
  'STALE_HEAD',
  'NOT_SUBMITTED',
  'NOT_ACTIVE',
  'ALREADY_MERGED',
  'NO_RUN_TO_RESTART',
  'LANDING_UNDER_WAY',
  'QUEUE_NOT_EMPTY',
  'QUEUE_NOT_FOUND',
  'INVALID_SETTINGS',
  'SETTINGS_CHANGED',
  'HOST_UNREACHABLE',
  'IDEMPOTENCY_KEY_REUSED',
  'COMMAND_BROKEN',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

export interface Refusal {
  readonly code: RefusalCode;
  /** What is wrong with this request, with numbers and names. */
  readonly detail: string;
  /** The invalid fields; absent if there are none. */
  readonly faults?: readonly Fault[];
  /** The pull requests that prevent it, the first `REFUSED_PRS_LIMIT` of them, and their number. */
  readonly prs?: { readonly numbers: readonly number[]; readonly count: number };
}

/** One fault in a request. `path` is the field, outermost first. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The result of a command at the time of its decision. It is kept, so that a repeated request gets the same answer. */
export type CommandResult =
  | {
      readonly ok: true;
      readonly queue: Queue;
      readonly submission: SubmissionView | null;
      readonly targets: TargetSet | null;
    }
  | { readonly ok: false; readonly refusal: Refusal };

export interface Answer {
  readonly inputId: InputId;
  readonly digest: string | null;
  readonly result: CommandResult;
}
