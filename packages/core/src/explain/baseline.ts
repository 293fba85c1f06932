import type { Draft } from '../decide/draft/draft.js';
import { bisectionRuns, bisectionSlots, freeBisectionSlots } from '../decide/testing/slots.js';
import {
  baselineRuns,
  doubtedChecks,
  isBaselineRepeated,
  nextBaselineRunAt,
} from '../decide/verdicts/baseline-runs.js';
import { gateOf, mayFinish } from '../model/gates.js';
import { actualBaseOf, isSameMember, remainingBatch, remainingMembers, type TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { causeOf, type ExplainedCause } from './chain-step.js';
import { failureOf, whatFollows, wouldVoid } from './failure.js';
import { aboutToDecide, closedGate, nextAsked } from './gates.js';
import { be, checksOf, oneOf, prOf, prsOf, shortOf, timeOf } from './phrases.js';
import { waitForTestRun, waitForTestRunOfBatch } from './under-test.js';

/** The target may have moved: it is read before a pull request is failed. */
export const waitForTargetRead = (draft: Draft): ExplainedCause => {
  const read = 'may have changed since the last read';
  return causeOf('target_unread', { branch: draft.queue.branch, read, next: nextAsked(draft, 'branch') });
};

/** The wait for the baseline run that precedes a verdict. */
export const waitForBaselineRun = (
  draft: Draft,
  submission: Pick<Submission, 'pr'>,
  failed: TestRun,
): readonly ExplainedCause[] => {
  const { target, branch } = draft.queue;
  const ground = actualBaseOf(failed);
  const checks = doubtedChecks(draft, ground);
  if (checks.length === 0 || ground === null) return [aboutToDecide(submission)];
  const run = baselineRuns(draft).find(({ base }) => base === ground);
  const isRepeated = isBaselineRepeated(draft, ground, checks);
  const broken =
    ground === target.head
      ? 'the queue is paused and no pull request is failed'
      : 'no pull request is failed, and what failed on it is tested again on the current tip';
  const values = {
    it: prOf(submission.pr),
    ...failureOf(failed),
    branch,
    names: checksOf(checks),
    tip: shortOf(ground),
    next: whatFollows(draft, submission, failed),
    again: isRepeated ? ' once more, as its first test failed' : '',
    otherwise: isRepeated ? broken : `it is tested once more, and if it fails again, ${broken}`,
    past: landingBefore(draft, submission, failed),
  };
  const about = { pr: submission.pr, runId: run?.id ?? failed.id, checks };
  const cause = causeOf('control', values, about);
  if (run !== undefined) return [cause, ...waitForTestRun(draft, run, null)];
  const again = nextBaselineRunAt(draft, ground);
  return [cause, ...(again === null ? waitForBisectionSlot(draft, submission) : [retried(draft, again)])];
};

const retried = (draft: Draft, { at: untilAt, tries: used }: Retry): ExplainedCause => {
  const { branch } = draft.queue;
  const budget = draft.context.pace.retryLimit;
  const values = { branch, used, budget, are: be(used), until: timeOf(untilAt) };
  return causeOf('control_retry', values, { untilAt });
};

type Retry = NonNullable<ReturnType<typeof nextBaselineRunAt>>;

/** Names pull requests that are tested, or have passed, without it, and whose landing makes its failure stale. */
const landingBefore = (draft: Draft, { pr }: Pick<Submission, 'pr'>, failed: TestRun): string => {
  if (failed.purpose.kind !== 'test' || failed.bisection !== null) return '';
  const first = failed.batch[0];
  const over = draft.openRuns().flatMap((run) => {
    const isOn = remainingMembers(run).some((one) => isSameMember(one, first));
    return isOn || !mayLandOnceEnded(run) ? [] : remainingBatch(run);
  });
  const voiding = over.filter((member) => wouldVoid(draft, failed, member));
  if (voiding.length === 0) return '';
  return `; if ${oneOf(voiding)} merges before that, ${prOf(pr)} is tested again`;
};

const mayLandOnceEnded = ({ purpose, bisection, outcome }: TestRun): boolean =>
  (purpose.kind === 'test' || purpose.kind === 'isolate') &&
  bisection === null &&
  (outcome === null || outcome === 'passed');

/** Why a baseline run or a bisection test has not started. */
export const waitForBisectionSlot = (
  draft: Draft,
  submission: Pick<Submission, 'pr'>,
): readonly ExplainedCause[] => {
  if (!mayFinish(gateOf(draft.queue))) return closedGate(draft, submission).causes;
  if (freeBisectionSlots(draft) > 0) return [aboutToDecide(submission)];
  const runs = bisectionRuns(draft);
  const slot = causeOf('isolation_slot', {
    used: runs.length,
    slots: bisectionSlots(draft),
    holders: runs
      .map((run) => (run.batch.length === 0 ? draft.queue.branch : prsOf(run.batch)))
      .join(' and '),
  });
  const [first] = runs;
  return [slot, ...(first === undefined ? [] : waitForTestRunOfBatch(draft, first))];
};
