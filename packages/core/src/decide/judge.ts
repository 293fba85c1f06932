import { isPass, type Judgement, judgeChecks } from '../model/checks.js';
import type { ReasonCode } from '../model/reasons.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { Run } from '../model/run.js';
import type { Submission } from '../model/submission.js';
import { isLive } from '../model/submission.js';
import type { Draft } from './draft.js';
import { isInOurHands } from './landing.js';
import { leave, sendBack } from './leave.js';
import { lineOf } from './line.js';

/** What the tests say, and whose fault a failure is. */
export const judge = (draft: Draft): void => {
  for (const run of draft.liveRuns()) if (run.trial !== null) conclude(draft, run);
  for (const run of draft.liveRuns()) if (run.state === 'ended') settle(draft, run);
  for (const submission of lineOf(draft))
    if (submission.state === 'pending_failure') blame(draft, submission);
};

/** Compares the checks with the names in force now: what passed for other names has to prove the new ones too. */
const conclude = (draft: Draft, run: Run): void => {
  if (run.state === 'ended' && run.outcome !== 'passed') return;
  const required = requiredChecksOf(draft.queue)?.names ?? run.requiredChecks;
  const evidence = { runId: run.id, since: run.createdAt, digests: draft.queue.target.digests };
  const judgement = judgeChecks(required, [...run.known, ...run.checks], evidence);
  if (run.state === 'ended') {
    if (judgement.outcome !== 'passed') loseProof(draft, run);
    return;
  }
  const outcome = judgement.outcome === 'undecided' ? givenUp(run) : judgement.outcome;
  if (outcome === 'undecided') return startMissing(draft, run, judgement);
  end(draft, { ...run, requiredChecks: required }, { ...judgement, outcome });
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
  if (outcome !== 'passed') return;
  for (const name of run.requiredChecks)
    for (const passed of [...run.known, ...run.checks])
      if (passed.name === name && isPass(passed)) draft.putVerdict({ tree: run.trial.tree, check: passed });
};

/** Something that was started for it has no end yet, needed or not: with the verdict it has become a waste. */
const stillRuns = ({ startedChecks, checks }: Run): boolean =>
  startedChecks.some((name) => !checks.some((check) => check.name === name && check.status === 'completed'));

const loseProof = (draft: Draft, run: Run): void => {
  if (draft.membersOf(run).some((submission) => !isInOurHands(draft, submission))) return;
  draft.closeRun(run, 'tests_incomplete');
  for (const submission of draft.membersOf(run))
    sendBack(draft, submission, { reason: 'REQUIRED_STATUSES_CHANGED', runId: run.id }, true);
};

/** What an outcome means for those who were tested. Only a failure may be somebody's fault. */
const settle = (draft: Draft, run: Run): void => {
  for (const submission of draft.membersOf(run)) {
    if (submission.state !== 'testing') continue;
    switch (run.outcome) {
      case 'passed':
        draft.move(submission, 'tests_passed', { reason: 'TEST_RUN_PASSED', runId: run.id });
        break;
      case 'failed':
      case 'timed_out':
        suspect(draft, submission, run);
        break;
      default:
        repeat(draft, submission, run);
    }
  }
};

const suspect = (draft: Draft, submission: Submission, run: Run): void => {
  const held = draft.change(submission, { failedRunId: run.id });
  if (standing(draft, run) === 'came_true') leave(draft, held, 'failed', failure(run));
  else draft.move(held, 'pending_failure', failure(run));
};

/** No verdict was reached: the same is tested again in its place, until the budget of the attempt is used up. */
const repeat = (draft: Draft, submission: Submission, run: Run): void => {
  const { retryLimit, retryDelayMs } = draft.context.pace;
  if (submission.retries >= retryLimit) {
    const reason = run.outcome === 'cancelled' ? 'TEST_RUN_CANCELLED' : 'TEST_RUN_INFRASTRUCTURE';
    leave(draft, submission, 'failed', { ...failure(run), reason });
    return;
  }
  draft.closeRun(run, 'judged');
  draft.change(submission, {
    retries: submission.retries + 1,
    retryAt: draft.now + retryDelayMs * 2 ** submission.retries,
    reasonDetail: detailOf(run),
  });
};

/** Failed only once everything below it has landed as it was tested; sent back as soon as that can no longer be. */
const blame = (draft: Draft, submission: Submission): void => {
  const run = submission.failedRunId === null ? undefined : draft.run(submission.failedRunId);
  if (run === undefined || run.closedAt !== null) {
    sendBack(draft, submission, { reason: 'PREREQUISITE_MERGE_ITEM_PENDING' });
    return;
  }
  const state = standing(draft, run);
  if (state === 'open') return;
  if (state === 'came_true') {
    leave(draft, submission, 'failed', failure(run));
    return;
  }
  draft.closeRun(run, 'superseded');
  sendBack(draft, submission, { reason: state, runId: run.id });
};

/** Whether what a run assumed about those below it came true, may still, or why it cannot any more. */
const standing = (draft: Draft, run: Run): 'came_true' | 'open' | ReasonCode => {
  if (run.onto !== draft.queue.target.head) return 'MANUAL_PUSH_TO_TARGET_BRANCH';
  const below = run.stack.slice(run.landedCount);
  for (const member of below) {
    const submission = draft.submission(member.submissionId);
    if (submission === undefined || submission.attempt !== member.attempt)
      return 'PREREQUISITE_MERGE_ITEM_CANCELLED';
    if (submission.state === 'failed' || submission.state === 'pending_failure')
      return 'PREREQUISITE_MERGE_ITEM_FAILED';
    if (!isLive(submission)) return 'PREREQUISITE_MERGE_ITEM_CANCELLED';
    if (submission.heldBy !== null || submission.asideSince !== null)
      return 'PREREQUISITE_MERGE_ITEM_PENDING';
  }
  return below.length === 0 ? 'came_true' : 'open';
};

const failure = (run: Run) =>
  ({
    reason: run.outcome === 'timed_out' ? 'TEST_RUN_TIMEOUT' : 'TEST_RUN_REQUIRED_STATUS_FAILED',
    detail: detailOf(run),
    runId: run.id,
  }) as const;

const detailOf = (run: Run): string | null => {
  if (run.failure !== null) return run.failure;
  if (run.expired === 'not_begun') return 'The CI did not begin.';
  const check = run.decidedBy;
  return check === null ? null : `${check.name}: ${check.summary ?? check.conclusion ?? 'no conclusion'}`;
};
