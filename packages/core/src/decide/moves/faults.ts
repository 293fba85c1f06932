import type { Instant } from '../../model/ids.js';
import type { PullRequestFault } from '../../model/pull-request.js';
import type { Lack } from '../../model/readiness.js';
import { isAdmitted, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { takeFromLanding } from './landing.js';
import { leave } from './leave.js';
import { delayAfter } from './retry.js';

/** Max host failures on one pull request, with backoff in between. Then the pull request fails. */
export const FAULT_TRIES_LIMIT = 3;

/**
 * Counts a host failure on one pull request, and fails the pull request at the limit. A failure during the backoff is
 * not counted. `putsOnHold`: its candidate could not be built, so none is built before the backoff is over.
 */
export const countFault = (
  draft: Draft,
  submission: Submission,
  fault: PullRequestFault,
  putsOnHold = false,
): void => {
  const { fault: before } = submission;
  if (before?.retryAt != null && draft.now < before.retryAt) {
    if (putsOnHold && !before.isAside) draft.change(submission, { fault: { ...before, isAside: true } });
    return;
  }
  const tries = (before?.tries ?? 0) + 1;
  const isOver = tries >= FAULT_TRIES_LIMIT;
  if (isOver && takeFromLanding(draft, submission)) {
    leave(draft, submission, 'failed', { reason: fault.code, detail: fault.message });
    return;
  }
  draft.change(submission, {
    fault: {
      ...fault,
      tries: Math.min(tries, FAULT_TRIES_LIMIT - 1),
      retryAt: draft.now + delayAfter(draft, tries - 1),
      isAside: putsOnHold || before?.isAside === true,
    },
  });
};

/**
 * Ends the backoff, because the host can read the pull request again. The count of failures is reset only once a
 * candidate of it is built.
 */
export const clearFaultRetry = (draft: Draft, submission: Submission): void => {
  const { fault } = submission;
  if (fault !== null && fault.retryAt !== null)
    draft.change(submission, { fault: { ...fault, retryAt: null, isAside: false } });
};

/** When the host is next asked about a pull request on which it failed; null without one. */
export const nextFaultRetry = (draft: Draft): Instant | null =>
  draft.ordered('faulty')[0]?.fault?.retryAt ?? null;

/** True if its mergeability decides whether it is admitted, or returns to the line. */
export const isMergeabilityNeeded = (submission: Submission, lack: Lack | null): boolean =>
  isAdmitted(submission)
    ? submission.fault?.isAside === true || submission.asideSince !== null
    : lack === 'mergeable' || lack === 'mergeability_unknown';
