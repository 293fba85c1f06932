import type { Outcome } from './checks.js';
import type { Instant, TestRunId } from './ids.js';
import type { ReasonCode } from './reasons.js';
import type { CloseCause } from './run.js';
import type { SubmissionState } from './submission.js';

/** Sentences for changes of state, by the new state. `again`: it was requeued. `untested`: it got a slot and needed no test. */
export const moveSentences = {
  not_ready: '{it} was submitted by {actor}.',
  pending: '{it} joined the queue{after}: {reason}{run}.',
  again: '{it} was requeued{after}: {reason}{run}.',
  testing: 'The tests of {it} started{after}: {reason}{run}.',
  untested: '{it} got a test slot{after}{run}.',
  tests_passed: '{it} passed{after}: {reason}{run}.',
  pending_failure: 'The tests of {it} failed{after}; the culprit was not known yet: {reason}{run}.',
  merged: '{it} was merged{after}: {reason}{run}.',
  failed: '{it} failed{after}: {reason}{run}.',
  cancelled: '{it} was cancelled by {actor}{after}: {reason}{run}.',
} as const satisfies Record<SubmissionState | 'again' | 'untested', string>;

/** Sentences for a pull request that was put on hold because it could not be merged any more, and for its return. */
export const holdSentences = {
  aside: '{it} was put on hold: {lack}.',
  back: '{it} could be merged again{after}.',
} as const;

/** The code host could not build or land a candidate with this pull request; the queue retries. */
export const DELAYED = '{it} was delayed: {reason}.';

/** Why a test run was closed, as the end of a sentence. */
export const closeSentences = {
  landed: 'what it tested was merged',
  superseded:
    'what has to be tested has changed: the pull requests ahead of it or in its batch, the settings, or it can no longer be built',
  vouched_for: 'a test run behind it that includes what it tests has passed',
  interrupted: 'an urgent pull request preempted it',
  not_built: 'its commit could not be built',
  queue_deleted: 'the queue was deleted',
  judged: 'its result was evaluated',
  member_left: 'a pull request that it tested left the queue',
  target_moved: 'the target branch was moved',
  restarted: 'a user restarted the tests',
  tests_incomplete: 'the required checks changed, and it does not cover them',
  not_landed: 'the code host did not merge it',
  isolated: 'it could not narrow down the culprit of the batch any further',
  isolation_skipped:
    'the check that its batch failed was skipped in a test of the bisection, so that each pull request of that part is tested alone',
  isolation_inconclusive:
    'its batch then passed, so that each pull request that has not passed is tested alone',
  isolation_limit:
    'the bisection has reached its limit of tests, so that each pull request that has not passed is tested alone',
  isolation_interrupted:
    'parts of its batch could not be tested, so that each pull request that has not passed is tested alone',
} as const satisfies Record<CloseCause, string>;

/** Why a baseline run was cancelled, as the end of a sentence. */
export const BASELINE_CANCELLED = 'no failure depends on its result any more';

/** Outcomes of a test run, as parts of a sentence. `{took}` is the duration, `{check}` the check that decided and its summary. */
export const outcomeSentences = {
  passed: 'passed{took}',
  failed: 'failed{took}{check}',
  timed_out: 'timed out{took}{check}',
  cancelled: 'was cancelled by the CI{took}{check}',
  infrastructure: 'had an infrastructure failure{took}{check}',
} as const satisfies Record<Outcome, string>;

/** Outcome of a test run that started no check: all it needs had passed for the same tree, or no check is required. */
export const PASSED_UNTESTED = 'passed at once, as nothing was left to test';

/** Outcome of a run that tests nothing and only builds one commit of what has passed. */
export const COMPOSED = 'was built';

/** Names of the states in a list of durations. */
export const stateNames = {
  not_ready: 'not ready',
  pending: 'waiting in the queue',
  testing: 'under test',
  pending_failure: 'waiting for the verdict on a failure',
  tests_passed: 'waiting to merge',
} as const satisfies Partial<Record<SubmissionState, string>>;

/** One event in an attempt of a submission. */
export interface StoryEvent {
  readonly at: Instant;
  /** Null if the event did not change the state: a test run ended, or a user requested something. */
  readonly state: SubmissionState | null;
  readonly reason: ReasonCode | null;
  readonly runId: TestRunId | null;
  readonly sentence: string;
}

/** The course of one attempt of a submission, as far as its history is kept. */
export interface AttemptStory {
  readonly attempt: number;
  /** The last recorded state. */
  readonly state: SubmissionState;
  readonly startedAt: Instant;
  /** Null while the attempt is live. */
  readonly endedAt: Instant | null;
  /** The result or the current state, then the number of test runs and the time in each state. */
  readonly sentence: string;
  /** What a user can do after the end. Null while the attempt is live: see `Waiting.remedy`. */
  readonly remedy: string | null;
  /** Milliseconds in each state that it has left. */
  readonly spentMs: Readonly<Partial<Record<SubmissionState, number>>>;
  /** Oldest first. */
  readonly events: readonly StoryEvent[];
}
