import type { Actor } from './actor.js';
import type { Adaptation } from './adaptation.js';
import type { RequiredChecks } from './checks.js';
import type { FlakeCounts } from './flakes.js';
import type { EffectId, Instant, QueueId, Sha, TestRunId } from './ids.js';
import type { InfrastructureFailure } from './infrastructure-failure.js';
import type { Fact } from './input.js';
import type { HostReach } from './outcomes.js';
import type { Polls } from './polls.js';
import type { ChainHead } from './receipt.js';
import type { RepoRef } from './repo.js';
import type { Candidate, Member, Step } from './run.js';
import type { MergeMethod, QueueMode, QueueSettings } from './settings.js';
import type { Standstill } from './standstill.js';
import { truncate } from './truncate.js';

export const queueStatuses = ['running', 'paused', 'draining', 'switching_modes'] as const;
export type QueueStatus = (typeof queueStatuses)[number];

/** The states that an owner can request. `switching_modes` is entered automatically. */
export const wantedStatuses = ['running', 'paused', 'draining'] as const;
export type WantedStatus = (typeof wantedStatuses)[number];

/** The reason shown if the requester of a queue state gave none. */
export const NO_REASON = 'No reason was given.';

/** The reason of the queue's status, and its author. */
export interface StatusReason {
  readonly code:
    | 'ASKED_FOR'
    | 'TREE_MISMATCH'
    | 'POISONED_INPUT'
    | 'HOST_REFUSED'
    | 'REPOSITORY_GONE'
    | 'BASE_BROKEN';
  readonly sentence: string;
  readonly actor: Actor;
  readonly at: Instant;
}

/** A state requested by the owner, with its reason; the reason is null if unknown. */
export interface RequestedState {
  readonly wanted: Exclude<WantedStatus, 'running'>;
  readonly statusReason: StatusReason | null;
}

/** The target branch as last read from the host. */
export interface Target {
  /** Null before the first read, or while the branch does not exist. */
  readonly head: Sha | null;
  /** The checks that the rules of the branch require; null if no rule is about checks. */
  readonly requiredChecks: readonly string[] | null;
  readonly exists: boolean;
  /** The current digest of each check's definition, by name, as far as the host knows. */
  readonly digests: Readonly<Record<string, string>>;
  /** The full name of the ref that the branch points at; absent if it is not a symbolic ref. */
  readonly symbolicRef?: string;
  /** When the read was sent; null before the first answer. */
  readonly readAt: Instant | null;
}

/** What the rules of the target require, as read at one moment. */
export type BranchRules = Pick<Target, 'requiredChecks' | 'digests'> & { readonly readAt: Instant };

/** An empty object if the branch is not a symbolic ref. */
export const symbolicRefOf = (branch: Pick<Target, 'symbolicRef'> | null): Pick<Target, 'symbolicRef'> =>
  branch?.symbolicRef === undefined ? {} : { symbolicRef: branch.symbolicRef };

const BRANCHES = 'refs/heads/';

/**
 * The branch that moves when the queue lands: the target, or the branch that it is an alias of. Null if it is no
 * branch.
 */
export const movedBranch = (branch: string, { symbolicRef }: Pick<Target, 'symbolicRef'>): string | null => {
  if (symbolicRef === undefined) return branch;
  return symbolicRef.startsWith(BRANCHES) ? symbolicRef.slice(BRANCHES.length) : null;
};

/** A pull request that lands, and the passed test run that verified it. */
export interface LandingMember extends Member {
  readonly verifiedBy: TestRunId;
}

/** A check that may fail on the bare tip, and the failed test run that is not charged to a pull request then. */
export interface Doubt {
  readonly check: string;
  readonly failedBy: TestRunId;
}

/**
 * What is known about a base commit on its own: the tip of the target, or an earlier one. If the base fails a check,
 * no pull request on top of it is failed for that check.
 */
export interface TipTrust {
  readonly head: Sha | null;
  /** Checks that a baseline run failed and that have not passed since. */
  readonly fails: readonly string[];
  /**
   * Checks that failed in one baseline run; it is repeated before that counts. Absent if there is none.
   */
  readonly failedOnce?: readonly string[];
  /**
   * `passes`: checks that passed on exactly this base or on top of it. `confirmed`: those of them that passed again
   * after a pull request had failed them.
   */
  readonly passes: readonly string[];
  readonly confirmed: readonly string[];
  /** Checks that a pull request failed on this base, each with the number of the first one. */
  readonly failedFor: Readonly<Record<string, number>>;
  /** `asked`: the checks to test on the bare base. `tries`: the baseline runs that gave no verdict. */
  readonly asked: readonly Doubt[];
  readonly tries: number;
  /**
   * `retryAt`: no baseline run before this. `skippedOnce`: checks that were skipped in the last baseline run that was
   * started for them. `unconfirmed`: those of `passes` without a success, here and in what has landed. Absent if there is none.
   */
  readonly retryAt?: Instant | null;
  readonly skippedOnce?: readonly string[];
  readonly unconfirmed?: readonly string[];
}

/** Max base commits for which this is kept, those updated last. Others are tested again if needed. */
export const KNOWN_BASES_LIMIT = 100;

/** No test run starts on a tip that was read longer ago than this, or than two poll intervals. */
export const TIP_FRESH_MS = 60_000;

export const noTrust = (head: Sha | null): TipTrust => ({
  head,
  fails: [],
  passes: [],
  confirmed: [],
  failedFor: {},
  asked: [],
  tries: 0,
});

/** The rules in force when a landing was decided. They may change before it is settled. */
export interface LandingTerms {
  readonly settingsVersion: number;
  readonly mergeMethod: MergeMethod;
  readonly required: RequiredChecks | null;
  readonly digests: Target['digests'];
}

/** A move of the target branch in progress. At most one per queue. */
export interface Landing {
  readonly effectId: EffectId;
  readonly runId: TestRunId;
  readonly onto: Sha;
  /** The pull requests that land, in order, as the last steps of `candidate`. Valid also if the test run is closed. */
  readonly members: readonly LandingMember[];
  readonly candidate: Candidate;
  readonly terms: LandingTerms;
  readonly startedAt: Instant;
}

/** The step of each member in the candidate. */
export const stepsOf = ({ candidate, members }: Landing): readonly Step[] =>
  candidate.steps.slice(candidate.steps.length - members.length);

/** A request that the host has not fulfilled so far. */
export interface HostTrouble {
  readonly effectId: EffectId;
  readonly message: string;
  readonly since: Instant;
  /** Set if retrying is useless until a person changes something; else absent. */
  readonly reach?: HostReach;
  /** Later requests that the host has not fulfilled either; absent if there are none. */
  readonly later?: readonly HostTrouble[];
}

/** Max of them that are kept; further ones are not recorded. */
export const HOST_TROUBLES_LIMIT = 10;

/** The oldest request that the host will never fulfil, for which the queue holds. Null while it does not hold. */
export const heldByTrouble = ({ hostTrouble }: Pick<Queue, 'hostTrouble'>): HostTrouble | null =>
  hostTrouble === null
    ? null
    : ([hostTrouble, ...(hostTrouble.later ?? [])].find(({ reach }) => reach !== undefined) ?? null);

/** Moves of the target by others than the queue, since its last landing. */
export interface MovingBase {
  /** Started test runs in a row that lost their base to such a move, and the time of the first. */
  readonly rebuilds: number;
  readonly rebuildsSince: Instant;
  readonly movedAt: Instant;
  /** Moves in a row that came faster than a test run ends, the time of the first, and whether there was an alarm. */
  readonly pushes: number;
  readonly pushesSince: Instant;
  readonly isAlarmed: boolean;
}

/** Max durations of passed test runs that are kept, the newest. */
export const TEST_DURATIONS_LIMIT = 20;

/** The message with which the host refused the last landing for good, or did not answer it in all its tries. */
export interface RefusedLanding {
  readonly words: string;
  readonly pr: number;
  readonly isUnanswered?: true;
  /** Since when the queue lands nothing because of it; null until another landing is refused with the same message. */
  readonly heldSince: Instant | null;
}

/** Settings, status and current data of a queue: one target branch of one repository. */
export interface Queue {
  readonly id: QueueId;
  readonly repo: RepoRef;
  readonly branch: string;
  readonly settings: QueueSettings;
  /** The number of changes of the settings, plus 1. */
  readonly settingsVersion: number;
  readonly wanted: WantedStatus;
  /** True while it drains and cancels every pull request without a test run. Always false in other states. */
  readonly cancelsPending: boolean;
  /** False while `bisectionConcurrency` still is the default from the queue's creation. */
  readonly isBisectionConcurrencySet: boolean;
  readonly statusReason: StatusReason | null;
  /**
   * If the queue paused itself, the state that its owner had requested, or has requested since; it is shown next to the
   * cause of the pause. Null if the owner wants it to run, or if the queue did not pause itself.
   */
  readonly askedFor: RequestedState | null;
  /** The mode to switch to once the submissions under test are decided; null if no change is in progress. */
  readonly nextMode: QueueMode | null;
  /**
   * The history sequence number at which the queue became parallel. Earlier submissions need no impacted targets:
   * without them they count as touching everything.
   */
  readonly lastBeforeParallel: number | null;
  readonly target: Target;
  /** The last known tip of a target that no longer exists; null while it exists, or if none is known. */
  readonly goneFrom: Sha | null;
  readonly tipTrust: TipTrust;
  /**
   * The same for former tips that were overtaken by landings of other lanes, while test runs on top of them can still
   * fail a pull request.
   */
  readonly groundTrust: readonly TipTrust[];
  /** True from a possible move of the target by others until it is read again. No pull request is failed meanwhile. */
  readonly isTipInDoubt: boolean;
  /** Null while test runs reach verdicts. */
  readonly infrastructureFailure: InfrastructureFailure | null;
  readonly landing: Landing | null;
  /** No landing before this; null if there is no such limit. */
  readonly landAfter: Instant | null;
  /** True after the host refused several at once: only the first of the line is landed until the next success. */
  readonly landsSingly: boolean;
  readonly polls: Polls;
  /** Null while the host fulfils all requests. */
  readonly hostTrouble: HostTrouble | null;
  /** Oldest first, at most `STANDSTILLS_LIMIT`. */
  readonly standstills: readonly Standstill[];
  /** Null while only the queue has moved the target since its last landing. */
  readonly movingBase: MovingBase | null;
  readonly adaptation: Adaptation;
  /** In milliseconds, newest last, at most `TEST_DURATIONS_LIMIT`. */
  readonly testDurations: readonly number[];
  /** Null unless a landing was refused for good since the last successful one. */
  readonly refusedLanding: RefusedLanding | null;
  /** Absent if this release has seen no landing yet. */
  readonly lastLandedAt?: Instant;
  /** Facts that only a later release understands, kept for a replica of that release during a rolling upgrade. */
  readonly notUnderstood: readonly Fact[];
  /** The required checks that were ever reported, at most `REPORTED_CHECKS_LIMIT`. */
  readonly reportedChecks: readonly string[];
  /** By required check: the last landed test run in which it succeeded; its flakes, absent before the first test run. */
  readonly lastSuccesses: Readonly<Record<string, TestRunId>>;
  readonly flakeCounts?: FlakeCounts;
  /** The last place number given to a submission that began testing. */
  readonly lastPlace: number;
  /** The head of the receipt chain. */
  readonly receipts: ChainHead;
  /** The last sequence number of the history. */
  readonly sequence: number;
  readonly createdAt: Instant;
  /** Null if unknown. */
  readonly createdBy: Actor | null;
  /** The time of the last decision. Decision times never decrease. */
  readonly decidedAt: Instant;
  /** The time of deletion; null for a live queue. A deleted queue accepts no commands. */
  readonly deletedAt: Instant | null;
}

/** Whether the queue paused itself because of something that a person has to check. */
export const isHalted = ({ wanted, statusReason }: Pick<Queue, 'wanted' | 'statusReason'>): boolean =>
  wanted === 'paused' && statusReason !== null && statusReason.code !== 'ASKED_FOR';

/** Max length of a status reason, by whatever author: what was read can be written back. */
export const STATUS_SENTENCE_LIMIT = 2_000;

/**
 * The status of a queue that pauses itself. If it had already done so, the first cause comes first. `BASE_BROKEN` takes
 * precedence, because the queue stands still for it and fails no pull request meanwhile.
 */
export const halted = (queue: Queue, statusReason: StatusReason) =>
  ({
    wanted: 'paused',
    statusReason: short(isHalted(queue) ? withBesides(queue.statusReason, statusReason) : statusReason),
    askedFor: isHalted(queue) ? queue.askedFor : askedForOf(queue),
  }) as const satisfies Partial<Queue>;

const BESIDES = ' Besides: ';
const NOTE = ' Its owner adds: ';

const withBesides = (first: StatusReason | null, next: StatusReason): StatusReason => {
  if (first === null) return next;
  const isBroken = next.code === 'BASE_BROKEN' && first.code !== 'BASE_BROKEN';
  if (isBroken) return { ...first, code: next.code, sentence: next.sentence + BESIDES + first.sentence };
  return first.sentence.includes(next.sentence)
    ? first
    : { ...first, sentence: first.sentence + BESIDES + next.sentence };
};

/** Adds the owner's remark to the reason of a queue that paused itself. */
export const withNote = (reason: StatusReason, note: string): StatusReason =>
  short({ ...reason, sentence: reason.sentence + NOTE + note });

/** Whether the status says this, alone or combined with other causes. */
export const mentions = ({ sentence }: StatusReason, said: string): boolean =>
  sentence === said ||
  [BESIDES, NOTE].some((word) => sentence.startsWith(said + word) || sentence.endsWith(word + said));

const short = (reason: StatusReason): StatusReason => ({
  ...reason,
  sentence: truncate(reason.sentence, STATUS_SENTENCE_LIMIT),
});

const askedForOf = ({ wanted, statusReason }: Queue): RequestedState | null =>
  wanted === 'running' ? null : { wanted, statusReason };

/** A pause takes precedence over a change of mode, and that over draining and running. */
export const statusOf = (queue: Pick<Queue, 'wanted' | 'nextMode'>): QueueStatus =>
  queue.wanted !== 'paused' && queue.nextMode !== null ? 'switching_modes' : queue.wanted;
