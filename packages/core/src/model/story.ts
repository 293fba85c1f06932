import type { Outcome } from './checks.js';
import type { Instant, TestRunId } from './ids.js';
import type { ReasonCode } from './reasons.js';
import type { CloseCause } from './run.js';
import type { SubmissionState } from './submission.js';

/** How a move is told, by the state that was entered; `again` where it was sent back to wait, `untested` where it then needed no test. */
export const turnings = {
  not_ready: '{it} was submitted by {actor}.',
  pending: '{it} joined the line{after}: {reason}{run}.',
  again: '{it} was sent back to wait{after}: {reason}{run}.',
  testing: 'The tests of {it} began{after}: {reason}{run}.',
  untested: '{it} had its turn{after}: a slot was free{run}.',
  tests_passed: '{it} passed{after}: {reason}{run}.',
  pending_failure:
    'The tests of {it} failed{after}, and whose fault that was had to be found out: {reason}{run}.',
  merged: '{it} was merged{after}: {reason}{run}.',
  failed: '{it} failed{after}: {reason}{run}.',
  cancelled: '{it} was cancelled by {actor}{after}: {reason}{run}.',
} as const satisfies Record<SubmissionState | 'again' | 'untested', string>;

/** How it is told that one stood aside, since it could not be merged any more, and that it came back. */
export const asides = {
  aside: '{it} stood aside: {lack}.',
  back: '{it} could be merged again{after}.',
} as const;

/** How it is told that the code host did not build or land what holds one, and that it comes again. */
export const PUT_OFF = '{it} was put off: {reason}.';

/** Why the queue let go of a run, as people read it. */
export const closings = {
  landed: 'what it tested was landed',
  superseded:
    'what it tested is not what is to be tested now: others stand ahead of it or are tested with it, other rules hold, or it cannot be built',
  vouched_for: 'a run behind it, which holds what it tests, has passed',
  interrupted: 'an urgent one took its slot',
  not_built: 'what it was to test could not be put together',
  queue_deleted: 'the queue was deleted',
  judged: 'what it showed was taken in',
  member_left: 'one that it tested left the queue',
  target_moved: 'the target branch was moved',
  restarted: 'somebody asked for the tests to be run again',
  tests_incomplete: 'the required checks changed and it does not cover them',
  not_landed: 'the code host did not land it',
  isolated: 'nothing more could be learnt from it about who of the batch is to blame',
  isolation_skipped: 'what its batch had failed was skipped in a part of it: that part is tested one by one',
  isolation_inconclusive: 'its batch then passed: whoever has not passed is tested alone',
  isolation_limit:
    'no more tests may be made to find the one to blame: whoever has not passed is tested alone',
  isolation_interrupted: 'parts of its batch could not be tested: whoever has not passed is tested alone',
} as const satisfies Record<CloseCause, string>;

/** Why the queue let go of a test of the target before its end, as people read it. */
export const CALLED_OFF = 'nobody is to be blamed any more for what it was to make sure of';

/** What a run came to, as people read it; `{took}` is how long that took, `{check}` the check that decided, with what it said. */
export const endings = {
  passed: 'passed{took}',
  failed: 'failed{took}{check}',
  timed_out: 'came to no verdict in time{took}{check}',
  cancelled: 'was cancelled by the CI{took}{check}',
  infrastructure: 'could not be tested{took}{check}, because of the infrastructure',
} as const satisfies Record<Outcome, string>;

/** The same of a run that passed without any check begun for it: what it needs had passed for its tree, or nothing is needed. */
export const PASSED_UNTESTED = 'passed at once, as nothing was left to be tested';

/** The same of a run that tests nothing and only puts together what has passed. */
export const COMPOSED = 'was put together';

/** How a stay in a state is told once it is over. */
export const stays = {
  not_ready: 'not ready',
  pending: 'in line',
  testing: 'under test',
  pending_failure: 'while it was not known whose fault a failure was',
  tests_passed: 'waiting to land',
} as const satisfies Partial<Record<SubmissionState, string>>;

/** One thing that happened to a submission in an attempt. */
export interface Turning {
  readonly at: Instant;
  /** Null where it did not change its state: a run ended, or somebody asked for something. */
  readonly state: SubmissionState | null;
  readonly reason: ReasonCode | null;
  readonly runId: TestRunId | null;
  readonly sentence: string;
}

/** What became of a submission in one attempt and why, as far as history holds it. */
export interface AttemptStory {
  readonly attempt: number;
  /** The last state that is on record. */
  readonly state: SubmissionState;
  readonly startedAt: Instant;
  /** Null while the attempt is live. */
  readonly endedAt: Instant | null;
  /** What it came to, and how long it waited for what: one sentence. */
  readonly sentence: string;
  /** What can be done now that it has ended: one sentence. Null while the attempt is live: `waiting` tells that. */
  readonly remedy: string | null;
  /** How long it was in each state that it has left. */
  readonly spentMs: Readonly<Partial<Record<SubmissionState, number>>>;
  /** Oldest first. */
  readonly turnings: readonly Turning[];
}
