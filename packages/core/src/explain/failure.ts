import type { Draft } from '../decide/draft/draft.js';
import { isVoidOnceLanded } from '../decide/line/overtaking.js';
import { targetsOf } from '../decide/line/placement-input.js';
import { hasComeAhead } from '../decide/verdicts/blame.js';
import { hasToBeConfirmed, isConfirmedAgain } from '../decide/verdicts/culprit.js';
import { doOverlap } from '../model/impacted-targets.js';
import {
  hasFailed,
  type Member,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { causeOf, type ExplainedCause } from './chain-step.js';
import { cutName, prOf, prsOf, quoted, runOf } from './phrases.js';

/** What happens after a failure that counts, as part of a sentence. */
export const whatFollows = (draft: Draft, { pr }: Pick<Submission, 'pr'>, run: TestRun): string => {
  if (remainingBatch(run).length > 1 && run.bisection === null)
    return 'the queue searches its batch for the culprit';
  const submission = draft.liveSubmission(pr);
  return submission !== undefined && hasToBeConfirmed(draft, submission, run)
    ? `${prOf(pr)} is tested once more before it is failed`
    : `${prOf(pr)} is failed`;
};

/** True if the landing of this member makes the failure stale. */
export const wouldVoid = (draft: Draft, failed: TestRun, member: Member): boolean =>
  (isVoidOnceLanded(draft, failed, member.pr) || hasComeAhead(draft, failed, member)) &&
  remainingMembers(failed).some((one) => doOverlap(targetsOf(draft, one), targetsOf(draft, member)));

/**
 * The wait for the test run that confirms a failure (`confirmBeforeFailing`); null if there is none. A pass on top of
 * others counts once those land.
 */
export const confirming = (draft: Draft, submission: Submission): ExplainedCause | null => {
  const { pr, suspectedBy, suspectedDetail, suspicions = 1 } = submission;
  if (suspectedBy === null) return null;
  const detail = suspectedDetail === null ? [] : [quoted(suspectedDetail, '')];
  const failure = [...detail, `test run ${runOf(suspectedBy)}`].join(', ');
  const times = suspicions > 1 ? ' a second time' : '';
  const run = draft.runsOf(submission).at(-1);
  const below = run === undefined ? [] : remainingStack(run);
  const merge = below.length === 1 ? 'merges' : 'merge';
  const ahead = below.length === 0 ? '' : ` and ${prsOf(below)} ahead of it ${merge}`;
  const then = isConfirmedAgain(draft, submission)
    ? 'they run once more, since a check that failed is flaky'
    : `${prOf(pr)} is failed unless another test clears it`;
  const values = { it: prOf(pr), times, failure, ahead, then };
  return causeOf(suspicions === 0 ? 'incomplete_stack' : 'confirmation', values, { pr, runId: suspectedBy });
};

export const failureOf = (run: TestRun): { readonly check: string; readonly run: string } => {
  const name = run.decidedBy?.name;
  const otherwise = run.outcome === 'timed_out' ? 'a timeout' : 'a required check';
  return { check: name === undefined ? otherwise : `check ${cutName(name)}`, run: runOf(run.id) };
};

export const failedChecks = (run: TestRun): readonly string[] =>
  hasFailed(run) && run.decidedBy !== null ? [run.decidedBy.name] : [];

/** The wait of an urgent pull request that is tested once more, after pull requests that passed without it have landed. */
export const behindPassed = (
  { pr }: Pick<Submission, 'pr'>,
  failed: TestRun,
  landing: readonly Member[],
): ExplainedCause => {
  const merge = landing.length === 1 ? 'merges' : 'merge';
  const values = { it: prOf(pr), ...failureOf(failed), others: prsOf(landing), merge };
  return causeOf('passed_without', values, {
    pr: landing[0]?.pr ?? null,
    runId: failed.id,
    checks: failedChecks(failed),
  });
};
