import { mayTest } from '../../model/gates.js';
import { statusOf } from '../../model/queue.js';
import type { ReasonCode } from '../../model/reasons.js';
import {
  actualBaseOf,
  hasFailed,
  isSameMember,
  type Member,
  memberKey,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import { isAdmitted, isLive } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { byLine, isAhead } from '../line/line.js';
import { isFailureOvertaken } from '../line/overtaking.js';
import { canBeStackedOn, memberOf } from '../line/placement-input.js';
import { type Position, positionIn, positions } from '../line/positions.js';
import { causeOfStaleness, closeCause, reasonOfAbsence } from '../line/proof.js';
import { requeue } from '../moves/leave.js';
import { failsByItself } from './baseline-runs.js';
import { failCulprit } from './culprit.js';

/**
 * Decides what each failed test run means: its pull request fails, its batch is bisected, or it is tested again. In line
 * order, because whether a failure counts depends on the pull requests ahead.
 */
export const blame = (draft: Draft): void => {
  const failed = draft.openRuns().filter(hasFailed);
  for (const { id } of failed.toSorted((one, other) => compareRuns(draft, one, other))) blameRun(draft, id);
};

/** By the first member that is still live. Runs without one come first. */
const compareRuns = (draft: Draft, one: TestRun, other: TestRun): number => {
  const [own] = draft.membersOf(one);
  const [others] = draft.membersOf(other);
  if (own === undefined || others === undefined || own.id === others.id)
    return Number(own !== undefined) - Number(others !== undefined);
  return byLine(draft)(own, others);
};

/**
 * A failure counts only once everything below it has landed as it was tested. As soon as that is impossible, the batch
 * is tested again.
 */
const blameRun = (draft: Draft, id: TestRun['id']): void => {
  const failed = draft.run(id);
  if (failed === undefined || failed.closedAt !== null || failed.purpose.kind !== 'test') return;
  if (!hasFailed(failed) || failed.bisection !== null) return;
  const run = dropPassedWitnesses(draft, failed);
  const assumptions = assumptionsOf(draft, run);
  if (assumptions === 'undecided') return;
  if (assumptions === 'incomplete') return testWhole(draft, run);
  if (assumptions !== 'came_true') return testAgain(draft, run, assumptions);
  if (run.witnesses.some((one) => isAwaited(draft, run, one))) return;
  const [only, ...others] = draft.membersOf(run);
  if (others.length > 0) startBisection(draft, run);
  else if (only !== undefined) failCulprit(draft, only, run);
};

/** Tests the batch again: the stack or base that it failed on will not land, so the failure says nothing about it. */
const testAgain = (draft: Draft, run: TestRun, reason: ReasonCode): void => {
  draft.closeRun(run, closeCause(run, reason));
  const keeps = keepsPlaceAfter(reason) ? 'place' : 'nothing';
  const because = { reason, detail: causeOfStaleness(draft, run, reason), runId: run.id };
  for (const submission of draft.membersOf(run))
    if (draft.runsOf(submission).length === 0) requeue(draft, submission, because, keeps);
};

/** Tests the batch again, now that what was missing below it has landed. Nothing is stacked on it until then. */
const testWhole = (draft: Draft, run: TestRun): void => {
  draft.closeRun(run, 'superseded');
  const because = { reason: 'STACK_INCOMPLETE', detail: `#${run.missingBelow}`, runId: run.id } as const;
  for (const submission of draft.membersOf(run))
    draft.change(requeue(draft, submission, because, 'place'), suspicionBy(run));
};

/** The failure may be its own, so it is tested once more with nothing stacked on it. */
const suspicionBy = ({ id }: TestRun) => ({ suspectedBy: id, suspicions: 0 });

/**
 * If pull requests ahead of it have left, the batch keeps its place. If everything is rebuilt, it waits like the
 * others.
 */
const keepsPlaceAfter = (reason: ReasonCode): boolean =>
  reason !== 'MANUAL_PUSH_TO_TARGET_BRANCH' && reason !== 'OVERTAKEN';

/** Witnesses that have passed are not waited for any longer. */
const dropPassedWitnesses = (draft: Draft, run: TestRun): TestRun =>
  keepWitnesses(
    draft,
    run,
    run.witnesses.filter(({ submissionId }) => draft.submission(submissionId)?.state !== 'tests_passed'),
  );

const keepWitnesses = (draft: Draft, run: TestRun, witnesses: readonly Member[]): TestRun =>
  witnesses.length === run.witnesses.length ? run : draft.changeRun(run, { witnesses });

/** Applies a lower `pendingFailureDepth` also to failures that are waiting. A higher one does not apply to them. */
export const lowerWitnessCount = (draft: Draft): void => {
  for (const run of draft.openRuns())
    if (run.witnesses.length > 0) keepWitnesses(draft, run, awaitedAmong(draft, run, run.witnesses));
};

/** Starts a bisection. Pull requests behind the batch are tested without it from now on. */
const startBisection = (draft: Draft, run: TestRun): void => {
  draft.changeRun(run, {
    bisection: {
      base: actualBaseOf(run) ?? run.base,
      passed: 0,
      failed: run.batch.length,
      failedBy: run.id,
      parts: 0,
      retries: 0,
      retryAt: null,
    },
  });
  for (const submission of draft.membersOf(run))
    requeue(draft, submission, { reason: 'BISECTION_REQUIRED', runId: run.id }, 'batch');
};

/** Whether what the run assumed about its stack and base came true, is undecided, or why it cannot come true. */
export const assumptionsOf = (
  draft: Draft,
  run: TestRun,
): 'came_true' | 'undecided' | 'incomplete' | ReasonCode => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (isFailureOvertaken(draft, run)) return 'OVERTAKEN';
  const below = remainingStack(run);
  const first = run.batch[0];
  const expected = new Set(
    (first === undefined ? [] : (positionIn(draft, first.submissionId)?.stack ?? [])).map((one) => one.pr),
  );
  for (const member of below) {
    const submission = draft.attemptOf(member);
    const isThere = submission !== undefined && isLive(submission);
    if (!isThere || !expected.has(member.pr)) return reasonOfAbsence(draft, member);
  }
  if (below.length > 0) return 'undecided';
  if (run.missingBelow !== undefined) return 'incomplete';
  return failsByItself(draft, run) ? 'BASE_BROKEN' : 'came_true';
};

/** True for a pull request that has moved ahead of the batch since its candidate was built, as an urgent one does. */
export const hasComeAhead = (draft: Draft, run: TestRun, member: Member): boolean => {
  const [first] = draft.membersOf(run);
  const other = draft.attemptOf(member);
  return first !== undefined && other !== undefined && isAhead(draft, other, first);
};

/**
 * True while a test run of the witness on top of the failed batch is under way or may begin. An ended run without a verdict
 * is not awaited, because that run waits for the failed batch.
 */
export const isAwaited = (draft: Draft, failed: TestRun, witness: Member): boolean => {
  const submission = draft.submission(witness.submissionId);
  if (submission === undefined || !isAdmitted(submission) || !canBeStackedOn(draft, submission)) return false;
  if (!isSameMember(memberOf(submission), witness)) return false;
  if (positionIn(draft, witness.submissionId)?.isTooDeep === true) return false;
  const first = failed.batch[0];
  const tests = draft.runsOf(submission).filter(({ stack }) => stack.some((one) => isSameMember(one, first)));
  if (tests.some(({ state }) => state !== 'ended')) return true;
  return tests.length === 0 && mayTest(statusOf(draft.queue), draft, submission);
};

/**
 * The next witnesses in the lane, as many as `pendingFailureDepth` says, and the batches of these. If one of them
 * passes, the failure was not real. Pull requests that come later do not count.
 */
export const witnessesToAwait = (draft: Draft, run: TestRun): readonly Member[] => {
  const depth = draft.queue.settings.pendingFailureDepth;
  if (depth === 0) return [];
  const behind = witnessesOf(draft, depth, (stack) => isBelow(run, stack));
  return awaitedAmong(
    draft,
    run,
    behind.map(({ member }) => member),
  );
};

/** True if the last member of the run's batch is in the stack. */
const isBelow = ({ batch }: TestRun, stack: readonly Member[]): boolean => {
  const last = batch.at(-1);
  return stack.some((member) => isSameMember(member, last));
};

/**
 * The first `pendingFailureDepth` of these witnesses, and all that are tested together with one of them. Keeps their order.
 */
const awaitedAmong = (draft: Draft, run: TestRun, behind: readonly Member[]): readonly Member[] => {
  const first = new Set(behind.slice(0, draft.queue.settings.pendingFailureDepth).map(memberKey));
  const tests = draft.openRuns().filter(({ stack, state }) => state !== 'ended' && isBelow(run, stack));
  const together = tests
    .map(({ batch }) => batch.map(memberKey))
    .filter((keys) => keys.some((key) => first.has(key)));
  const awaited = new Set([...first, ...together.flat()]);
  return behind.filter((member) => awaited.has(memberKey(member)));
};

/**
 * The witnesses in play, at least `depth` of them. In lanes, many pull requests of other lanes may stand between them.
 */
const witnessesOf = (
  draft: Draft,
  depth: number,
  isOn: (stack: readonly Member[]) => boolean,
): readonly Position[] => {
  const behind: Position[] = [];
  for (const position of positions(draft)) {
    if (behind.length >= depth && !hasBegun(draft, position)) break;
    if (position.isInPlay && isOn(position.stack)) behind.push(position);
  }
  return behind;
};

const hasBegun = (draft: Draft, { member }: Position): boolean =>
  draft.submission(member.submissionId)?.place != null;
