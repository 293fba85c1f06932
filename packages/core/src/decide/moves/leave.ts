import { mayBeginFor, mayFinish } from '../../model/gates.js';
import type { SubmissionId, TestRunId } from '../../model/ids.js';
import { statusOf } from '../../model/queue.js';
import type { ReasonCode } from '../../model/reasons.js';
import type { CloseCause } from '../../model/run.js';
import { isLive, type Landed, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import type { Because } from '../draft/history-rows.js';
import { isProven } from '../line/proof.js';
import { adaptToCulprit, adaptToMerge } from './adapt.js';

type Terminal = 'merged' | 'failed' | 'cancelled';

/** Ends an attempt. Closes its test runs and requeues the other members of their batches. */
export const leave = (draft: Draft, submission: Submission, to: Terminal, because: Because): Submission => {
  const batchMates = closeRunsOf(draft, submission, 'member_left');
  const ended = endAttempt(draft, submission, to, because);
  for (const batchMate of batchMates)
    requeueUnlessTested(draft, batchMate, { reason: reasonForBatchMates[to], detail: `#${submission.pr}` });
  return ended;
};

/** Ends an attempt that this queue has landed. Its runs have been updated for the landing already. */
export const leaveMerged = (
  draft: Draft,
  submission: Submission,
  because: Because,
  result: { readonly landed: Landed; readonly verifiedBy: TestRunId | null },
): Submission => endAttempt(draft, submission, 'merged', because, result);

const endAttempt = (
  draft: Draft,
  submission: Submission,
  to: Terminal,
  because: Because,
  result: Partial<Pick<Submission, 'landed' | 'verifiedBy'>> = {},
): Submission => {
  if (result.landed != null) adaptToMerge(draft, submission.pr);
  if (to === 'failed' && testFailures.has(because.reason)) adaptToCulprit(draft);
  return draft.move(submission, to, because, {
    ...withoutPlace,
    heldBy: null,
    retryAt: null,
    asideSince: null,
    ...result,
  });
};

/** The reasons with which a pull request fails by its own fault. */
const testFailures: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'TEST_RUN_REQUIRED_STATUS_FAILED',
  'TEST_RUN_TIMEOUT',
  'TEST_RUN_FAILED_BY_OPTIMIZATION',
]);

/** Closes all runs that test the submission. Returns the other live members of these runs. */
export const closeRunsOf = (
  draft: Draft,
  submission: Submission,
  cause: CloseCause,
): readonly SubmissionId[] => {
  const runs = draft.runsOf(submission);
  for (const run of runs) draft.closeRun(run, cause);
  const members = runs.flatMap((run) => draft.membersOf(run)).map(({ id }) => id);
  return [...new Set(members)].filter((id) => id !== submission.id);
};

const reasonForBatchMates = {
  merged: 'PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED',
  failed: 'PREREQUISITE_MERGE_ITEM_FAILED',
  cancelled: 'PREREQUISITE_MERGE_ITEM_CANCELLED',
} as const satisfies Record<Terminal, ReasonCode>;

/** Requeues a submission in its place, unless another run still tests it or has proven it. */
export const requeueUnlessTested = (draft: Draft, id: SubmissionId, because: Because): void => {
  const submission = draft.submission(id);
  if (submission === undefined || !isLive(submission)) return;
  if (draft.runsOf(submission).length === 0 && !isProven(draft, submission))
    requeue(draft, submission, because, 'place');
};

/** Clears the retry delay that an answer of the code host has set. */
export const noRetryPending = { retryAt: null, timesPutOff: 0 } as const;

/** Clears the suspicion of a failure. */
export const noSuspicion = {
  ...{ suspectedBy: null, suspectedReason: null, suspectedDetail: null },
  ...{ suspectedChecks: [], suspectedOn: null, suspicions: 0 },
} as const;

/** Without a place, its turn comes by the order of waiting pull requests. */
const withoutPlace = { place: null, batch: null, goesWithUrgent: false, message: null } as const;

/** What a requeued submission keeps. `batch`: its members are tested together again. `place`: it is not overtaken. */
export type Keeps = 'nothing' | 'place' | 'batch';

/** Moves a submission back to `pending`. */
export const requeue = (
  draft: Draft,
  submission: Submission,
  because: Because,
  keeps: Keeps = 'nothing',
): Submission => {
  const losesPlace = keeps === 'nothing' && !keepsPlaceMeanwhile(draft, submission, because);
  const patch = {
    failedRunId: null,
    isRepeated: false,
    // Refused landings stay counted: what others do to the line must not keep them from ending.
    ...(submission.state === 'tests_passed' ? noRetryPending : {}),
    ...(losesPlace ? withoutPlace : {}),
    ...(keeps === 'batch' ? {} : { batch: null }),
  };
  return submission.state === 'pending'
    ? draft.change(submission, patch)
    : draft.move(submission, 'pending', because, patch);
};

/**
 * True while nothing new may begin: a pull request that has begun then keeps its place, so that it can be finished.
 * The exception: a pull request that loses its readiness while nothing may finish either. On its return everything
 * behind it would be rebuilt.
 */
const keepsPlaceMeanwhile = (draft: Draft, submission: Submission, { reason }: Because): boolean => {
  const status = statusOf(draft.queue);
  return !mayBeginFor(status, draft, submission) && (mayFinish(status) || reason !== 'READINESS_LOST');
};
