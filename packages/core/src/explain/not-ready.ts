import type { Draft } from '../decide/draft/draft.js';
import { readyByOf } from '../decide/entry/expire.js';
import { lacking, lacks } from '../decide/moves/admit.js';
import { FAULT_TRIES_LIMIT } from '../decide/moves/faults.js';
import type { Instant } from '../model/ids.js';
import type { Lack } from '../model/readiness.js';
import type { CountedFault, Submission } from '../model/submission.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { aboutToDecide, closedGate, nextAsked } from './gates.js';
import { cutName, durationOf, prOf, quoted, shortOf, timeOf } from './phrases.js';

/** The host no longer finds it. It is cancelled after a grace period, in every state. */
export const missing = (draft: Draft, { pr }: Submission, since: Instant): ChainStep => {
  const untilAt = since + draft.context.pace.missingGraceMs;
  const isOver = draft.now >= untilAt;
  const until = isOver ? 'before the next read' : `by ${timeOf(untilAt)}`;
  const values = { it: prOf(pr), age: durationOf(draft.now - since), until };
  return endOfChain(causeOf('missing', values, { pr, untilAt: isOver ? null : untilAt }));
};

/** What is missing before the submission is ready, one cause each. */
export const notReady = (draft: Draft, submission: Submission): ChainStep => {
  const missed = lacks(draft, submission);
  const causes = missed.map((code) => lack(draft, submission, code));
  if (missed[0] !== 'impacted_targets' || draft.queue.nextMode !== 'single')
    return endOfChain(...(causes.length === 0 ? [aboutToDecide(submission)] : causes));
  const change = closedGate(draft, submission);
  return { ...change, causes: [...causes, ...change.causes] };
};

const notForLong = '; they are not needed once the queue has changed to single mode';

const lack = (draft: Draft, submission: Submission, code: Lack): ExplainedCause => {
  const { pr, pull } = submission;
  const { branch, target } = draft.queue;
  const untilAt = readyByOf(draft, submission);
  const about = { pr, untilAt };
  const [it, deadline] = [prOf(pr), untilPhrase(untilAt)];
  switch (code) {
    case 'reopening':
    case 'ready_for_review':
      return causeOf(code, { it, deadline }, about);
    case 'base_branch':
      return causeOf(code, { it, base: cutName(pull.base), branch, deadline }, about);
    case 'target_branch':
      return causeOf(
        code,
        { branch, age: durationOf(draft.now - (target.readAt ?? draft.now)), deadline },
        about,
      );
    case 'impacted_targets':
      return causeOf(
        code,
        {
          ...{ it, head: shortOf(submission.head), others: othersPhrase(draft, submission), deadline },
          otherwise: draft.queue.nextMode === 'single' ? notForLong : '',
        },
        about,
      );
    case 'mergeability_unknown': {
      if (submission.fault !== null) return faultOf(submission, submission.fault);
      const computing = pull.mergeability === 'in_progress' ? ' (it is still computing)' : '';
      const until =
        untilAt === null ? '' : `; if that is still unknown at ${timeOf(untilAt)}, ${it} is cancelled`;
      return causeOf(code, { it, computing, next: nextAsked(draft, 'pullRequests'), deadline: until }, about);
    }
    case 'mergeable':
      return unmergeable(submission, untilAt);
  }
};

/** The host fails on this pull request alone: the number of tries so far, and the time of the next one. */
export const faultOf = ({ pr }: Submission, { message, tries, retryAt }: CountedFault): ExplainedCause => {
  const until = retryAt === null ? 'soon' : `at ${timeOf(retryAt)}`;
  const words = quoted(message, 'no reason was given');
  const values = { it: prOf(pr), words, tries, limit: FAULT_TRIES_LIMIT, until };
  return causeOf('host_fault', values, { pr, untilAt: retryAt });
};

/** Names the last upload, which was for another head. */
const othersPhrase = (draft: Draft, { pr }: Submission): string => {
  const [newest] = draft.targets(pr)?.sets ?? [];
  return newest === undefined ? '' : ` (the last upload is for ${shortOf(newest.head)})`;
};

/** Admitted before, but no longer ready. */
export const onHold = (draft: Draft, submission: Submission): ChainStep => {
  const code = lacking(draft, submission);
  return endOfChain(code === null ? aboutToDecide(submission) : lack(draft, submission, code));
};

const unmergeable = ({ pr, pull, admittedAt }: Submission, untilAt: Instant | null): ExplainedCause => {
  const words = quoted(pull.mergeabilityReason, 'no reason was given');
  const push = admittedAt === null ? '' : ' (after a push, submit it again)';
  return causeOf('mergeable', { it: prOf(pr), words, push, deadline: untilPhrase(untilAt) }, { pr, untilAt });
};

const untilPhrase = (untilAt: Instant | null): string =>
  untilAt === null ? '' : ` by ${timeOf(untilAt)}, or it is cancelled`;
