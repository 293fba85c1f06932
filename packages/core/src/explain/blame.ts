import { isAwaited } from '../decide/blame.js';
import type { Draft } from '../decide/draft.js';
import { othersAhead } from '../decide/isolate.js';
import { partsOf } from '../decide/isolation.js';
import { memberOf, positionIn } from '../decide/positions.js';
import { mergesOptimistically } from '../decide/proof.js';
import { freeToIsolate, runsThatIsolate, slotsToIsolate } from '../decide/slots.js';
import { controls, doubtedChecks, isTipRed } from '../decide/tip.js';
import { mayFinish } from '../model/gates.js';
import { statusOf } from '../model/queue.js';
import {
  groundOf,
  hasFailed,
  type Isolation,
  isSameMember,
  type Member,
  type Run,
  remainingBatch,
  remainingStack,
} from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { closedGate, decided, nextAsked } from './gates.js';
import { endsWith, type Step, type Told, tell } from './told.js';
import { awaited, awaitedByBatch } from './under-test.js';
import { be, checksOf, cutName, prOf, prsOf, quoted, runOf, shortOf, timeOf } from './words.js';

/** Why one whose tests failed is neither failed nor tested again: whose fault it is has not been settled. */
export const heldBack = (draft: Draft, submission: Submission): Step => {
  const run = submission.failedRunId === null ? undefined : draft.run(submission.failedRunId);
  if (run === undefined) return endsWith(decided(submission));
  const below = remainingStack(run);
  if (below.length > 0) return onUndecided(draft, submission, run);
  const witnesses = run.witnesses.filter((member) => isAwaited(draft, run, member));
  if (witnesses.length > 0) {
    const others = witnesses.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
    const told = witnessed(draft, submission, run, others);
    return { causes: [told], because: others, otherwise: [decided(submission)] };
  }
  if (isTipRed(draft)) return closedGate(draft, submission);
  if (draft.queue.isTipInDoubt) return endsWith(unread(draft));
  return endsWith(...controlled(draft, submission, run));
};

const onUndecided = (draft: Draft, submission: Submission, run: Run): Step => {
  const below = remainingStack(run);
  const [it, next] = [prOf(submission.pr), whatFollows(draft, submission, run)];
  const cleared = clearedBy(draft, submission, run);
  const values = { it, ...failureOf(run), ahead: prsOf(below), cleared, next };
  const told = tell('verdicts_ahead', values, {
    pr: below.at(-1)?.pr ?? null,
    runId: run.id,
    checks: failedChecks(run),
  });
  const ahead = below.flatMap(({ submissionId }) => draft.submission(submissionId) ?? []);
  const undecided = ahead.filter(({ state }) => state !== 'tests_passed');
  const because = undecided.length > 0 ? undecided : ahead;
  return { causes: [told], because, otherwise: [decided(submission)] };
};

/** By whose pass it would land together with those ahead of it, whatever its own tests have shown. */
const clearedBy = (draft: Draft, { pr }: Submission, run: Run): string => {
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

const oneOf = (members: readonly { readonly pr: number }[]): string =>
  members.length === 1 ? prsOf(members) : `one of ${prsOf(members)}`;

const witnessed = (draft: Draft, submission: Submission, run: Run, others: readonly Submission[]): Told => {
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
  return tell('witnesses', values, { pr: others[0]?.pr ?? null, runId: run.id, checks: failedChecks(run) });
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
const goingPast = (draft: Draft, failed: Run, witnesses: readonly Submission[]): readonly Member[] => {
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
const holds = (draft: Draft, member: Member, failed: Run): boolean =>
  testedOn(draft, member).some((stack) => stack.some((one) => isSameMember(one, failed.batch[0])));

/** What lies below it in each of its tests, or is to lie there. */
const testedOn = (draft: Draft, { submissionId }: Member): readonly (readonly Member[])[] => {
  const own = draft.submission(submissionId);
  const runs = own === undefined ? [] : draft.runsOf(own);
  if (runs.length > 0) return runs.map(({ stack }) => stack);
  const { pendingFailureDepth } = draft.queue.settings;
  return [positionIn(draft, submissionId, pendingFailureDepth)?.stack ?? []];
};

/** What comes of a failure that counts. */
const whatFollows = (draft: Draft, { pr }: Pick<Submission, 'pr'>, run: Run): string => {
  if (remainingBatch(run).length > 1 && run.isolation === null)
    return 'the one of its batch that is to blame is looked for';
  const isConfirmedFirst =
    draft.queue.settings.confirmBeforeFailing && draft.liveSubmission(pr)?.suspectedBy === null;
  return isConfirmedFirst ? `${prOf(pr)} is tested once more before it is failed` : `${prOf(pr)} is failed`;
};

/** Somebody may have moved the target: it is read before anybody is blamed. */
const unread = (draft: Draft): Told => {
  const read = 'may have changed since it was read';
  return tell('target_unread', { branch: draft.queue.branch, read, next: nextAsked(draft, 'branch') });
};

/** The test of the target itself, before somebody is blamed; what is told where none is asked for. */
const controlled = (draft: Draft, submission: Pick<Submission, 'pr'>, failed: Run): readonly Told[] => {
  const { target, branch } = draft.queue;
  const ground = groundOf(failed);
  const checks = doubtedChecks(draft, ground);
  if (checks.length === 0 || ground === null) return [decided(submission)];
  const run = controls(draft).find(({ base }) => base === ground);
  const values = {
    it: prOf(submission.pr),
    ...failureOf(failed),
    branch,
    names: checksOf(checks),
    tip: shortOf(ground),
    next: whatFollows(draft, submission, failed),
    otherwise:
      ground === target.head
        ? 'the queue is paused and nobody is blamed'
        : 'nobody is blamed, and what failed on it is tested again on the present tip',
  };
  const about = { pr: submission.pr, runId: run?.id ?? failed.id, checks };
  const told = tell('control', values, about);
  return [told, ...(run === undefined ? toLookForCauses(draft, submission) : awaited(draft, run, null))];
};

/** Why a test that looks for a cause has not begun. */
const toLookForCauses = (draft: Draft, submission: Pick<Submission, 'pr'>): readonly Told[] => {
  if (!mayFinish(statusOf(draft.queue))) return closedGate(draft, submission).causes;
  if (freeToIsolate(draft) > 0) return [decided(submission)];
  const runs = runsThatIsolate(draft);
  const slot = tell('isolation_slot', {
    used: runs.length,
    are: be(runs.length),
    slots: slotsToIsolate(draft),
    holders: runs
      .map((run) => (run.batch.length === 0 ? draft.queue.branch : prsOf(run.batch)))
      .join(' and '),
  });
  const [first] = runs;
  return [slot, ...(first === undefined ? [] : awaitedByBatch(draft, first))];
};

/** Why the one to blame of its failed batch is not known yet. */
export const isolating = (draft: Draft, submission: Submission): Step => {
  const run = isolatedRunOf(draft, submission);
  if (run?.isolation == null) return endsWith(decided(submission));
  const { isolation } = run;
  const parts = partsOf(draft, run).filter(({ state }) => state !== 'ended');
  const { check, run: name } = failureOf(run);
  const isOutOfTime = run.outcome === 'timed_out' && run.decidedBy === null;
  const told = tell(
    'isolation',
    {
      it: prOf(submission.pr),
      members: prsOf(run.batch),
      failed: isOutOfTime ? 'came to no verdict in time' : `failed ${check}`,
      run: name,
      progress: progressOf(run, isolation, parts),
      next: onceFound(draft, submission, run),
    },
    { pr: submission.pr, runId: run.id, checks: failedChecks(run) },
  );
  return endsWith(told, ...nextPart(draft, submission, run, parts));
};

/** What becomes of its batch. A pass lands only where nobody went past the batch, or stands ahead of it. */
const onceFound = (draft: Draft, submission: Submission, run: Run): string => {
  const ahead = othersAhead(draft, run, submission.id) ?? [];
  const passed = run.batch.slice(0, run.isolation?.passed ?? 0);
  const isCleared = passed.some(({ submissionId }) => submissionId === submission.id);
  if (run.overtakenBy === null && ahead.length === 0 && !isCleared)
    return 'what passes lands, the one to blame is failed, and the others are tested again';
  const behind = ahead.length === 0 ? '' : ` behind ${prsOf(ahead)}`;
  const by = run.isOvertakerKnown ? prOf(run.overtakenBy ?? 0) : 'others';
  const why =
    run.overtakenBy === null ? '' : `, as ${by} ${run.isOvertakerKnown ? 'has' : 'have'} landed without them`;
  return `the one to blame is failed, and the others, those who passed too, are tested again${behind}${why}`;
};

const nextPart = (draft: Draft, submission: Submission, run: Run, parts: readonly Run[]): readonly Told[] => {
  const own = parts.find(({ batch }) => batch.some(({ submissionId }) => submissionId === submission.id));
  if (own !== undefined) return awaited(draft, own, submission);
  const [first] = parts;
  if (first !== undefined) return awaitedByBatch(draft, first);
  if (isTipRed(draft)) return closedGate(draft, submission).causes;
  const isFound = run.isolation !== null && run.isolation.failed - run.isolation.passed === 1;
  if (isFound && draft.queue.isTipInDoubt) return [unread(draft)];
  const evidence = draft.run(run.isolation?.failedBy ?? run.id) ?? run;
  if (isFound && doubtedChecks(draft, groundOf(evidence)).length > 0) {
    const suspect = run.batch[(run.isolation?.failed ?? 0) - 1] ?? submission;
    return controlled(draft, suspect, evidence);
  }
  const retryAt = run.isolation?.retryAt ?? null;
  if (retryAt !== null && retryAt > draft.now) return [retried(draft, submission, run, retryAt)];
  return toLookForCauses(draft, submission);
};

const retried = (draft: Draft, { pr }: Submission, { isolation }: Run, untilAt: number): Told => {
  const [used, budget] = [isolation?.retries ?? 0, draft.context.pace.retryLimit];
  return tell('isolation_retry', { it: prOf(pr), used, budget, until: timeOf(untilAt) }, { pr, untilAt });
};

const isolatedRunOf = (draft: Draft, submission: Submission): Run | undefined =>
  draft.runsOf(submission).find(({ isolation }) => isolation !== null);

/** What has been cleared, who is left, and what is tested now. */
const progressOf = (
  run: Run,
  { passed, failed }: Pick<Isolation, 'passed' | 'failed'>,
  parts: readonly Run[],
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

/** What one more run is to confirm before it is failed; null where nothing is. */
export const confirming = ({ pr, suspectedBy, suspectedDetail }: Submission): Told | null => {
  if (suspectedBy === null) return null;
  const detail = suspectedDetail === null ? [] : [quoted(suspectedDetail, '')];
  const failure = [...detail, `run ${runOf(suspectedBy)}`].join(', ');
  return tell('confirmation', { it: prOf(pr), failure }, { pr, runId: suspectedBy });
};

const failureOf = (run: Run): { readonly check: string; readonly run: string } => {
  const name = run.decidedBy?.name;
  const otherwise = run.outcome === 'timed_out' ? 'no verdict in time' : 'a required check';
  return { check: name === undefined ? otherwise : `check ${cutName(name)}`, run: runOf(run.id) };
};

const failedChecks = (run: Run): readonly string[] =>
  hasFailed(run) && run.decidedBy !== null ? [run.decidedBy.name] : [];
