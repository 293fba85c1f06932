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

/** Every legal move within an attempt. A terminal state is left only by a new attempt. */
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

/** The commit that a submission became on the target. */
export interface Landed {
  readonly commit: Sha;
  readonly tree: string;
  /** The tip of the target after the move that brought it. */
  readonly head: Sha;
  readonly at: Instant;
}

/** On which the host failed, and how often. */
export interface CountedFault extends PullRequestFault {
  readonly tries: number;
  /** When the host is asked again; null once it has answered. */
  readonly retryAt: Instant | null;
  /** True while no candidate is built of it, because one could not be. */
  readonly isAside: boolean;
}

/** A pull request's place in one queue. `id` is the same for ever; each stay in the queue is an attempt. */
export interface Submission {
  readonly id: SubmissionId;
  readonly pr: number;
  /** Counts the stays, from 1. */
  readonly attempt: number;
  readonly state: SubmissionState;
  readonly stateSince: Instant;
  readonly reason: ReasonCode | null;
  /** One more sentence about `reason`, e.g. which check failed; null where the code says it all. */
  readonly reasonDetail: string | null;
  readonly submittedAt: Instant;
  /** The number of that in the history of the queue: it tells apart what happened within one millisecond. */
  readonly submittedRank: number;
  readonly submittedBy: Actor;
  /** True once it has lacked more, in this attempt, than the host's word on whether it can be merged. */
  readonly wasIncomplete: boolean;
  /** Its arrival, when it was admitted to the line; when it was submitted, unless `wasIncomplete`. Null while it is not ready. */
  readonly admittedAt: Instant | null;
  /** The number of its arrival in the history of the queue; null before. */
  readonly admittedRank: number | null;
  /** The head that this attempt tests and lands. Follows pushes only while not ready. */
  readonly head: Sha;
  readonly pull: PullRequest;
  readonly priority: Priority;
  readonly skipTheLine: boolean;
  readonly noBatch: boolean;
  readonly forceEnqueued: boolean;
  /** Its position among those whose tests have begun; null before, and after it was sent back to wait its turn. */
  readonly place: number | null;
  /** The number of its batch, which no other has: those of one number are tested together. Null while it has no place. */
  readonly batch: number | null;
  /** True while one that is tested together with it is urgent, and it goes first with that one. */
  readonly goesWithUrgent: boolean;
  /** When the first of its tests in this attempt was begun; null before. */
  readonly begunAt: Instant | null;
  /** True where it is tested alone for the rest of the attempt, because its batch came to no clear verdict. */
  readonly alone: boolean;
  /** The run whose failure one more run is to confirm; null without one. */
  readonly suspectedBy: TestRunId | null;
  /** What it failed in that run, in one line; null without one, and where there is nothing to say. */
  readonly suspectedDetail: string | null;
  /** The checks that it failed in that run: only a success of each acquits it. Empty without one. */
  readonly suspectedChecks: readonly string[];
  /** The undecided submission ahead that it conflicts with, or that already holds its change; null without one. */
  readonly heldBy: SubmissionId | null;
  /** Since when it stands aside because it lost its readiness after it was admitted; null while it is ready. */
  readonly asideSince: Instant | null;
  /** Since when the host has not known the pull request; null while it does. */
  readonly missingSince: Instant | null;
  /** What the host failed on in this attempt, and for this pull request alone; null where it does not. */
  readonly fault: CountedFault | null;
  /** True once it was asked for after the grace time as well, and the host still had nothing of it. */
  readonly isGone: boolean;
  /** Taken when its tests began, so that each run of it gives the same commit; null before, and where it is taken anew. */
  readonly message: CommitMessage | null;
  /** Tests repeated after an infrastructure or cancelled outcome, in this attempt. */
  readonly retries: number;
  /** True once a test without a verdict was repeated at no charge, since what it stood on was undecided. */
  readonly isRepeated: boolean;
  /** How often a check of its tests was seen to run again after they had passed, in this attempt. */
  readonly reruns: number;
  /** No new run before this or, of one who has passed, no landing; null when it need not hold back. */
  readonly retryAt: Instant | null;
  /** How often in a row the code host had it come later: for its candidate, or for its landing. */
  readonly timesPutOff: number;
  /** How often in this attempt the code host answered its landing with "wait", and since when; null where it never did. */
  readonly refusedLandings: { readonly tries: number; readonly since: Instant } | null;
  /** The run whose failure holds or ended it; null without one. */
  readonly failedRunId: TestRunId | null;
  /** What the queue landed it as, in this attempt or an earlier one; null where it never did. */
  readonly landed: Landed | null;
  /** The run whose passing vouched for it when it landed; null where its own checks did, and unless the queue landed it. */
  readonly verifiedBy: TestRunId | null;
}

/** Gathered once, as it is asked of every row again and again. */
const ended: ReadonlySet<SubmissionState> = new Set(
  submissionStates.filter((state) => moves[state].length === 0),
);

export const isLive = ({ state }: Submission): boolean => !ended.has(state);

/** True from admission to the end of the attempt. */
export const isAdmitted = (submission: Submission): boolean =>
  isLive(submission) && submission.state !== 'not_ready';

/** Urgent ones go ahead of everybody who is still waiting. */
export const isUrgent = (submission: Pick<Submission, 'skipTheLine' | 'priority'>): boolean =>
  submission.skipTheLine || submission.priority.value === 0;

/** Urgent, or under test together with one that is: nobody else stands before it in line. */
export const goesFirst = (
  submission: Pick<Submission, 'skipTheLine' | 'priority' | 'goesWithUrgent'>,
): boolean => isUrgent(submission) || submission.goesWithUrgent;

/** What it is ordered by: `skipTheLine` is urgent, and wins over a priority given with it. */
export const priorityInForce = (submission: Submission): Priority =>
  isUrgent(submission) ? { value: priorityClasses.urgent, named: true } : submission.priority;
