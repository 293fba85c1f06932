import type { Instant } from '../../../model/ids.js';
import type { PullRequestsSeen } from '../../../model/input.js';
import { isSameShown, notOfTomorrow, type PullRequest } from '../../../model/pull-request.js';
import type { Draft } from '../../draft/draft.js';
import { lacking } from '../../moves/admit.js';
import { faultOver, faultSeen, isMergeabilityNeeded } from '../../moves/faults.js';
import { answered, askSoon } from '../../moves/polls.js';

export const pullRequestsSeen = (draft: Draft, fact: PullRequestsSeen): void => {
  const askedAt = answered(draft, 'pullRequests', fact.effectId);
  if (askedAt === null) return;
  for (const pull of fact.pulls) {
    const wasNeeded = lacksMergeability(draft, pull.number);
    pullRequestSeen(draft, pull);
    // The question was put while something else was missing, so that the host computed no mergeability.
    if (!wasNeeded && lacksMergeability(draft, pull.number)) askSoon(draft, 'pullRequests');
  }
  const { faulty = [] } = fact;
  const stillFaulty = new Set(faulty.map(({ pr }) => pr));
  for (const pull of fact.pulls) if (!stillFaulty.has(pull.number)) answeredAgain(draft, pull, askedAt);
  for (const { pr, fault } of faulty) {
    const submission = draft.liveSubmission(pr);
    if (submission !== undefined) faultSeen(draft, submission, fault);
  }
  for (const pr of fact.missing) pullRequestMissing(draft, pr, askedAt);
};

const lacksMergeability = (draft: Draft, pr: number): boolean => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined || submission.pull.mergeability !== 'unspecified') return false;
  return isMergeabilityNeeded(submission, lacking(draft, submission));
};

/** Where the host failed on one, an answer counts that was asked for when it was due; one that is being computed is none. */
const answeredAgain = (draft: Draft, pull: PullRequest, askedAt: Instant): void => {
  const submission = draft.liveSubmission(pull.number);
  const fault = submission?.fault ?? null;
  if (submission === undefined || fault === null || fault.retryAt === null || askedAt < fault.retryAt) return;
  const isComputed = pull.mergeability === 'mergeable' || pull.mergeability === 'not_mergeable';
  if (fault.code === 'PULL_REQUEST_UNREADABLE' || isComputed) faultOver(draft, submission);
};

/** What the host shows of one pull request; true if it is news. No read overwrites what a later one has brought. */
export const pullRequestSeen = (draft: Draft, seen: PullRequest): boolean => {
  const submission = draft.liveSubmission(seen.number);
  if (submission === undefined) return false;
  const shown = withKnownMergeability(seen, submission.pull);
  if (submission.missingSince === null && isSameShown(shown, submission.pull)) return false;
  const pull = notOfTomorrow(shown, draft.now);
  if (pull.readAt < submission.pull.readAt) return false;
  draft.change(submission, { pull, missingSince: null, isGone: false });
  return true;
};

/** A read that was not asked for the mergeability says nothing of it: what is known of the same head and base stays. */
const withKnownMergeability = (seen: PullRequest, known: PullRequest): PullRequest => {
  const isSame = seen.head === known.head && seen.base === known.base && seen.state === known.state;
  if (seen.mergeability !== 'unspecified' || !isSame || seen.state !== 'open') return seen;
  const { mergeability, mergeabilityReason, conflicts } = known;
  return { ...seen, mergeability, mergeabilityReason, conflicts };
};

/** One answer may have left it out: only where it is asked for anew after a grace time is it gone. */
export const pullRequestMissing = (draft: Draft, pr: number, askedAt: Instant | null = null): void => {
  const submission = draft.liveSubmission(pr);
  if (submission === undefined) return;
  const { missingSince, isGone } = submission;
  if (missingSince === null) draft.change(submission, { missingSince: draft.now });
  else if (!isGone && askedAt !== null && askedAt >= missingSince + draft.context.pace.missingGraceMs)
    draft.change(submission, { isGone: true });
};
