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

/** Ends an attempt. Its runs are let go, and those who were tested together with it wait anew. */
export const leave = (draft: Draft, submission: Submission, to: Terminal, because: Because): Submission => {
  const mates = closeRunsOf(draft, submission, 'member_left');
  const left = end(draft, submission, to, because);
  for (const mate of mates)
    requeueUnlessTested(draft, mate, { reason: reasonForMates[to], detail: `#${submission.pr}` });
  return left;
};

/** Ends the attempt of one that the queue itself has landed. Its runs have been carried past that. */
export const leaveMerged = (
  draft: Draft,
  submission: Submission,
  because: Because,
  became: { readonly landed: Landed; readonly verifiedBy: TestRunId | null },
): Submission => end(draft, submission, 'merged', because, became);

const end = (
  draft: Draft,
  submission: Submission,
  to: Terminal,
  because: Because,
  became: Partial<Pick<Submission, 'landed' | 'verifiedBy'>> = {},
): Submission => {
  if (became.landed != null) adaptToMerge(draft, submission.pr);
  if (to === 'failed' && testFailures.has(because.reason)) adaptToCulprit(draft);
  return draft.move(submission, to, because, {
    ...nowhere,
    heldBy: null,
    retryAt: null,
    asideSince: null,
    ...became,
  });
};

/** The reasons of failures that show something about the pull request. */
const testFailures: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'TEST_RUN_REQUIRED_STATUS_FAILED',
  'TEST_RUN_TIMEOUT',
  'TEST_RUN_FAILED_BY_OPTIMIZATION',
]);

/** Lets go of all runs that test one, and gives the others who were tested by them. */
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

const reasonForMates = {
  merged: 'PREREQUISITE_MERGE_ITEM_MANUALLY_MERGED',
  failed: 'PREREQUISITE_MERGE_ITEM_FAILED',
  cancelled: 'PREREQUISITE_MERGE_ITEM_CANCELLED',
} as const satisfies Record<Terminal, ReasonCode>;

/** Sends one back to its place whose run was let go of; not where another run still tests it or has proven it. */
export const requeueUnlessTested = (draft: Draft, id: SubmissionId, because: Because): void => {
  const submission = draft.submission(id);
  if (submission === undefined || !isLive(submission)) return;
  if (draft.runsOf(submission).length === 0 && !isProven(draft, submission))
    requeue(draft, submission, because, 'place');
};

/** It need not hold back for anything that the code host said of it. */
export const noRetryPending = { retryAt: null, timesPutOff: 0 } as const;

/** Nothing that it has failed speaks against it any more. */
export const noSuspicion = { suspectedBy: null, suspectedDetail: null, suspectedChecks: [] } as const;

/** No place in line: its turn comes by the order of those who wait. */
const nowhere = { place: null, batch: null, goesWithUrgent: false, message: null } as const;

/** What one who is sent back keeps: with its batch, the same are tested together again; with its place, nobody overtakes it. */
export type Kept = 'nothing' | 'place' | 'batch';

/** Sends a submission back to wait. */
export const requeue = (
  draft: Draft,
  submission: Submission,
  because: Because,
  keeps: Kept = 'nothing',
): Submission => {
  const losesPlace = keeps === 'nothing' && !isKeptMeanwhile(draft, submission, because);
  const patch = {
    failedRunId: null,
    isRepeated: false,
    // Of one who had passed, only its landing was to wait.
    ...(submission.state === 'tests_passed' ? noRetryPending : {}),
    ...(losesPlace ? nowhere : {}),
    ...(keeps === 'batch' ? {} : { batch: null }),
  };
  return submission.state === 'pending'
    ? draft.change(submission, patch)
    : draft.move(submission, 'pending', because, patch);
};

/**
 * While nothing new may begin, what was begun keeps the place by which it is brought to its end; not one who is not ready
 * any more while nothing goes on: when it comes back, it would have everybody built anew.
 */
const isKeptMeanwhile = (draft: Draft, submission: Submission, { reason }: Because): boolean => {
  const status = statusOf(draft.queue);
  return !mayBeginFor(status, draft, submission) && (mayFinish(status) || reason !== 'READINESS_LOST');
};
