import {
  type Cause,
  defaultPriority,
  isLive,
  isUrgent,
  priorityInForce,
  priorityName,
  reasons,
  type SubmissionView,
  type SubmittedView,
  statusOf,
  type Waiting,
} from '@mq/core';
import type { z } from 'zod';
import type { enqueuedPullRequest, submittedPullRequest, waitingFor } from '../schemas/pull-request.js';
import { isoTime, isoTimeOrNull } from './time.js';

type Enqueued = z.output<typeof enqueuedPullRequest>;
type WaitingFor = z.output<typeof waitingFor>;

export const presentEnqueued = (view: SubmissionView): Enqueued => presentPlace(view, presentWaiting);

const presentPlace = (
  { submission, runId, waiting }: SubmissionView,
  present: (waiting: Waiting) => WaitingFor,
): Enqueued => {
  const { pull, reason } = submission;
  const priority = priorityInForce(submission);
  const shown: Enqueued = {
    id: submission.id,
    state: submission.state,
    stateChangedAt: isoTime(submission.stateSince),
    attempt: submission.attempt,
    priorityValue: priority.value,
    priorityName: priorityName(priority.value),
    usedDefaultPriorityName: priorityName(defaultPriority.value),
    skipTheLine: isUrgent(submission),
    noBatch: submission.noBatch,
    forceEnqueued: submission.forceEnqueued,
    prNumber: submission.pr,
    prTitle: pull.title,
    prSha: submission.head,
    prBaseBranch: pull.base,
    prAuthor: pull.author,
    prUrl: pull.url,
  };
  // Assigned one by one: an answer may hold a thousand submissions, and spreading objects is slow.
  if (runId !== null) shown.testRunId = runId;
  if (reason !== null)
    // A replica of a newer release may have stored a reason that this one does not know.
    shown.reason = { code: reason, sentence: reasons[reason] ?? reason, detail: submission.reasonDetail };
  if (waiting !== null) shown.waitingFor = present(waiting);
  return shown;
};

export const presentSubmitted = (view: SubmittedView): z.output<typeof submittedPullRequest> => {
  const { submission, readiness } = view;
  return Object.assign(presentPlace(view, presentWholeWaiting), {
    isCurrentlySubmittedToQueue: isLive(submission),
    submittedAt: isoTime(submission.submittedAt),
    readiness: {
      requiresImpactedTargets: readiness.requiresImpactedTargets,
      hasImpactedTargets: readiness.hasImpactedTargets,
      doesBaseBranchMatch: readiness.doesBaseBranchMatch,
      hostMergeability: readiness.hostMergeability,
      gitHubMergeability: readiness.hostMergeability,
    },
    verifiedByTestRun: submission.verifiedBy,
    failedTestRun: submission.failedRunId,
    queueState: statusOf(view.queue),
  });
};

/** The explanation of a wait, without its chain of causes and its remedy. */
export const presentWaiting = ({
  code,
  sentence,
  behindPr,
  untilAt,
}: Omit<Waiting, 'causes' | 'remedy'>): WaitingFor => ({
  code,
  sentence,
  behindPr,
  until: isoTimeOrNull(untilAt),
});

/** The explanation of a wait with its whole chain of causes, for requests about few pull requests. */
export const presentWholeWaiting = (waiting: Waiting): WaitingFor =>
  Object.assign(presentWaiting(waiting), {
    causes: waiting.causes.map(presentCause),
    remedy: waiting.remedy,
  });

const presentCause = ({ code, sentence, pr, runId, checks, untilAt }: Cause) => ({
  code,
  sentence,
  pr,
  testRunId: runId,
  checks: [...checks],
  until: isoTimeOrNull(untilAt),
});
