import type { Actor } from './actor.js';
import type { CommitMessage } from './commit-message.js';
import type { Instant, Sha, SubmissionId, TestRunId } from './ids.js';
import { type Priority, priorityClasses } from './priority.js';
import type { PullRequest, PullRequestFault } from './pull-request.js';
import type { ReasonCode } from './reasons.js';

export const submissionStates = [
  'not_ready',
  'pending',
  'testing',
  'tests_passed',
  'pending_failure',
  'merged',
  'failed',
  'cancelled',
] as const;
export type SubmissionState = (typeof submissionStates)[number];

/** The legal moves within an attempt. Only a new attempt leaves a terminal state. */
export const moves = {
  not_ready: ['pending', 'merged', 'failed', 'cancelled'],
  pending: ['testing', 'tests_passed', 'merged', 'failed', 'cancelled'],
  testing: ['tests_passed', 'pending_failure', 'pending', 'merged', 'failed', 'cancelled'],
  tests_passed: ['testing', 'merged', 'pending', 'failed', 'cancelled'],
  pending_failure: ['tests_passed', 'pending', 'merged', 'failed', 'cancelled'],
  merged: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<SubmissionState, readonly SubmissionState[]>;

export const terminalStates = ['merged', 'failed', 'cancelled'] as const satisfies readonly SubmissionState[];
export const liveStates = [
  'not_ready',
  'pending',
  'testing',
  'tests_passed',
  'pending_failure',
] as const satisfies readonly SubmissionState[];

/** The commit that a submission became on the target branch. */
export interface Landed {
  readonly commit: Sha;
  readonly tree: string;
  /** The tip of the target after the move. */
  readonly head: Sha;
  readonly at: Instant;
}

/** The host's failure on a pull request, with the number of tries. */
export interface CountedFault extends PullRequestFault {
  readonly tries: number;
  /** When the host is asked again; null once it has answered. */
  readonly retryAt: Instant | null;
  /** True while no candidate is built from it, because building one failed. */
  readonly isAside: boolean;
}

/** Landings that did not happen although nothing had changed: how many, since when, and when the last one was. */
export interface Refusals {
  readonly tries: number;
  readonly since: Instant;
  /** Absent in rows of an earlier release. */
  readonly last?: Instant;
  /** True once others are tried before it, because the host answered none of its landings. Then the count never ends. */
  readonly isBehind?: true;
}

/**
 * Refusals by what they were about: one pull request, its batch, or several lanes. Absent if there was none.
 * `unanswered`: landings of it alone that the host did not answer.
 */
export interface RefusedLandings {
  readonly one?: Refusals;
  readonly unanswered?: Refusals;
  readonly batch?: Refusals;
  readonly several?: Refusals;
}

/** A pull request in one queue. `id` never changes; each stay in the queue is an attempt. */
export interface Submission {
  readonly id: SubmissionId;
  readonly pr: number;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  readonly state: SubmissionState;
  readonly stateSince: Instant;
  readonly reason: ReasonCode | null;
  /** More details on `reason`, e.g. which check failed; null if there are none. */
  readonly reasonDetail: string | null;
  readonly submittedAt: Instant;
  /** The history sequence number of the submission. Orders events within one millisecond. */
  readonly submittedRank: number;
  readonly submittedBy: Actor;
  /** True once this attempt lacked something else than the host's mergeability. */
  readonly wasIncomplete: boolean;
  /**
   * The arrival time in the line: the admission if `wasIncomplete`, else the time of submission. Null while not ready.
   */
  readonly admittedAt: Instant | null;
  /** The history sequence number of the arrival; null before. */
  readonly admittedRank: number | null;
  /** The head that this attempt tests and lands. Follows pushes only while not ready. */
  readonly head: Sha;
  readonly pull: PullRequest;
  readonly priority: Priority;
  readonly skipTheLine: boolean;
  readonly noBatch: boolean;
  readonly forceEnqueued: boolean;
  /** Its position among submissions whose tests have begun; null before that, and after it was requeued. */
  readonly place: number | null;
  /** The id of its batch: submissions with the same number are tested together. Null while it has no place. */
  readonly batch: number | null;
  /** True while it goes first because an urgent one is in its batch. */
  readonly goesWithUrgent: boolean;
  /** When its first test run in this attempt was created; null before. */
  readonly begunAt: Instant | null;
  /** True if it is tested alone for the rest of the attempt, because its batch reached no clear verdict. */
  readonly alone: boolean;
  /** The failed test run that one more test run is to confirm; null if there is none. */
  readonly suspectedBy: TestRunId | null;
  /** The base that it failed on. Absent or null if there is none. */
  readonly suspectedOn?: Sha | null;
  /** Why that test run failed. Absent or null if a check failed in it, or if there is none. */
  readonly suspectedReason?: 'TEST_RUN_TIMEOUT' | null;
  /** What failed in that test run, in one line; null if there is none or nothing to say. */
  readonly suspectedDetail: string | null;
  /**
   * How many of its failures in a row are to be confirmed. Zero if its failure does not count, because its stack lacked
   * something that this stack builds on. Absent counts as one.
   */
  readonly suspicions?: number;
  /** The checks that failed in that test run: only a success of each clears it. Empty if there is none. */
  readonly suspectedChecks: readonly string[];
  /**
   * The undecided submission ahead that it conflicts with, or that contains its change already; null if there is none.
   */
  readonly heldBy: SubmissionId | null;
  /** Since when it is on hold because it is not mergeable any more; null while it is ready. */
  readonly asideSince: Instant | null;
  /** Since when the host does not know the pull request; null while it does. */
  readonly missingSince: Instant | null;
  /** The host's failure on this pull request alone in this attempt; null if there is none. */
  readonly fault: CountedFault | null;
  /** True once it was read again after the grace time and the host still did not know it. */
  readonly isGone: boolean;
  /**
   * Fixed when its tests begin, so that each rebuild gives the same commit. Null before, and when it has to be taken
   * from the pull request again.
   */
  readonly message: CommitMessage | null;
  /** Test runs retried in this attempt after an infrastructure failure or a cancellation. */
  readonly retries: number;
  /**
   * True if its last test run without a verdict was repeated without using the retry budget: its stack was undecided,
   * or the queue had not asked for the re-run.
   */
  readonly isRepeated: boolean;
  /** How often in this attempt a check was seen to rerun after its tests had passed. */
  readonly reruns: number;
  /** No new test run and, once passed, no landing before this; null if there is no such limit. */
  readonly retryAt: Instant | null;
  /** How often in a row the host did not build or land its candidate for now. */
  readonly timesPutOff: number;
  /** The refused landings of this attempt; null if there was none. */
  readonly refusedLandings: RefusedLandings | null;
  /** The test run whose failure is pending or ended it; null if there is none. */
  readonly failedRunId: TestRunId | null;
  /** The commit that the queue landed it as, in this or an earlier attempt; null if never. */
  readonly landed: Landed | null;
  /** The passed test run that it landed on; null if its own checks counted, or if the queue did not land it. */
  readonly verifiedBy: TestRunId | null;
}

// Computed once: `isLive` is called for every row, often.
const ended: ReadonlySet<SubmissionState> = new Set(
  submissionStates.filter((state) => moves[state].length === 0),
);

export const isLive = ({ state }: Submission): boolean => !ended.has(state);

/** Whether it is between admission and the end of the attempt. */
export const isAdmitted = (submission: Submission): boolean =>
  isLive(submission) && submission.state !== 'not_ready';

/** Urgent submissions go ahead of all that wait. */
export const isUrgent = (submission: Pick<Submission, 'skipTheLine' | 'priority'>): boolean =>
  submission.skipTheLine || submission.priority.value === 0;

/** Urgent, or tested together with an urgent one: ahead of all others in the line. */
export const goesFirst = (
  submission: Pick<Submission, 'skipTheLine' | 'priority' | 'goesWithUrgent'>,
): boolean => isUrgent(submission) || submission.goesWithUrgent;

/** The effective priority: `skipTheLine` is urgent, whatever priority was given with it. */
export const priorityInForce = (submission: Submission): Priority =>
  isUrgent(submission) ? { value: priorityClasses.urgent, named: true } : submission.priority;
