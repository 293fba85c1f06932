import type { Instant } from '../../model/ids.js';
import type { PullRequestFault } from '../../model/pull-request.js';
import type { Lack } from '../../model/readiness.js';
import { isAdmitted, type Submission } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { takeFromLanding } from './landing.js';
import { leave } from './leave.js';
import { delayAfter } from './retry.js';

/** The host fails this often on one pull request, with a backoff in between, before the pull request is failed. */
export const FAULT_TRIES_LIMIT = 3;

/**
 * Counts one failure of the host on one pull request, and fails the pull request at the limit. What comes before the
 * backoff is over is no further try. `setsAside`: its candidate could not be built, and none is until it can be read.
 */
export const faultSeen = (
  draft: Draft,
  submission: Submission,
  fault: PullRequestFault,
  setsAside = false,
): void => {
  const { fault: before } = submission;
  if (before?.retryAt != null && draft.now < before.retryAt) return;
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
      isAside: setsAside || before?.isAside === true,
    },
  });
};

/** The host answers about it again. Its tries are forgotten only once a candidate of it is built. */
export const faultOver = (draft: Draft, submission: Submission): void => {
  const { fault } = submission;
  if (fault !== null && fault.retryAt !== null)
    draft.change(submission, { fault: { ...fault, retryAt: null, isAside: false } });
};

/** The next instant at which the host is asked again about one on which it failed; null without one. */
export const nextFaultRetry = (draft: Draft): Instant | null =>
  draft.ordered('faulty')[0]?.fault?.retryAt ?? null;

/** True where the answer decides whether it is admitted, or comes back into the line. */
export const isMergeabilityNeeded = (submission: Submission, lack: Lack | null): boolean =>
  isAdmitted(submission)
    ? submission.fault?.isAside === true || submission.asideSince !== null
    : lack === 'mergeable' || lack === 'mergeability_unknown';
