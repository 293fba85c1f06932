import type { Draft } from '../decide/draft/draft.js';
import { type BisectedRun, prefixRunsOf } from '../decide/testing/bisection.js';
import { doubtedChecks, isBaseBroken } from '../decide/verdicts/baseline-runs.js';
import { evidenceAgainstCulprit, othersAhead, unprovenBelowCulprit } from '../decide/verdicts/bisect.js';
import { isTargetInDoubt, landingBeforeConfirmed } from '../decide/verdicts/culprit.js';
import { actualBaseOf, type Bisection, type Member, remainingBatch, type TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { waitForBaselineRun, waitForBisectionSlot, waitForTargetRead } from './baseline.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { behindPassed, failedChecks, failureOf } from './failure.js';
import { aboutToDecide, closedGate } from './gates.js';
import { be, prOf, prsOf, timeOf } from './phrases.js';
import { waitForTestRun, waitForTestRunOfBatch } from './under-test.js';

/** Why the culprit of its failed batch is not known yet. */
export const bisecting = (draft: Draft, submission: Submission): ChainStep => {
  const run = bisectedRunOf(draft, submission);
  if (run === undefined) return endOfChain(aboutToDecide(submission));
  const { bisection } = run;
  const parts = prefixRunsOf(draft, run).filter(({ state }) => state !== 'ended');
  const { check, run: name } = failureOf(run);
  const isOutOfTime = run.outcome === 'timed_out' && run.decidedBy === null;
  const cause = causeOf(
    'isolation',
    {
      it: prOf(submission.pr),
      members: prsOf(run.batch),
      failed: isOutOfTime ? 'timed out' : `failed ${check}`,
      run: name,
      progress: progressOf(run, bisection, parts),
      next: onceFound(draft, submission, run),
    },
    { pr: submission.pr, runId: run.id, checks: failedChecks(run) },
  );
  const isAwaited = parts.length === 0 && isFound(bisection) && !isBaseBroken(draft);
  const below = isAwaited ? unprovenBelowCulprit(draft, run) : [];
  if (below.length === 0) return endOfChain(cause, ...nextPart(draft, submission, run, parts));
  const causes = [cause, onUnproven(draft, run, below)];
  return { causes, waitsOf: below, fallback: [aboutToDecide(submission)] };
};

/** True if only one member is left between the longest passed and the shortest failed part. */
const isFound = ({ passed, failed }: Bisection): boolean => failed - passed === 1;

/** The culprit failed a check that was skipped in the tests of those before it: they have to land first. */
const onUnproven = (draft: Draft, run: BisectedRun, below: readonly Submission[]): ExplainedCause => {
  const evidence = evidenceAgainstCulprit(draft, run);
  const culprit = run.batch[run.bisection.failed - 1];
  const it = culprit === undefined ? '' : prOf(culprit.pr);
  const values = {
    it,
    ...failureOf(evidence),
    ahead: prsOf(below),
    cleared: '',
    next: `${it} is failed`,
    others: '',
  };
  const about = { pr: below.at(-1)?.pr ?? null, runId: evidence.id, checks: failedChecks(evidence) };
  return causeOf('verdicts_ahead', values, about);
};

/**
 * What becomes of the batch, as a sentence. Members that pass land only if no pull request overtook the batch or is
 * ahead of it.
 */
const onceFound = (draft: Draft, submission: Submission, run: TestRun): string => {
  const ahead = othersAhead(draft, run, submission.id) ?? [];
  const passed = run.batch.slice(0, run.bisection?.passed ?? 0);
  const isCleared = passed.some(({ submissionId }) => submissionId === submission.id);
  if (run.overtakenBy === null && ahead.length === 0 && !isCleared)
    return `Pull requests of the batch that pass${withoutThoseBehind(draft, run)} merge, the culprit is failed, and the others are tested again`;
  const behind = ahead.length === 0 ? '' : ` behind ${prsOf(ahead)}`;
  const by = run.isOvertakerKnown ? prOf(run.overtakenBy ?? 0) : 'other pull requests';
  const why =
    run.overtakenBy === null ? '' : `, as ${by} ${run.isOvertakerKnown ? 'has' : 'have'} merged without them`;
  return `The culprit is failed, and the others, including those that passed, are tested again${behind}${why}`;
};

/** The members of the batch that other pull requests are ahead of by now: they land only after those. */
const withoutThoseBehind = (draft: Draft, run: TestRun): string => {
  const aheadOf = (member: Member) => othersAhead(draft, run, member.submissionId) ?? [];
  const behind = run.batch.filter((member) => aheadOf(member).length > 0);
  const [first] = behind;
  if (first === undefined) return '';
  const ahead = aheadOf(first);
  const are = be(behind.length);
  return ` (except ${prsOf(behind)}, which ${are} behind ${prsOf(ahead)} now)`;
};

const nextPart = (
  draft: Draft,
  submission: Submission,
  run: BisectedRun,
  parts: readonly TestRun[],
): readonly ExplainedCause[] => {
  const own = parts.find(({ batch }) => batch.some(({ submissionId }) => submissionId === submission.id));
  if (own !== undefined) return waitForTestRun(draft, own, submission);
  const [first] = parts;
  if (first !== undefined) return waitForTestRunOfBatch(draft, first);
  if (isBaseBroken(draft)) return closedGate(draft, submission).causes;
  const evidence = evidenceAgainstCulprit(draft, run);
  const suspect = run.batch[run.bisection.failed - 1];
  const culprit = suspect === undefined ? undefined : draft.submission(suspect.submissionId);
  if (isFound(run.bisection) && culprit !== undefined) {
    if (isTargetInDoubt(draft, culprit)) return [waitForTargetRead(draft)];
    const landing = landingBeforeConfirmed(draft, culprit);
    if (landing.length > 0) return [behindPassed(culprit, evidence, landing)];
    if (doubtedChecks(draft, actualBaseOf(evidence)).length > 0)
      return waitForBaselineRun(draft, culprit, evidence);
  }
  const { retryAt } = run.bisection;
  if (retryAt !== null && retryAt > draft.now) return [retried(draft, submission, run, retryAt)];
  return waitForBisectionSlot(draft, submission);
};

const retried = (
  draft: Draft,
  { pr }: Submission,
  { bisection }: BisectedRun,
  untilAt: number,
): ExplainedCause => {
  const [used, budget] = [bisection.retries, draft.context.pace.retryLimit];
  return causeOf('isolation_retry', { it: prOf(pr), used, budget, until: timeOf(untilAt) }, { pr, untilAt });
};

const bisectedRunOf = (draft: Draft, submission: Submission): BisectedRun | undefined =>
  draft.runsOf(submission).find((run): run is BisectedRun => run.bisection !== null);

/** Members that are cleared, those that are left, and those under test. */
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
    suspects.length === 1 ? `only ${prsOf(suspects)} is left` : `it is among ${prsOf(suspects)}`,
    ...(parts.length === 0 ? [] : [`tested now: ${tested}`]),
  ].join(', ');
};
