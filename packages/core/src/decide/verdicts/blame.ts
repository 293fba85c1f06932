import { mayTest } from '../../model/gates.js';
import { statusOf } from '../../model/queue.js';
import type { ReasonCode } from '../../model/reasons.js';
import {
  groundOf,
  hasFailed,
  isSameMember,
  type Member,
  memberKey,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import { isAdmitted, isLive } from '../../model/submission.js';
import type { Draft } from '../draft/draft.js';
import { isAhead } from '../line/line.js';
import { type Position, positionIn, positions } from '../line/positions.js';
import { closeCause, whatBecameOf, whoseDoing } from '../line/proof.js';
import { canBeBuiltOn, memberOf } from '../line/standpoint.js';
import { requeue } from '../moves/leave.js';
import { failCulprit } from './culprit.js';
import { failsByItself } from './tip.js';

/** Whose fault a failure is. */
export const blame = (draft: Draft): void => {
  for (const { id } of draft.openRuns()) blameRun(draft, id);
};

/** Failed only once everything below it has landed as it was tested; sent back as soon as that can no longer be. */
const blameRun = (draft: Draft, id: TestRun['id']): void => {
  const failed = draft.run(id);
  if (failed === undefined || failed.closedAt !== null || failed.purpose.kind !== 'test') return;
  if (!hasFailed(failed) || failed.bisection !== null) return;
  const run = letGoOfWitnesses(draft, failed);
  const assumptions = assumptionsOf(draft, run);
  if (assumptions === 'undecided') return;
  if (assumptions !== 'came_true') return testAgain(draft, run, assumptions);
  if (run.witnesses.some((one) => isAwaited(draft, run, one))) return;
  const [only, ...others] = draft.membersOf(run);
  if (others.length > 0) isolateBatch(draft, run);
  else if (only !== undefined) failCulprit(draft, only, run);
};

/** What it failed on does not come to land: that says nothing of anybody. */
const testAgain = (draft: Draft, run: TestRun, reason: ReasonCode): void => {
  draft.closeRun(run, closeCause(run, reason));
  const keeps = isOthersDoing(reason) ? 'place' : 'nothing';
  const because = { reason, detail: whoseDoing(draft, run, reason), runId: run.id };
  for (const submission of draft.membersOf(run))
    if (draft.runsOf(submission).length === 0) requeue(draft, submission, because, keeps);
};

/** Where those ahead of it have left, it stays ahead of those behind it. Where everybody is built anew, it is like the others. */
const isOthersDoing = (reason: ReasonCode): boolean =>
  reason !== 'MANUAL_PUSH_TO_TARGET_BRANCH' && reason !== 'OVERTAKEN';

/** Whoever has passed, with it or otherwise, has nothing more to say of it, and is not held up by it any longer. */
const letGoOfWitnesses = (draft: Draft, run: TestRun): TestRun =>
  keepWitnesses(
    draft,
    run,
    run.witnesses.filter(({ submissionId }) => draft.submission(submissionId)?.state !== 'tests_passed'),
  );

const keepWitnesses = (draft: Draft, run: TestRun, witnesses: readonly Member[]): TestRun =>
  witnesses.length === run.witnesses.length ? run : draft.changeRun(run, { witnesses });

/** Another number of witnesses counts for what has failed already where it is a lower one. */
export const lowerWitnessCount = (draft: Draft): void => {
  for (const run of draft.openRuns())
    if (run.witnesses.length > 0) keepWitnesses(draft, run, calledOf(draft, run, run.witnesses));
};

/** Its culprit is looked for from now on; what stands behind is tested without it. */
const isolateBatch = (draft: Draft, run: TestRun): void => {
  draft.changeRun(run, {
    bisection: {
      base: groundOf(run) ?? run.base,
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

/** Whether what a run assumed about those below it came true, may still, or why it cannot any more. */
export const assumptionsOf = (draft: Draft, run: TestRun): 'came_true' | 'undecided' | ReasonCode => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (isOvertaken(draft, run)) return 'OVERTAKEN';
  const below = remainingStack(run);
  const first = run.batch[0];
  const expected = new Set(
    (first === undefined ? [] : (positionIn(draft, first.submissionId)?.stack ?? [])).map((one) => one.pr),
  );
  for (const member of below) {
    const submission = draft.attemptOf(member);
    const isThere = submission !== undefined && isLive(submission);
    if (!isThere || !expected.has(member.pr)) return whatBecameOf(draft, member);
  }
  if (below.length > 0) return 'undecided';
  return failsByItself(draft, run) ? 'BASE_BROKEN' : 'came_true';
};

/** In lanes a failure stands when a pull request from behind lands first: it is judged on the ground that it failed on. */
const isOvertaken = (draft: Draft, run: TestRun): boolean =>
  run.overtakenBy !== null && (!run.isOvertakerKnown || isVoidOnceLanded(draft, run, run.overtakenBy));

/**
 * True where the landing of this pull request, which touches the same, voids a failure: it stood ahead and was left out, or, in
 * single mode, what failed is not a batch that stood on the tip.
 */
export const isVoidOnceLanded = ({ queue }: Draft, { batch, stack, without }: TestRun, pr: number): boolean =>
  without.some((one) => one.pr === pr) ||
  (queue.settings.mode === 'single' && (batch.length === 1 || stack.length > 0));

/** True of one that has come to stand ahead of a batch since its candidate was built, as an urgent one does. */
export const hasComeAhead = (draft: Draft, run: TestRun, member: Member): boolean => {
  const [first] = draft.membersOf(run);
  const other = draft.attemptOf(member);
  return first !== undefined && other !== undefined && isAhead(draft, other, first);
};

/**
 * True while a test run of the witness that holds the failed batch is under way or may begin. One that has ended is not waited
 * for: without a verdict it waits itself until what it was tested on is decided.
 */
export const isAwaited = (draft: Draft, failed: TestRun, witness: Member): boolean => {
  const submission = draft.submission(witness.submissionId);
  if (submission === undefined || !isAdmitted(submission) || !canBeBuiltOn(draft, submission)) return false;
  if (!isSameMember(memberOf(submission), witness)) return false;
  if (positionIn(draft, witness.submissionId)?.isTooDeep === true) return false;
  const first = failed.batch[0];
  const tests = draft.runsOf(submission).filter(({ stack }) => stack.some((one) => isSameMember(one, first)));
  if (tests.some(({ state }) => state !== 'ended')) return true;
  return tests.length === 0 && mayTest(statusOf(draft.queue), draft, submission);
};

/**
 * The first that stand behind it in its lane, at this moment, and whoever is tested together with one of them: their test is
 * to come to its end. Those who come later do not count.
 */
export const witnessesOf = (draft: Draft, run: TestRun): readonly Member[] => {
  const depth = draft.queue.settings.pendingFailureDepth;
  if (depth === 0) return [];
  const behind = behindIt(draft, depth, (stack) => isBelow(run, stack));
  return calledOf(
    draft,
    run,
    behind.map(({ member }) => member),
  );
};

/** True where the last of its batch is in the stack. */
const isBelow = ({ batch }: TestRun, stack: readonly Member[]): boolean => {
  const last = batch.at(-1);
  return stack.some((member) => isSameMember(member, last));
};

/** Of those behind it, in their order: as many as the queue asks for, and whoever is tested together with one of these. */
const calledOf = (draft: Draft, run: TestRun, behind: readonly Member[]): readonly Member[] => {
  const first = new Set(behind.slice(0, draft.queue.settings.pendingFailureDepth).map(memberKey));
  const tests = draft.openRuns().filter(({ stack, state }) => state !== 'ended' && isBelow(run, stack));
  const together = tests
    .map(({ batch }) => batch.map(memberKey))
    .filter((keys) => keys.some((key) => first.has(key)));
  const called = new Set([...first, ...together.flat()]);
  return behind.filter((member) => called.has(memberKey(member)));
};

/** Whoever is in play behind it, the first so many at least. In lanes they may stand behind many who wait in other lanes. */
const behindIt = (
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
