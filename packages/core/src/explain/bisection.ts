import type { Draft } from '../decide/draft/draft.js';
import { prefixRunsOf } from '../decide/testing/bisection.js';
import { othersAhead } from '../decide/verdicts/bisect.js';
import { landingBeforeConfirmed } from '../decide/verdicts/culprit.js';
import { doubtedChecks, isBaseBroken } from '../decide/verdicts/tip.js';
import { actualBaseOf, type Bisection, type Member, remainingBatch, type TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { toLookForCauses, waitForBaselineRun, waitForTargetRead } from './baseline.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { behindPassed, failedChecks, failureOf } from './failure.js';
import { aboutToDecide, closedGate } from './gates.js';
import { waitForTestRun, waitForTestRunOfBatch } from './under-test.js';
import { be, prOf, prsOf, timeOf } from './words.js';

/** Why the one to blame of its failed batch is not known yet. */
export const bisecting = (draft: Draft, submission: Submission): Step => {
  const run = isolatedRunOf(draft, submission);
  if (run?.bisection == null) return endsWith(aboutToDecide(submission));
  const { bisection } = run;
  const parts = prefixRunsOf(draft, run).filter(({ state }) => state !== 'ended');
  const { check, run: name } = failureOf(run);
  const isOutOfTime = run.outcome === 'timed_out' && run.decidedBy === null;
  const told = explained(
    'isolation',
    {
      it: prOf(submission.pr),
      members: prsOf(run.batch),
      failed: isOutOfTime ? 'came to no verdict in time' : `failed ${check}`,
      run: name,
      progress: progressOf(run, bisection, parts),
      next: onceFound(draft, submission, run),
    },
    { pr: submission.pr, runId: run.id, checks: failedChecks(run) },
  );
  return endsWith(told, ...nextPart(draft, submission, run, parts));
};

/** What becomes of its batch. A pass lands only where nobody went past the batch, or stands ahead of it. */
const onceFound = (draft: Draft, submission: Submission, run: TestRun): string => {
  const ahead = othersAhead(draft, run, submission.id) ?? [];
  const passed = run.batch.slice(0, run.bisection?.passed ?? 0);
  const isCleared = passed.some(({ submissionId }) => submissionId === submission.id);
  if (run.overtakenBy === null && ahead.length === 0 && !isCleared)
    return `what passes${withoutThoseBehind(draft, run)} lands, the one to blame is failed, and the others are tested again`;
  const behind = ahead.length === 0 ? '' : ` behind ${prsOf(ahead)}`;
  const by = run.isOvertakerKnown ? prOf(run.overtakenBy ?? 0) : 'others';
  const why =
    run.overtakenBy === null ? '' : `, as ${by} ${run.isOvertakerKnown ? 'has' : 'have'} landed without them`;
  return `the one to blame is failed, and the others, those who passed too, are tested again${behind}${why}`;
};

/** Of the batch, those ahead of whom somebody else has come to stand: what holds one of them lands only after that. */
const withoutThoseBehind = (draft: Draft, run: TestRun): string => {
  const aheadOf = (member: Member) => othersAhead(draft, run, member.submissionId) ?? [];
  const behind = run.batch.filter((member) => aheadOf(member).length > 0);
  const [first] = behind;
  if (first === undefined) return '';
  const ahead = aheadOf(first);
  const stands = ahead.length === 1 ? 'stands' : 'stand';
  return ` without ${prsOf(behind)}, ahead of whom ${prsOf(ahead)} ${stands} now,`;
};

const nextPart = (
  draft: Draft,
  submission: Submission,
  run: TestRun,
  parts: readonly TestRun[],
): readonly Explained[] => {
  const own = parts.find(({ batch }) => batch.some(({ submissionId }) => submissionId === submission.id));
  if (own !== undefined) return waitForTestRun(draft, own, submission);
  const [first] = parts;
  if (first !== undefined) return waitForTestRunOfBatch(draft, first);
  if (isBaseBroken(draft)) return closedGate(draft, submission).causes;
  const isFound = run.bisection !== null && run.bisection.failed - run.bisection.passed === 1;
  if (isFound && draft.queue.isTipInDoubt) return [waitForTargetRead(draft)];
  const evidence = draft.run(run.bisection?.failedBy ?? run.id) ?? run;
  const suspect = run.batch[(run.bisection?.failed ?? 0) - 1];
  const accused = suspect === undefined ? undefined : draft.submission(suspect.submissionId);
  if (isFound && accused !== undefined) {
    const landing = landingBeforeConfirmed(draft, accused);
    if (landing.length > 0) return [behindPassed(accused, evidence, landing)];
    if (doubtedChecks(draft, actualBaseOf(evidence)).length > 0)
      return waitForBaselineRun(draft, accused, evidence);
  }
  const retryAt = run.bisection?.retryAt ?? null;
  if (retryAt !== null && retryAt > draft.now) return [retried(draft, submission, run, retryAt)];
  return toLookForCauses(draft, submission);
};

const retried = (draft: Draft, { pr }: Submission, { bisection }: TestRun, untilAt: number): Explained => {
  const [used, budget] = [bisection?.retries ?? 0, draft.context.pace.retryLimit];
  return explained(
    'isolation_retry',
    { it: prOf(pr), used, budget, until: timeOf(untilAt) },
    { pr, untilAt },
  );
};

const isolatedRunOf = (draft: Draft, submission: Submission): TestRun | undefined =>
  draft.runsOf(submission).find(({ bisection }) => bisection !== null);

/** What has been cleared, who is left, and what is tested now. */
const progressOf = (
  run: TestRun,
  { passed, failed }: Pick<Bisection, 'passed' | 'failed'>,
  parts: readonly TestRun[],
): string => {
  const cleared = run.batch.slice(0, passed);
  const suspects = run.batch.slice(passed, failed);
  const tested = parts.map((part) => prsOf(remainingBatch(part))).join('; ');
  return [
    ...(cleared.length === 0 ? [] : [`${prsOf(cleared)} ${be(cleared.length)} cleared`]),
    suspects.length === 1
      ? `only ${prsOf(suspects)} is left to be blamed`
      : `the one to blame is among ${prsOf(suspects)}`,
    ...(parts.length === 0 ? [] : [`tested now: ${tested}`]),
  ].join(', ');
};
