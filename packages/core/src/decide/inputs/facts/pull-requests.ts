import type { Instant } from '../../../model/ids.js';
import type { PullRequestsSeen } from '../../../model/input.js';
import { isSameShown, notOfTomorrow, type PullRequest } from '../../../model/pull-request.js';
import type { Draft } from '../../draft/draft.js';
import { lacking } from '../../moves/admit.js';
import { clearFaultRetry, countFault, isMergeabilityNeeded } from '../../moves/faults.js';
import { askSoon, takeAnswer } from '../../moves/polls.js';

export const applyPullRequestsRead = (draft: Draft, fact: PullRequestsSeen): void => {
  const askedAt = takeAnswer(draft, 'pullRequests', fact.effectId);
  if (askedAt === null) return;
  for (const pull of fact.pulls) {
    const wasMergeabilityNeeded = lacksMergeability(draft, pull.number);
    updatePull(draft, pull);
    // The read was requested while something else was missing, so the host computed no mergeability.
    if (!wasMergeabilityNeeded && lacksMergeability(draft, pull.number)) askSoon(draft, 'pullRequests');
  }
  const { faulty = [] } = fact;
  const stillFaulty = new Set(faulty.map(({ pr }) => pr));
  for (const pull of fact.pulls)
    if (!stillFaulty.has(pull.number)) clearFaultIfAnswered(draft, pull, askedAt);
  for (const { pr, fault } of faulty) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined) countFault(draft, submission, fault);
  }
  for (const pr of fact.missing) notePullMissing(draft, pr, askedAt);
};

const lacksMergeability = (draft: Draft, pr: number): boolean => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined || submission.pull.mergeability !== 'unspecified') return false;
  return isMergeabilityNeeded(submission, lacking(draft, submission));
};

/**
 * Clears a host fault if the answer was requested after its backoff. An answer that is still being computed does not
 * count.
 */
const clearFaultIfAnswered = (draft: Draft, pull: PullRequest, askedAt: Instant): void => {
  const submission = draft.liveSubmission(pull.number);
  const fault = submission?.fault ?? null;
  if (submission === undefined || fault === null || fault.retryAt === null || askedAt < fault.retryAt) return;
  const isComputed = pull.mergeability === 'mergeable' || pull.mergeability === 'not_mergeable';
  if (fault.code === 'PULL_REQUEST_UNREADABLE' || isComputed) clearFaultRetry(draft, submission);
};

/** Takes in the state of a pull request. True if it has changed. An older read never overwrites a newer one. */
export const updatePull = (draft: Draft, read: PullRequest): boolean => {
  const submission = draft.liveSubmission(read.number);
  if (submission === undefined) return false;
  const shown = withMergeabilityBefore(read, submission.pull);
  if (submission.missingSince === null && isSameShown(shown, submission.pull)) return false;
  const pull = notOfTomorrow(shown, draft.now);
  if (pull.readAt < submission.pull.readAt) return false;
  draft.change(submission, { pull, missingSince: null, isGone: false });
  return true;
};

/** A read without mergeability keeps what is known for the same head and base. */
const withMergeabilityBefore = (read: PullRequest, before: PullRequest): PullRequest => {
  const isSame = read.head === before.head && read.base === before.base && read.state === before.state;
  if (read.mergeability !== 'unspecified' || !isSame || read.state !== 'open') return read;
  const { mergeability, mergeabilityReason, conflicts } = before;
  return { ...read, mergeability, mergeabilityReason, conflicts };
};

/**
 * A single answer may have left it out. It is gone only if it is still missing when read again after the grace time.
 */
export const notePullMissing = (draft: Draft, pr: number, askedAt: Instant | null = null): void => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined) return;
  const { missingSince, isGone } = submission;
  if (missingSince === null) draft.change(submission, { missingSince: draft.now });
  else if (!isGone && askedAt !== null && askedAt >= missingSince + draft.context.pace.missingGraceMs)
    draft.change(submission, { isGone: true });
};
