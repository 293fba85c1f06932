import type { SubmissionId } from '../../../model/ids.js';
import type { Submit } from '../../../model/input.js';
import { defaultPriority, type Priority } from '../../../model/priority.js';
import { notOfTomorrow, type PullRequest } from '../../../model/pull-request.js';
import type { Submission } from '../../../model/submission.js';
import type { Draft } from '../../draft/draft.js';
import { reasonOfChange } from '../../entry/depart.js';
import { countFault } from '../../moves/faults.js';
import { takeFromLanding } from '../../moves/landing.js';
import { leave } from '../../moves/leave.js';
import { awaitRead } from '../../moves/polls.js';
import { forgetHit } from '../../moves/retry.js';
import { applyRulesRead } from '../facts/branch.js';
import { type AppliedCommand, accepted, refused } from './results.js';

/** Opens an attempt, or changes the priority and options of the live one. */
export const submit = (draft: Draft, received: Submit): AppliedCommand => {
  const pull = notOfTomorrow(received.pull, draft.now);
  const command = pull === received.pull ? received : { ...received, pull };
  if (pull.state === 'merged')
    return refused('PULL_REQUEST_MERGED', `Pull request #${pull.number} is merged.`);
  if (pull.state === 'closed')
    return refused('PULL_REQUEST_CLOSED', `Pull request #${pull.number} is closed.`);
  if (command.expectedHead !== null && command.expectedHead !== pull.head)
    return refused('STALE_HEAD', `The head of #${pull.number} is ${pull.head}, not ${command.expectedHead}.`);

  const live = draft.liveSubmission(pull.number);
  if (live === undefined && wasReadBeforeItsLanding(draft, pull))
    return refused('PULL_REQUEST_MERGED', `Pull request #${pull.number} has just been merged.`);
  if (live === undefined) return accepted(openAttempt(draft, command));
  const isOlderRead = pull.readAt < live.pull.readAt;
  const ended =
    isOlderRead || live.state === 'not_ready' ? null : reasonOfChange(pull, draft.queue.branch, live.head);
  if (ended === null) return accepted(rewrite(draft, live, command, isOlderRead));
  if (!takeFromLanding(draft, live))
    return refused(
      'LANDING_UNDER_WAY',
      `#${pull.number} is being merged with the head that was submitted before. Submit it again once that has ended.`,
    );
  leave(draft, live, 'cancelled', { reason: ended });
  return accepted(openAttempt(draft, command));
};

/** A read from before this queue's own landing still shows the pull request open: it must not start another attempt. */
const wasReadBeforeItsLanding = (draft: Draft, pull: PullRequest): boolean => {
  const last = draft.lastSubmission(pull.number);
  return last?.state === 'merged' && last.head === pull.head && pull.readAt <= last.stateSince;
};

const openAttempt = (draft: Draft, command: Submit): Submission => {
  const before = draft.lastSubmission(command.pull.number);
  const submission: Submission = {
    id: before?.id ?? draft.newId<SubmissionId>(),
    pr: command.pull.number,
    attempt: (before?.attempt ?? 0) + 1,
    state: 'not_ready',
    stateSince: draft.now,
    reason: 'API_REQUESTED',
    reasonDetail: null,
    submittedAt: draft.now,
    submittedRank: draft.sequence + 1,
    submittedBy: command.actor,
    wasIncomplete: false,
    admittedAt: null,
    admittedRank: null,
    head: command.pull.head,
    pull: command.pull,
    priority: priorityOf(command, before?.priority),
    skipTheLine: skipsTheLine(command, before),
    noBatch: command.noBatch ?? false,
    forceEnqueued: command.forceEnqueued ?? false,
    place: null,
    batch: null,
    goesWithUrgent: false,
    begunAt: null,
    alone: false,
    suspectedBy: null,
    suspectedDetail: null,
    suspectedChecks: [],
    isRepeated: false,
    reruns: 0,
    heldBy: null,
    asideSince: null,
    missingSince: null,
    isGone: false,
    fault: null,
    message: null,
    retries: 0,
    retryAt: null,
    timesPutOff: 0,
    refusedLandings: null,
    failedRunId: null,
    landed: before?.landed ?? null,
    verifiedBy: null,
  };
  if (draft.liveCount === 0) readRules(draft, command);
  forgetHit(draft, submission.pr);
  draft.openAttempt(submission, command.actor);
  if (command.fault !== undefined) countFault(draft, submission, command.fault);
  return submission;
};

/** An idle queue reads nothing, so its required checks may be out of date. */
const readRules = (draft: Draft, { rules }: Submit): void => {
  if (rules === undefined) awaitRead(draft, 'branch');
  else applyRulesRead(draft, rules);
};

const rewrite = (draft: Draft, live: Submission, command: Submit, isOlderRead: boolean): Submission =>
  draft.change(live, {
    priority: priorityOf(command, live.priority),
    skipTheLine: skipsTheLine(command, live),
    ...(command.noBatch === undefined ? {} : { noBatch: command.noBatch }),
    ...(command.forceEnqueued === undefined ? {} : { forceEnqueued: command.forceEnqueued }),
    ...(isOlderRead ? {} : { pull: command.pull, missingSince: null, isGone: false }),
  });

/** `skipTheLine` is a kind of priority: if it is left out it stays, and a priority that is named later replaces it. */
const skipsTheLine = ({ skipTheLine, priority }: Submit, before?: Submission): boolean =>
  skipTheLine ?? (priority === undefined && before?.skipTheLine === true);

/** If it is left out it stays; null is the default priority. */
const priorityOf = (command: Submit, before: Priority = defaultPriority): Priority => {
  if (command.priority === undefined) return before;
  return command.priority === null ? defaultPriority : { value: command.priority, named: true };
};
