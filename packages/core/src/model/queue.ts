import type { Actor } from './actor.js';
import type { RequiredChecks } from './checks.js';
import type { EffectId, Instant, QueueId, Sha, TestRunId } from './ids.js';
import type { InfrastructureFailure } from './infrastructure-failure.js';
import type { Fact } from './input.js';
import type { HostReach } from './outcomes.js';
import type { ChainHead } from './receipt.js';
import type { RepoRef } from './repo.js';
import type { Candidate, Member, Step } from './run.js';
import type { MergeMethod, QueueMode, QueueSettings } from './settings.js';
import type { Standstill } from './standstill.js';
import { truncate } from './truncate.js';

export const queueStatuses = ['running', 'paused', 'draining', 'switching_modes'] as const;
export type QueueStatus = (typeof queueStatuses)[number];

/** What an owner may ask for; `switching_modes` is entered by itself. */
export const wantedStatuses = ['running', 'paused', 'draining'] as const;
export type WantedStatus = (typeof wantedStatuses)[number];

/** Stands where whoever asked for a state of the queue gave no reason. */
export const NO_REASON = 'No reason was given.';

/** Why the queue is in the state that was asked for, and who asked. */
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

/** A state of the queue that its owner asked for, and why; null where no reason is known. */
export interface RequestedState {
  readonly wanted: Exclude<WantedStatus, 'running'>;
  readonly statusReason: StatusReason | null;
}

/** What the host was last read to require of the target branch, and where its tip is. */
export interface Target {
  /** Null until it was read once, or while the branch does not exist. */
  readonly head: Sha | null;
  /** The checks that the branch's rules name; null where the host has no rule about checks. */
  readonly requiredChecks: readonly string[] | null;
  readonly exists: boolean;
  /** A digest of what each check does at present, by name, as far as the host knows. */
  readonly digests: Readonly<Record<string, string>>;
  /** The full name of the ref that the branch points at; absent where it is no symbolic ref. */
  readonly symbolicRef?: string;
  /** When the question was put; null before the first answer. */
  readonly readAt: Instant | null;
}

/** Nothing where the branch is no symbolic ref. */
export const symbolicRefOf = (branch: Pick<Target, 'symbolicRef'> | null): Pick<Target, 'symbolicRef'> =>
  branch?.symbolicRef === undefined ? {} : { symbolicRef: branch.symbolicRef };

const BRANCHES = 'refs/heads/';

/** The branch that moves when the queue lands: the target, or the one that it is an alias of. Null where that is no branch. */
export const movedBranch = (branch: string, { symbolicRef }: Pick<Target, 'symbolicRef'>): string | null => {
  if (symbolicRef === undefined) return branch;
  return symbolicRef.startsWith(BRANCHES) ? symbolicRef.slice(BRANCHES.length) : null;
};

/** One that lands, and the run whose passing vouches for it. */
export interface LandingMember extends Member {
  readonly verifiedBy: TestRunId;
}

/** A check that the tip may fail by itself, and the run whose failure is nobody's fault in that case. */
export interface Doubt {
  readonly check: string;
  readonly failedBy: TestRunId;
}

/** What is known of the tip of the target by itself, or of one of before: where it fails, nobody who stands on it is to blame. */
export interface TipTrust {
  readonly head: Sha | null;
  /** The checks that a test of it has failed, and none has passed since. */
  readonly fails: readonly string[];
  /** Those that one test of it has failed, which is repeated before that counts; absent in rows of an earlier release. */
  readonly failedOnce?: readonly string[];
  /** The checks that passed for exactly this tip or for what stands on it, and those of them that passed again after somebody had failed them. */
  readonly passes: readonly string[];
  readonly confirmed: readonly string[];
  /** The checks that somebody failed on this tip, each with the first one's number. */
  readonly failedFor: Readonly<Record<string, number>>;
  /** What the tip itself has to be tested for before anybody is blamed, and the tries that came to nothing. */
  readonly asked: readonly Doubt[];
  readonly tries: number;
  /**
   * No test of it before `retryAt`. Baseline runs in a row in which a check was skipped, and those of `passes` that were only
   * ever skipped, here and in what has landed. Absent where there is none.
   */
  readonly retryAt?: Instant | null;
  readonly skips?: number;
  readonly unconfirmed?: readonly string[];
}

/** Of more commits than this only what was learnt last is kept; of the others it is asked again. */
export const GROUNDS_LIMIT = 100;

/** A run is not begun on a tip that was read longer ago than this, or than two intervals. */
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

/** The rules by which a landing was judged when it was decided: they may change before it is settled. */
export interface LandingTerms {
  readonly settingsVersion: number;
  readonly mergeMethod: MergeMethod;
  readonly required: RequiredChecks | null;
  readonly digests: Target['digests'];
}

/** One move of the target branch under way. At most one per queue. */
export interface Landing {
  readonly effectId: EffectId;
  readonly runId: TestRunId;
  readonly onto: Sha;
  /** What lands, in order, and the candidate whose last steps they are: whatever becomes of the run, this is settled. */
  readonly members: readonly LandingMember[];
  readonly candidate: Candidate;
  readonly terms: LandingTerms;
  readonly startedAt: Instant;
}

/** What each of its members became in the candidate. */
export const stepsOf = ({ candidate, members }: Landing): readonly Step[] =>
  candidate.steps.slice(candidate.steps.length - members.length);

/**
 * A question that is put to the host again and again. `asked` is the wish under way; an answer to any other is stale. Where
 * there is more to ask after than one question holds, it is put in parts, one right after the other.
 */
export interface Poll {
  readonly asked: EffectId | null;
  /** The number of the pull request up to which a part has been asked after, others following; null where that is all. */
  readonly upTo: number | null;
  readonly askedAt: Instant;
  readonly dueAt: Instant;
  /** True where something happened after it was asked: then it is asked again as soon as it has been answered whole. `isHinted` where the host said so, and it was not asked since. */
  readonly again: boolean;
  readonly isHinted?: boolean;
}

/** What the host has failed to do, for as long as it has not answered that. */
export interface HostTrouble {
  readonly effectId: EffectId;
  readonly message: string;
  readonly since: Instant;
  /** Set where it never will until a person changes something; absent otherwise. */
  readonly reach?: HostReach;
  /** What it failed to do after that, and has not answered either; absent where there is nothing. */
  readonly later?: readonly HostTrouble[];
}

/** So many of those are kept; of more nobody is told. */
export const HOST_TROUBLES_LIMIT = 10;

/** What the queue holds for: the oldest that the host never answers. Null while it does not hold. */
export const heldByTrouble = ({ hostTrouble }: Pick<Queue, 'hostTrouble'>): HostTrouble | null =>
  hostTrouble === null
    ? null
    : ([hostTrouble, ...(hostTrouble.later ?? [])].find(({ reach }) => reach !== undefined) ?? null);

/** How the target is moved by others than the queue, since its last landing. */
export interface MovingBase {
  /** Test runs in a row that were begun and lost their base to such a move, and since when. */
  readonly rebuilds: number;
  readonly rebuildsSince: Instant;
  readonly movedAt: Instant;
  /** Moves in a row that came faster than a test run ends, since when, and whether an alarm has said so. */
  readonly pushes: number;
  readonly pushesSince: Instant;
  readonly isAlarmed: boolean;
}

/** Durations of passed test runs that are kept, the newest. */
export const TEST_DURATIONS_LIMIT = 20;

/** The words with which the last landing was refused for good, and since when the queue lands nothing else because of them. */
export interface RefusedLanding {
  readonly words: string;
  readonly pr: number;
  /** Null until the next landing is refused with the same words. */
  readonly heldSince: Instant | null;
}

export interface Polls {
  readonly branch: Poll;
  readonly pullRequests: Poll;
  readonly checks: Poll;
}

/** Settings, status and tip of one target branch of one repository. */
export interface Queue {
  readonly id: QueueId;
  readonly repo: RepoRef;
  readonly branch: string;
  readonly settings: QueueSettings;
  /** Counts the changes of the settings, from 1. */
  readonly settingsVersion: number;
  readonly wanted: WantedStatus;
  /** True while it drains and cancels every pull request without a test run. False in any other state. */
  readonly cancelsPending: boolean;
  /** False while `bisectionConcurrency` is the default of the queue's creation. */
  readonly isBisectionConcurrencySet: boolean;
  readonly statusReason: StatusReason | null;
  /**
   * What its owner had asked for when the queue stopped by itself, or has asked for since: it is told beside what stopped it.
   * Null where that is to run, and in a queue that has not stopped by itself.
   */
  readonly askedFor: RequestedState | null;
  /** The mode that is to be entered once what is in a run has settled; null when no change is under way. */
  readonly nextMode: QueueMode | null;
  /**
   * How far the history had come when the queue became parallel. Who was submitted before that needs no impacted targets:
   * without them it counts as touching everything.
   */
  readonly lastBeforeParallel: number | null;
  readonly target: Target;
  /** The last tip that is known of a target that is not there; null while it is, and where none is known. */
  readonly goneFrom: Sha | null;
  readonly tipTrust: TipTrust;
  /** The same of commits that others have landed beside since they were the tip, for as long as somebody may be blamed for a run on top of them. */
  readonly groundTrust: readonly TipTrust[];
  /** True from the time somebody may have moved the target until it was read since: nobody is blamed meanwhile. */
  readonly isTipInDoubt: boolean;
  /** Null while runs come to verdicts. */
  readonly infrastructureFailure: InfrastructureFailure | null;
  readonly landing: Landing | null;
  /** Nothing lands before this; null when nothing holds it back. */
  readonly landAfter: Instant | null;
  /** After the host refused several at once: until the next success only the first in line is landed. */
  readonly landsSingly: boolean;
  readonly polls: Polls;
  /** Null while the host does what it is asked. */
  readonly hostTrouble: HostTrouble | null;
  /** Oldest first, at most `STANDSTILLS_LIMIT`. */
  readonly standstills: readonly Standstill[];
  /** Null while nobody but the queue has moved the target since its last landing. */
  readonly movingBase: MovingBase | null;
  /** In milliseconds, newest last, at most `TEST_DURATIONS_LIMIT`. */
  readonly testDurations: readonly number[];
  /** Null while no landing was refused for good since the last one that landed. */
  readonly refusedLanding: RefusedLanding | null;
  /** Facts that only a later version understands: kept for a replica of that version, while two work side by side. */
  readonly notUnderstood: readonly Fact[];
  /** The required checks that any run has ever shown, at most `REPORTED_CHECKS_LIMIT`. */
  readonly reportedChecks: readonly string[];
  /** By required check, the last landed test run that succeeded in it. */
  readonly lastSuccesses: Readonly<Record<string, TestRunId>>;
  /** The last place given to a submission that began testing. */
  readonly lastPlace: number;
  /** The chain of receipts, as far as it has come. */
  readonly receipts: ChainHead;
  /** The last sequence number of the history. */
  readonly sequence: number;
  readonly createdAt: Instant;
  /** Null where that is not known. */
  readonly createdBy: Actor | null;
  /** When the last decision was made. No decision is made before it. */
  readonly decidedAt: Instant;
  /** Set when the queue was deleted; such a queue takes no commands. */
  readonly deletedAt: Instant | null;
}

/** True of a queue that has stopped by itself because of something that a person has to look at. */
export const isHalted = ({ wanted, statusReason }: Pick<Queue, 'wanted' | 'statusReason'>): boolean =>
  wanted === 'paused' && statusReason !== null && statusReason.code !== 'ASKED_FOR';

/** The reason for a status is not longer than this, whoever gives it: what was read can be written back. */
export const STATUS_SENTENCE_LIMIT = 2_000;

/**
 * A queue that stops by itself, and what its owner had asked for. What it has stopped for before is told first, except where
 * its target is broken: that is told first, and is what the queue stands still for, since nobody is blamed meanwhile.
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

/** What its owner says of a queue that has stopped by itself, without asking for anything, is told after that. */
export const withNote = (told: StatusReason, note: string): StatusReason =>
  short({ ...told, sentence: told.sentence + NOTE + note });

/** True of what the queue tells, and of what it told before it had more to tell. */
export const mentions = ({ sentence }: StatusReason, said: string): boolean =>
  sentence === said ||
  [BESIDES, NOTE].some((word) => sentence.startsWith(said + word) || sentence.endsWith(word + said));

const short = (reason: StatusReason): StatusReason => ({
  ...reason,
  sentence: truncate(reason.sentence, STATUS_SENTENCE_LIMIT),
});

const askedForOf = ({ wanted, statusReason }: Queue): RequestedState | null =>
  wanted === 'running' ? null : { wanted, statusReason };

/** A pause wins over a change of mode; a change of mode over draining and running. */
export const statusOf = (queue: Pick<Queue, 'wanted' | 'nextMode'>): QueueStatus =>
  queue.wanted !== 'paused' && queue.nextMode !== null ? 'switching_modes' : queue.wanted;
