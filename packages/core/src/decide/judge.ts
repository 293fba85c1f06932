import { type Check, isOwnCheck, isPass, type Judgement, judgeChecks } from '../model/checks.js';
import { mayStart } from '../model/gates.js';
import { statusOf } from '../model/queue.js';
import type { ReasonCode } from '../model/reasons.js';
import { requiredChecksOf } from '../model/required-checks.js';
import { hasFailed, isSameMember, type Member, type Run, remainingStack } from '../model/run.js';
import { isAdmitted, isLive } from '../model/submission.js';
import { convict, detailOf, failureReason } from './convict.js';
import type { Draft } from './draft.js';
import { takeFromLanding } from './landing.js';
import { sendBack } from './leave.js';
import { memberOf, positionIn, positions } from './positions.js';
import { flawOf, whatBecameOf } from './proof.js';
import { repeat } from './repeat.js';
import { learnOfTip } from './tip.js';

/** What the tests say, and whose fault a failure is. */
export const judge = (draft: Draft): void => {
  for (const { id } of areTermsNew(draft) ? draft.liveRuns() : draft.runsToLookAt()) conclude(draft, id);
  for (const { id } of draft.liveRuns()) settle(draft, id);
  for (const { id } of draft.liveRuns()) blame(draft, id);
};

/** What a conclusion depends on besides the run itself. */
const areTermsNew = ({ queue, before }: Draft): boolean =>
  queue.settings !== before.settings || queue.target !== before.target || queue.landing !== before.landing;

/** Compares the checks with the names in force now: what passed for other names has to prove the new ones too. */
export const conclude = (draft: Draft, id: Run['id']): void => {
  const run = draft.run(id);
  if (run === undefined || run.closedAt !== null || run.trial === null) return;
  if (run.purpose.kind === 'compose') {
    if (run.state !== 'ended')
      draft.changeRun(run, { state: 'ended', outcome: 'passed', endedAt: draft.now });
    return;
  }
  if (run.state === 'ended' && run.outcome !== 'passed') return;
  const required = namesFor(draft, run);
  const evidence = { runId: run.id, since: run.createdAt, digests: draft.queue.target.digests };
  const judgement = judgeChecks(required, checksThatCount(run), evidence);
  if (run.state === 'ended') {
    if (judgement.outcome !== 'passed') loseProof(draft, run);
    return;
  }
  const outcome = judgement.outcome === 'undecided' ? givenUp(run) : judgement.outcome;
  if (outcome === 'undecided') return startMissing(draft, run, judgement);
  end(draft, { ...run, requiredChecks: required }, { ...judgement, outcome });
};

/** A control asks only what it was made to ask. */
const namesFor = (draft: Draft, run: Run): readonly string[] =>
  run.purpose.kind === 'control'
    ? run.requiredChecks
    : (requiredChecksOf(draft.queue)?.names ?? run.requiredChecks);

const checksThatCount = (run: Run): readonly Check[] => {
  const checks = [...run.known, ...run.checks];
  return run.purpose.kind === 'control' && run.purpose.isFresh
    ? checks.filter((check) => check.runId === run.id || check.startedAt >= run.createdAt)
    : checks;
};

const givenUp = ({ expired }: Run): Judgement['outcome'] => {
  if (expired === null) return 'undecided';
  return expired === 'no_verdict' ? 'timed_out' : 'infrastructure';
};

const startMissing = (draft: Draft, run: Run, judgement: Judgement): void => {
  const asked = new Set(run.startedChecks);
  const names = judgement.missing.filter((name) => !asked.has(name));
  if (names.length === 0 || run.starting !== null || run.trial === null) return;
  const starting = draft.wish({ type: 'start_checks', runId: run.id, commit: run.trial.commit, names });
  draft.changeRun(run, { starting, startedChecks: [...run.startedChecks, ...names] });
};

const end = (draft: Draft, run: Run, { outcome, check }: Judgement): void => {
  if (outcome === 'undecided' || run.trial === null) return;
  if (run.starting !== null) draft.withdraw(run.starting);
  if (outcome !== 'passed' || stillRuns(run))
    draft.wish({ type: 'cancel_checks', runId: run.id, commit: run.trial.commit });
  draft.changeRun(run, { state: 'ended', outcome, decidedBy: check, endedAt: draft.now, starting: null });
  if (outcome !== 'infrastructure' && outcome !== 'cancelled' && draft.queue.machineryTrouble !== null)
    draft.changeQueue({ machineryTrouble: null });
  if (outcome !== 'passed') return;
  for (const name of run.requiredChecks)
    for (const passed of [...run.known, ...run.checks])
      if (passed.name === name && isPass(passed)) draft.putVerdict({ tree: run.trial.tree, check: passed });
};

/**
 * Something that was started for it has no end yet, needed or not: with the verdict it has become a waste. The commit
 * may show checks of a run before that built the same: they say nothing of these.
 */
const stillRuns = ({ id, createdAt, startedChecks, checks }: Run): boolean => {
  const ended = checks.filter(
    (check) => check.status === 'completed' && isOwnCheck(check, { runId: id, since: createdAt }),
  );
  return startedChecks.some((name) => !ended.some((check) => check.name === name));
};

const loseProof = (draft: Draft, run: Run): void => {
  if (draft.membersOf(run).some((submission) => !takeFromLanding(draft, submission))) return;
  draft.closeRun(run, 'tests_incomplete');
  for (const submission of draft.membersOf(run))
    sendBack(draft, submission, { reason: 'REQUIRED_STATUSES_CHANGED', runId: run.id }, 'batch');
};

/** What an outcome means for those who were tested. Only a failure may be somebody's fault. */
const settle = (draft: Draft, id: Run['id']): void => {
  const run = draft.run(id);
  if (run === undefined || run.closedAt !== null || run.state !== 'ended') return;
  if (run.purpose.kind === 'control') return learnOfTip(draft, run);
  if (run.purpose.kind !== 'test' || run.isolation !== null) return;
  if (run.outcome === 'passed') return vouch(draft, run);
  if (!draft.membersOf(run).some((submission) => submission.state === 'testing')) return;
  if (hasFailed(run)) suspect(draft, run);
  else repeat(draft, run);
};

/** A pass vouches for the batch; where the queue merges optimistically also for everything stacked under it. */
const vouch = (draft: Draft, run: Run): void => {
  for (const submission of draft.membersOf(run))
    if (submission.state === 'testing') {
      const passed = draft.move(submission, 'tests_passed', { reason: 'TEST_RUN_PASSED', runId: run.id });
      if (passed.suspectedBy !== null) draft.change(passed, { suspectedBy: null });
    }
  if (!draft.queue.settings.canOptimisticallyMerge || flawOf(draft, run) !== null) return;
  for (const member of remainingStack(run)) {
    const below = draft.submission(member.submissionId);
    if (below === undefined || !isAdmitted(below) || below.state === 'tests_passed') continue;
    for (const own of draft.runsOf(below)) if (own.outcome !== 'passed') draft.closeRun(own, 'superseded');
    const passed = draft.move(below, 'tests_passed', { reason: 'SUCCESSOR_TEST_RUN_PASSED', runId: run.id });
    // Whoever was sent back to come again later could not be landed: a pass does not change that.
    const retryAt = below.state === 'pending' ? below.retryAt : null;
    draft.change(passed, { failedRunId: null, retryAt, suspectedBy: null });
  }
};

const suspect = (draft: Draft, run: Run): void => {
  const witnesses = witnessesOf(draft, run);
  const held = draft.changeRun(run, { witnesses });
  const members = draft.membersOf(held).filter((submission) => submission.state === 'testing');
  for (const submission of members) draft.change(submission, { failedRunId: run.id });
  const [only] = draft.membersOf(held);
  const isSettled = witnesses.length === 0 && standing(draft, held) === 'came_true';
  if (isSettled && run.batch.length === 1 && only !== undefined && convict(draft, only, held)) return;
  for (const submission of draft.membersOf(held))
    if (submission.state === 'testing')
      draft.move(submission, 'pending_failure', {
        reason: failureReason(run),
        detail: detailOf(run),
        runId: run.id,
      });
};

/** The first that stand behind it in its lane, at this moment: those who come later do not count. */
const witnessesOf = (draft: Draft, run: Run): readonly Member[] => {
  const depth = draft.queue.settings.pendingFailureDepth;
  const last = run.batch.at(-1);
  if (depth === 0 || last === undefined) return [];
  return positions(draft, depth)
    .filter(({ stack, isInPlay }) => isInPlay && stack.some((member) => isSameMember(member, last)))
    .slice(0, depth)
    .map(({ member }) => member);
};

/** Failed only once everything below it has landed as it was tested; sent back as soon as that can no longer be. */
const blame = (draft: Draft, id: Run['id']): void => {
  const known = draft.run(id);
  if (known === undefined || known.closedAt !== null || known.purpose.kind !== 'test') return;
  if (!hasFailed(known) || known.isolation !== null) return;
  const run = releaseWitnesses(draft, known);
  const state = standing(draft, run);
  if (state === 'open' || (state === 'came_true' && run.witnesses.some((one) => isAwaited(draft, run, one))))
    return;
  if (state !== 'came_true') {
    draft.closeRun(run, 'superseded');
    for (const submission of draft.membersOf(run))
      if (draft.runsOf(submission).length === 0)
        sendBack(
          draft,
          submission,
          { reason: state, runId: run.id },
          isOthersDoing(state) ? 'place' : 'nothing',
        );
    return;
  }
  const [only, ...others] = draft.membersOf(run);
  if (only !== undefined && others.length === 0) convict(draft, only, run);
  else if (only !== undefined) isolateBatch(draft, run);
};

/** Where those ahead of it have left, it stays ahead of those behind it. Where everybody is built anew, it is like the others. */
const isOthersDoing = (reason: ReasonCode): boolean =>
  reason !== 'MANUAL_PUSH_TO_TARGET_BRANCH' && reason !== 'OVERTAKEN';

/** Whoever has passed, with it or otherwise, has nothing more to say of it, and is not held up by it any longer. */
const releaseWitnesses = (draft: Draft, run: Run): Run => {
  const witnesses = run.witnesses.filter(
    (witness) => draft.submission(witness.submissionId)?.state !== 'tests_passed',
  );
  return witnesses.length === run.witnesses.length ? run : draft.changeRun(run, { witnesses });
};

/** Its culprit is looked for from now on; what stands behind is tested without it. */
const isolateBatch = (draft: Draft, run: Run): void => {
  draft.changeRun(run, {
    isolation: {
      base: run.onto,
      passed: 0,
      failed: run.batch.length,
      failedBy: run.id,
      parts: 0,
      retries: 0,
      retryAt: null,
    },
  });
  for (const submission of draft.membersOf(run))
    sendBack(draft, submission, { reason: 'BISECTION_REQUIRED', runId: run.id }, 'batch');
};

/** Whether what a run assumed about those below it came true, may still, or why it cannot any more. */
const standing = (draft: Draft, run: Run): 'came_true' | 'open' | ReasonCode => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  if (run.overtakenBy !== null) return 'OVERTAKEN';
  const below = remainingStack(run);
  const first = run.batch[0];
  const expected = new Set(
    (first === undefined ? [] : (positionIn(draft, first.submissionId)?.stack ?? [])).map((one) => one.pr),
  );
  for (const member of below) {
    const submission = draft.submission(member.submissionId);
    const isThere = submission !== undefined && submission.attempt === member.attempt && isLive(submission);
    if (!isThere || !expected.has(member.pr)) return whatBecameOf(draft, member);
  }
  return below.length === 0 ? 'came_true' : 'open';
};

/** A witness counts until a test that holds the failed batch has ended; one that may not begin is not waited for. */
export const isAwaited = (draft: Draft, failed: Run, witness: Member): boolean => {
  const submission = draft.submission(witness.submissionId);
  const position = positionIn(draft, witness.submissionId, draft.queue.settings.pendingFailureDepth);
  if (submission === undefined || !isLive(submission) || position?.isInPlay !== true) return false;
  if (!isSameMember(memberOf(submission), witness)) return false;
  const first = failed.batch[0];
  const runs = draft.runsOf(submission).filter((run) => run.stack.some((one) => isSameMember(one, first)));
  if (runs.length > 0) return runs.every((run) => run.state !== 'ended');
  // One that has passed otherwise is not tested again.
  return submission.state !== 'tests_passed' && mayStart(statusOf(draft.queue), submission.place !== null);
};
