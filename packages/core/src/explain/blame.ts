import type { Draft } from '../decide/draft/draft.js';
import { positionIn } from '../decide/line/positions.js';
import { mergesOptimistically } from '../decide/line/proof.js';
import { memberOf } from '../decide/line/standpoint.js';
import { isAwaited } from '../decide/verdicts/blame.js';
import { landingBeforeConfirmed } from '../decide/verdicts/culprit.js';
import { isBaseBroken } from '../decide/verdicts/tip.js';
import { isSameMember, type Member, remainingBatch, remainingStack, type TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { waitForBaselineRun, waitForTargetRead } from './baseline.js';
import { type Explained, endsWith, explained, type Step } from './explained.js';
import { behindPassed, failedChecks, failureOf, whatFollows, wouldVoid } from './failure.js';
import { aboutToDecide, closedGate } from './gates.js';
import { oneOf, prOf, prsOf } from './words.js';

/** Why one whose tests failed is neither failed nor tested again: whose fault it is has not been settled. */
export const heldBack = (draft: Draft, submission: Submission): Step => {
  const run = submission.failedRunId === null ? undefined : draft.run(submission.failedRunId);
  if (run === undefined) return endsWith(aboutToDecide(submission));
  const below = remainingStack(run);
  if (below.length > 0) return onUndecided(draft, submission, run);
  const witnesses = run.witnesses.filter((member) => isAwaited(draft, run, member));
  if (witnesses.length > 0) {
    const others = witnesses.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
    const told = witnessed(draft, submission, run, others);
    return { causes: [told], because: others, otherwise: [aboutToDecide(submission)] };
  }
  if (isBaseBroken(draft)) return closedGate(draft, submission);
  if (draft.queue.isTipInDoubt) return endsWith(waitForTargetRead(draft));
  const landing = landingBeforeConfirmed(draft, submission);
  if (landing.length > 0)
    return {
      causes: [behindPassed(submission, run, landing)],
      because: landing.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []),
      otherwise: [aboutToDecide(submission)],
    };
  return endsWith(...waitForBaselineRun(draft, submission, run));
};

const onUndecided = (draft: Draft, submission: Submission, run: TestRun): Step => {
  const below = remainingStack(run);
  const [it, next] = [prOf(submission.pr), whatFollows(draft, submission, run)];
  const cleared = clearedBy(draft, submission, run);
  const others = besidesBelow(draft, submission, run);
  const values = { it, ...failureOf(run), ahead: prsOf(below), cleared, next, others };
  const told = explained('verdicts_ahead', values, {
    pr: below.at(-1)?.pr ?? null,
    runId: run.id,
    checks: failedChecks(run),
  });
  const ahead = below.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
  const undecided = ahead.filter(({ state }) => state !== 'tests_passed');
  const because = undecided.length > 0 ? undecided : ahead;
  return { causes: [told], because, otherwise: [aboutToDecide(submission)] };
};

/** Those who have come to stand ahead of it since its test was built: once one of them lands, that says nothing any more. */
const besidesBelow = (draft: Draft, { id }: Submission, run: TestRun): string => {
  const stack = positionIn(draft, id)?.stack ?? [];
  const below = remainingStack(run);
  const since = stack.filter(
    (one) => !below.some((other) => isSameMember(one, other)) && wouldVoid(draft, run, one),
  );
  return since.length === 0 ? '' : ` or ${oneOf(since)} ahead of it, which it was tested without,`;
};

/** By whose pass it would land together with those ahead of it, whatever its own tests have shown. */
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
  return `${prOf(pr)} lands ${ways.join(', and ')}; otherwise, `;
};

/** With whom of those below a failure one behind it is tested, and without whom. */
const companyOf = (draft: Draft, member: Member, below: readonly Member[]): string => {
  const stacks = testedOn(draft, member);
  const isHeld = (one: Member) => stacks.some((stack) => stack.some((other) => isSameMember(one, other)));
  const [held, left] = [below.filter(isHeld), below.filter((one) => !isHeld(one))];
  return [
    ...(held.length === 0 ? [] : [`with ${prsOf(held)}`]),
    ...(left.length === 0 ? [] : [`without ${prsOf(left)}`]),
  ].join(' and ');
};

const witnessed = (
  draft: Draft,
  submission: Submission,
  run: TestRun,
  others: readonly Submission[],
): Explained => {
  const [it, then] = [prOf(submission.pr), whatFollows(draft, submission, run)];
  const holding = others.filter((one) => holds(draft, memberOf(one), run));
  const apart = others.filter((one) => !holding.includes(one));
  const tests = [
    ...(holding.length === 0
      ? []
      : [`the tests of ${prsOf(holding)} behind it, which hold the change of ${it} too`]),
    ...(apart.length === 0
      ? []
      : [
          `the tests of ${prsOf(apart)}, which no longer ${apart.length === 1 ? 'stands' : 'stand'} behind it`,
        ]),
  ].join(', and ');
  const over = [
    ...apart.filter((one) => standsOn(draft, submission, one)),
    ...goingPast(draft, run, holding),
  ];
  const again = over.length === 0 ? '' : `; where ${oneOf(over)} lands before it, ${it} is tested again`;
  const remedy = `Nothing has to be done: ${onceEnded(draft, it, holding, then)}${again}`;
  const values = { it, ...failureOf(run), tests, remedy };
  return explained('witnesses', values, {
    pr: others[0]?.pr ?? null,
    runId: run.id,
    checks: failedChecks(run),
  });
};

const onceEnded = (draft: Draft, it: string, holding: readonly Submission[], then: string): string => {
  if (holding.length > 0 && mergesOptimistically(draft)) {
    const [one, none] = holding.length === 1 ? ['', 'it does not'] : ['one of ', 'none does'];
    return `${it} lands if ${one}${prsOf(holding)} passes together with it; if ${none}, ${then}`;
  }
  const wouldClear = holding.length > 0 && !draft.queue.settings.canOptimisticallyMerge;
  const hint = wouldClear ? '; with canOptimisticallyMerge a pass of one of them would clear it' : '';
  return `when these tests have ended, ${then}${hint}`;
};

const standsOn = (draft: Draft, { id }: Submission, other: Submission): boolean =>
  positionIn(draft, id)?.stack.some((one) => isSameMember(one, memberOf(other))) ?? false;

/** Those under test on witnesses of a failure, but not on what failed: their pass has all of them land without it. */
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

/** True where the test of one behind has the failed batch under it, or is to have. */
const holds = (draft: Draft, member: Member, failed: TestRun): boolean =>
  testedOn(draft, member).some((stack) => stack.some((one) => isSameMember(one, failed.batch[0])));

/** What lies below it in each of its tests, or is to lie there. */
const testedOn = (draft: Draft, { submissionId }: Member): readonly (readonly Member[])[] => {
  const own = draft.submission(submissionId);
  const runs = own === undefined ? [] : draft.runsOf(own);
  if (runs.length > 0) return runs.map(({ stack }) => stack);
  return [positionIn(draft, submissionId)?.stack ?? []];
};
