import type { Draft } from '../decide/draft/draft.js';
import { readyByOf } from '../decide/entry/expire.js';
import { lacking, lacks } from '../decide/moves/admit.js';
import { FAULT_TRIES_LIMIT } from '../decide/moves/faults.js';
import type { Instant } from '../model/ids.js';
import type { Lack } from '../model/readiness.js';
import type { CountedFault, Submission } from '../model/submission.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { aboutToDecide, closedGate, nextAsked } from './gates.js';
import { cutName, durationOf, prOf, quoted, shortOf, timeOf } from './words.js';

/** Gone from the host: that is waited for a while, in every state. */
export const missing = (draft: Draft, { pr }: Submission, since: Instant): Step => {
  const untilAt = since + draft.context.pace.missingGraceMs;
  const isOver = draft.now >= untilAt;
  const until = isOver ? 'before it is asked for once more' : `by ${timeOf(untilAt)}`;
  const values = { it: prOf(pr), age: durationOf(draft.now - since), until };
  return endsWith(explained('missing', values, { pr, untilAt: isOver ? null : untilAt }));
};

/** Which of the facts that make a submission ready are not there: each of them has to come. */
export const notReady = (draft: Draft, submission: Submission): Step => {
  const missed = lacks(draft, submission);
  const told = missed.map((code) => lack(draft, submission, code));
  if (missed[0] !== 'impacted_targets' || draft.queue.nextMode !== 'single')
    return endsWith(...(told.length === 0 ? [aboutToDecide(submission)] : told));
  const change = closedGate(draft, submission);
  return { ...change, causes: [...told, ...change.causes] };
};

const notForLong = '; in single mode, which the queue is about to enter, they are not needed';

const lack = (draft: Draft, submission: Submission, code: Lack): Explained => {
  const { pr, pull } = submission;
  const { branch, target } = draft.queue;
  const untilAt = readyByOf(draft, submission);
  const about = { pr, untilAt };
  const [it, deadline] = [prOf(pr), untilPhrase(untilAt)];
  switch (code) {
    case 'reopening':
    case 'ready_for_review':
      return explained(code, { it, deadline }, about);
    case 'base_branch':
      return explained(code, { it, base: cutName(pull.base), branch, deadline }, about);
    case 'target_branch':
      return explained(
        code,
        { branch, age: durationOf(draft.now - (target.readAt ?? draft.now)), deadline },
        about,
      );
    case 'impacted_targets':
      return explained(
        code,
        {
          ...{ it, head: shortOf(submission.head), others: othersPhrase(draft, submission), deadline },
          otherwise: draft.queue.nextMode === 'single' ? notForLong : '',
        },
        about,
      );
    case 'mergeability_unknown': {
      if (submission.fault !== null) return faultOf(submission, submission.fault);
      const computing = pull.mergeability === 'in_progress' ? ', and is finding out' : '';
      const until = untilAt === null ? '' : `; if that is not known by ${timeOf(untilAt)} it is cancelled`;
      return explained(
        code,
        { it, computing, next: nextAsked(draft, 'pullRequests'), deadline: until },
        about,
      );
    }
    case 'mergeable':
      return unmergeable(submission, untilAt);
  }
};

/** The host fails on it alone: how often so far, and when it is asked again. */
export const faultOf = ({ pr }: Submission, { message, tries, retryAt }: CountedFault): Explained => {
  const until = retryAt === null ? 'soon' : `at ${timeOf(retryAt)}`;
  const words = quoted(message, 'it gives no reason');
  const values = { it: prOf(pr), words, tries, limit: FAULT_TRIES_LIMIT, until };
  return explained('host_fault', values, { pr, untilAt: retryAt });
};

/** Whoever has uploaded some wonders what became of them. */
const othersPhrase = (draft: Draft, { pr }: Submission): string => {
  const [newest] = draft.targets(pr)?.sets ?? [];
  return newest === undefined ? '' : ` (the last that came are for ${shortOf(newest.head)})`;
};

/** Admitted before, and not ready any more: it stands aside. */
export const onHold = (draft: Draft, submission: Submission): Step => {
  const code = lacking(draft, submission);
  return endsWith(code === null ? aboutToDecide(submission) : lack(draft, submission, code));
};

const unmergeable = ({ pr, pull, admittedAt }: Submission, untilAt: Instant | null): Explained => {
  const words = quoted(pull.mergeabilityReason, 'it gives no reason');
  const push = admittedAt === null ? '' : ' (a push ends this attempt)';
  return explained(
    'mergeable',
    { it: prOf(pr), words, push, deadline: untilPhrase(untilAt) },
    { pr, untilAt },
  );
};

const untilPhrase = (untilAt: Instant | null): string =>
  untilAt === null ? '' : ` by ${timeOf(untilAt)}, or it is cancelled`;
