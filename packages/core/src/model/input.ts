import type { Actor } from './actor.js';
import type { Check } from './checks.js';
import type { EffectId, InputId, Instant, Sha, TestRunId } from './ids.js';
import type { ImpactedTargets, TargetSet } from './impacted-targets.js';
import type { CandidateOutcome, HostReach, LandOutcome } from './outcomes.js';
import type { PullRequest, PullRequestFault } from './pull-request.js';
import type { Queue, Target, WantedStatus } from './queue.js';
import type { RequiredStatusesSource } from './required-checks.js';
import type { QueueSettings } from './settings.js';
import type { SubmissionView } from './view.js';

/** Everything that a command carries besides what it asks for. */
interface Asked {
  readonly id: InputId;
  readonly actor: Actor;
  /** What the caller sent, digested, where the id is an idempotency key; else null. */
  readonly digest: string | null;
}

export type Submit = Asked & {
  readonly type: 'submit';
  /** As the host showed it right before. */
  readonly pull: PullRequest;
  /** Why the host cannot say whether it can be merged, where that is a matter of this pull request alone. */
  readonly fault?: PullRequestFault;
  /** The head that the caller means; null for whatever it is. */
  readonly expectedHead: Sha | null;
  /** Undefined leaves what was; null is the default class. */
  readonly priority?: number | null;
  readonly skipTheLine?: boolean;
  readonly noBatch?: boolean;
  readonly forceEnqueued?: boolean;
};
export type Cancel = Asked & {
  readonly type: 'cancel';
  readonly pr: number;
};
export type RestartTests = Asked & { readonly type: 'restart_tests'; readonly pr: number };
export type SetImpactedTargets = Asked & {
  readonly type: 'set_impacted_targets';
  readonly pr: number;
  readonly head: Sha;
  readonly targets: ImpactedTargets;
  readonly source: TargetSet['source'];
};
export type Configure = Asked & {
  readonly type: 'configure';
  /** Valid by the schema already; only what changes. */
  readonly settings: Partial<QueueSettings>;
  readonly wanted: WantedStatus | null;
  readonly stateReason: string | null;
  /** Whether a draining queue cancels what has no test run; null leaves that as it is. */
  readonly cancelPending: boolean | null;
  /** Whose the list of required checks is to be; null where the request does not say. */
  readonly requiredStatusesSource: RequiredStatusesSource | null;
  /** True where an empty list of required checks means that none is needed. */
  readonly allowNoRequiredStatuses: boolean;
};
export type DeleteQueue = Asked & { readonly type: 'delete_queue' };

/** Asked by somebody: may be refused. */
export type Command = Submit | Cancel | RestartTests | SetImpactedTargets | Configure | DeleteQueue;

/** The number of the pull request that a command is about; null where it is about the queue. */
export const pullRequestOf = (command: Command): number | null => {
  if (command.type === 'submit') return command.pull.number;
  return 'pr' in command ? command.pr : null;
};

interface Observed {
  /** Names this observation. The same observation brought twice counts once while it waits. */
  readonly id: InputId;
}
/** The answer to one effect. */
interface Answered extends Observed {
  readonly effectId: EffectId;
}

export type PullRequestsSeen = Answered & {
  readonly type: 'pull_requests_seen';
  readonly pulls: readonly PullRequest[];
  /** Asked for, and unknown to the host. */
  readonly missing: readonly number[];
  /** On which the host fails while it answers about others; absent from an older release. */
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
  /** Passes that are on record for the tree that was built. */
  readonly known: readonly Check[];
  /** The names of what passed on the head itself, where the candidate holds just that; absent where there are none. */
  readonly passedOnHead?: readonly string[];
  /** Whom it could not hold, as read afterwards. */
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
  /** True where the target was moved elsewhere, and no longer holds what it was to be moved from. */
  readonly rewound?: boolean;
  /** What was read right before of the checks of the runs that it rests on, and when; absent where nothing was. */
  readonly checksRead?: { readonly at: Instant; readonly seen: ChecksSeen['seen'] };
};
/** The host said for certain that it cannot do it, and why. Never for a landing. */
export type EffectFailed = Answered & {
  readonly type: 'effect_failed';
  readonly runId: TestRunId | null;
  readonly message: string;
};
/** The host could not be asked, or did not answer: it is asked again. What it says stays to be seen until it does. */
export type EffectDelayed = Answered & {
  readonly type: 'effect_delayed';
  readonly message: string;
  /** Set where it never will until a person changes something: then the queue holds. Absent from an older release. */
  readonly reach?: HostReach;
  /** How often in a row it was asked; absent where `reach` is. */
  readonly tries?: number;
};
/** Something may have changed at the host: a reason to ask, never a fact to act on. */
export type Noticed = Observed & {
  readonly type: 'noticed';
  readonly what: 'branch' | 'pull_requests' | 'checks';
};

/** Observed in the world: may be late, repeated or out of order, and is never refused. */
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
  'HOST_UNREACHABLE',
  'IDEMPOTENCY_KEY_REUSED',
  'COMMAND_BROKEN',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

export interface Refusal {
  readonly code: RefusalCode;
  /** What is wrong with this request, with its numbers and names. */
  readonly detail: string;
  /** The fields that are at fault; absent where none is. */
  readonly faults?: readonly Fault[];
  /** The pull requests that stand in the way, the first `REFUSED_PRS_LIMIT` of them, and how many there are. */
  readonly prs?: { readonly numbers: readonly number[]; readonly count: number };
}

/** One thing that is wrong with a request. `path` is the field, outermost first. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a command came to, as it was at that moment. Kept, so that asking again gives the same answer. */
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
