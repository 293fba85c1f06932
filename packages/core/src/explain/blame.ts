import type { Draft } from '../decide/draft/draft.js';
import { memberOf } from '../decide/line/placement-input.js';
import { positionIn } from '../decide/line/positions.js';
import { mergesOptimistically } from '../decide/line/proof.js';
import { isBaseBroken } from '../decide/verdicts/baseline-runs.js';
import { isAwaited } from '../decide/verdicts/blame.js';
import { isTargetInDoubt, landingBeforeConfirmed } from '../decide/verdicts/culprit.js';
import { isSameMember, type Member, remainingBatch, remainingStack, type TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { waitForBaselineRun, waitForTargetRead } from './baseline.js';
import { type ChainStep, causeOf, type ExplainedCause, endOfChain } from './chain-step.js';
import { behindPassed, failedChecks, failureOf, whatFollows, wouldVoid } from './failure.js';
import { aboutToDecide, closedGate } from './gates.js';
import { oneOf, prOf, prsOf } from './phrases.js';

/** Why a pull request whose tests failed is neither failed nor tested again: the culprit is not known yet. */
export const waitForVerdict = (draft: Draft, submission: Submission): ChainStep => {
  const run = submission.failedRunId === null ? undefined : draft.run(submission.failedRunId);
  if (run === undefined) return endOfChain(aboutToDecide(submission));
  const below = remainingStack(run);
  if (below.length > 0) return onUndecided(draft, submission, run);
  const witnesses = run.witnesses.filter((member) => isAwaited(draft, run, member));
  if (witnesses.length > 0) {
    const awaited = witnesses.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
    return {
      causes: [witnessed(draft, submission, run, awaited)],
      waitsOf: awaited,
      fallback: [aboutToDecide(submission)],
    };
  }
  if (isBaseBroken(draft)) return closedGate(draft, submission);
  if (isTargetInDoubt(draft, submission)) return endOfChain(waitForTargetRead(draft));
  const landing = landingBeforeConfirmed(draft, submission);
  if (landing.length > 0)
    return {
      causes: [behindPassed(submission, run, landing)],
      waitsOf: landing.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []),
      fallback: [aboutToDecide(submission)],
    };
  return endOfChain(...waitForBaselineRun(draft, submission, run));
};

const onUndecided = (draft: Draft, submission: Submission, run: TestRun): ChainStep => {
  const below = remainingStack(run);
  const [it, next] = [prOf(submission.pr), whatFollows(draft, submission, run)];
  const cleared = clearedBy(draft, submission, run);
  const others = besidesBelow(draft, submission, run);
  const values = { it, ...failureOf(run), ahead: prsOf(below), cleared, next, others };
  const cause = causeOf('verdicts_ahead', values, {
    pr: below.at(-1)?.pr ?? null,
    runId: run.id,
    checks: failedChecks(run),
  });
  const ahead = below.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
  const undecided = ahead.filter(({ state }) => state !== 'tests_passed');
  const waitsOf = undecided.length > 0 ? undecided : ahead;
  return { causes: [cause], waitsOf, fallback: [aboutToDecide(submission)] };
};

/** Names pull requests that came ahead of it after its test was built, and whose landing makes its failure stale. */
const besidesBelow = (draft: Draft, { id }: Submission, run: TestRun): string => {
  const stack = positionIn(draft, id)?.stack ?? [];
  const below = remainingStack(run);
  const since = stack.filter(
    (one) => !below.some((other) => isSameMember(one, other)) && wouldVoid(draft, run, one),
  );
  return since.length === 0 ? '' : ` or ${oneOf(since)} ahead of it, which it was tested without,`;
};

/** The pull requests behind it whose pass would land it too, in spite of its own failure (`canOptimisticallyMerge`). */
const clearedBy = (draft: Draft, { pr }: Submission, run: TestRun): string => {
  const awaitedOnes = run.witnesses.filter((member) => isAwaited(draft, run, member));
  const holding = awaitedOnes.filter((member) => holds(draft, member, run));
  if (holding.length === 0 || !mergesOptimistically(draft)) return '';
  const byCompany = new Map<string, Member[]>();
  for (const member of holding) {
    const company = companyOf(draft, member, remainingStack(run));
    byCompany.set(company, [...(byCompany.get(company) ?? []), member]);
  }
  const ways = [...byCompany].map(([company, members]) => `${company} if ${oneOf(members)} behind it passes`);
  return `; ${prOf(pr)} also merges ${ways.join(', and ')}`;
};

/** With and without which pull requests below the failure a pull request behind it is tested. */
const companyOf = (draft: Draft, member: Member, below: readonly Member[]): string => {
  const stacks = testedOn(draft, member);
  const isIncluded = (one: Member) => stacks.some((stack) => stack.some((other) => isSameMember(one, other)));
  const [included, leftOut] = [below.filter(isIncluded), below.filter((one) => !isIncluded(one))];
  return [
    ...(included.length === 0 ? [] : [`with ${prsOf(included)}`]),
    ...(leftOut.length === 0 ? [] : [`without ${prsOf(leftOut)}`]),
  ].join(' and ');
};

const witnessed = (
  draft: Draft,
  submission: Submission,
  run: TestRun,
  awaited: readonly Submission[],
): ExplainedCause => {
  const [it, then] = [prOf(submission.pr), whatFollows(draft, submission, run)];
  const holding = awaited.filter((one) => holds(draft, memberOf(one), run));
  const apart = awaited.filter((one) => !holding.includes(one));
  const tests = [
    ...(holding.length === 0 ? [] : [`the tests of ${prsOf(holding)} behind it, which include ${it}`]),
    ...(apart.length === 0
      ? []
      : [`the tests of ${prsOf(apart)}, which ${apart.length === 1 ? 'is' : 'are'} no longer behind it`]),
  ].join(', and ');
  const over = [
    ...apart.filter((one) => standsOn(draft, submission, one)),
    ...goingPast(draft, run, holding),
  ];
  const again = over.length === 0 ? '' : `; if ${oneOf(over)} merges before it, ${it} is tested again`;
  const remedy = `${onceEnded(draft, it, holding, then)}${again}`;
  const values = { it, ...failureOf(run), tests, remedy };
  return causeOf('witnesses', values, {
    pr: awaited[0]?.pr ?? null,
    runId: run.id,
    checks: failedChecks(run),
  });
};

const onceEnded = (draft: Draft, it: string, holding: readonly Submission[], then: string): string => {
  if (holding.length > 0 && mergesOptimistically(draft)) {
    const [one, none] = holding.length === 1 ? ['', 'it does not'] : ['one of ', 'none does'];
    return `${it} merges if ${one}${prsOf(holding)} passes together with it; if ${none}, ${then}`;
  }
  const wouldClear = holding.length > 0 && !draft.queue.settings.canOptimisticallyMerge;
  const hint = wouldClear ? '; with canOptimisticallyMerge a pass of one of them would clear it' : '';
  return `When these tests have ended, ${then}${hint}`;
};

const standsOn = (draft: Draft, { id }: Submission, other: Submission): boolean =>
  positionIn(draft, id)?.stack.some((one) => isSameMember(one, memberOf(other))) ?? false;

/** The pull requests under test on top of witnesses but not on what failed: if they pass, all of them land without it. */
const goingPast = (draft: Draft, failed: TestRun, witnesses: readonly Submission[]): readonly Member[] => {
  if (!mergesOptimistically(draft)) return [];
  const ids = new Set(witnesses.map(({ id }) => id));
  return draft
    .openRuns()
    .filter(
      ({ state, purpose, stack }) =>
        state !== 'ended' &&
        purpose.kind === 'test' &&
        stack.some(({ submissionId }) => ids.has(submissionId)) &&
        !stack.some((one) => isSameMember(one, failed.batch[0])),
    )
    .flatMap(remainingBatch);
};

/** True if the test of this member includes the failed batch, or will. */
const holds = (draft: Draft, member: Member, failed: TestRun): boolean =>
  testedOn(draft, member).some((stack) => stack.some((one) => isSameMember(one, failed.batch[0])));

/** The stack of each of its test runs; without one, the stack that its next one will have. */
const testedOn = (draft: Draft, { submissionId }: Member): readonly (readonly Member[])[] => {
  const own = draft.submission(submissionId);
  const runs = own === undefined ? [] : draft.runsOf(own);
  if (runs.length > 0) return runs.map(({ stack }) => stack);
  return [positionIn(draft, submissionId)?.stack ?? []];
};
