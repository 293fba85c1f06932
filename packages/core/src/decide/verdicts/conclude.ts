import {
  type Check,
  hadPassed,
  isOwnCheck,
  type Judgement,
  judgeChecks,
  type Outcome,
} from '../../model/checks.js';
import { withTests } from '../../model/flakes.js';
import type { Sha } from '../../model/ids.js';
import { afterVerdict } from '../../model/infrastructure-failure.js';
import { requiredChecksOf } from '../../model/required-checks.js';
import { checksThatCount, evidenceOf, hasFailed, type TestRun } from '../../model/run.js';
import { allFailedChecksOf, doubtsOf, hasSucceeded, verdictsOf } from '../../model/run-evidence.js';
import type { Draft } from '../draft/draft.js';
import { reopen } from '../entry/rerun.js';
import { takeFromLanding } from '../moves/landing.js';
import { requeue } from '../moves/leave.js';
import { noteTestEnded } from '../moves/moving-base.js';
import { draftPullRequestOf } from '../testing/draft-pull-request.js';
import { distrustBasesOf, trustBasesOf } from './baseline-runs.js';

/** Determines the outcome of each test run from its checks. */
export const conclude = (draft: Draft): void => {
  for (const { id } of draft.openRuns()) concludeRun(draft, id);
};

/**
 * Uses the currently required checks. A run that ended under other required checks has to show its outcome under these.
 */
export const concludeRun = (draft: Draft, id: TestRun['id']): void => {
  const run = draft.run(id);
  if (run === undefined || run.closedAt !== null || run.candidate === null) return;
  if (run.purpose.kind === 'compose') {
    if (run.state !== 'ended')
      draft.changeRun(run, { state: 'ended', outcome: 'passed', endedAt: draft.now });
    return;
  }
  const { commit } = run.candidate;
  const { required, judgement } = judgementOf(draft, run);
  if (run.state === 'ended') return reconclude(draft, run, required, judgement);
  const outcome = judgement.outcome === 'undecided' ? outcomeAfterTimeout(run) : judgement.outcome;
  if (outcome === 'undecided') return startMissing(draft, run, commit, judgement.missing);
  end(draft, { ...run, requiredChecks: required }, commit, { outcome, decidedBy: judgement.check });
};

/** A baseline run needs only the checks that it was started for. */
const namesFor = (draft: Draft, run: TestRun): readonly string[] =>
  run.purpose.kind === 'control'
    ? run.requiredChecks
    : (requiredChecksOf(draft.queue)?.names ?? run.requiredChecks);

const outcomeAfterTimeout = ({ expired }: TestRun): Judgement['outcome'] => {
  if (expired === null) return 'undecided';
  return expired === 'no_verdict' ? 'timed_out' : 'infrastructure';
};

const startMissing = (draft: Draft, run: TestRun, commit: Sha, missing: readonly string[]): void => {
  const requested = new Set(run.startedChecks);
  const names = missing.filter((name) => !requested.has(name));
  if (names.length === 0 || run.starting !== null) return;
  const shown = draftPullRequestOf(draft, run);
  const starting = draft.request({
    ...{ type: 'start_checks', runId: run.id, commit, names },
    ...(shown == null ? {} : { draft: shown }),
  });
  draft.changeRun(run, { starting, startedChecks: [...run.startedChecks, ...names] });
};

interface Ending {
  readonly outcome: Outcome;
  readonly decidedBy: Check | null;
}

const end = (draft: Draft, run: TestRun, commit: Sha, ending: Ending): void => {
  if (run.starting !== null) draft.withdraw(run.starting);
  const ended = draft.changeRun(run, { state: 'ended', ...ending, endedAt: draft.now, starting: null });
  cancelUnneeded(draft, ended, commit);
  noteTestEnded(draft, ended);
  noteTested(draft, run);
  for (const verdict of [...verdictsOf(run), ...doubtsOf(run)]) draft.putVerdict(verdict);
  if (ending.outcome === 'passed' && run.purpose.kind !== 'control') trustBasesOf(draft, run);
  noteVerdict(draft, run, ending.outcome);
};

/** Counts the tests of checks that ended, for the share that fails by chance. */
const noteTested = (draft: Draft, run: TestRun): void => {
  if (!draft.queue.settings.confirmBeforeFailing) return;
  const failed = allFailedChecksOf(run);
  const names = run.startedChecks.filter((name) => failed.includes(name) || hasSucceeded(run, name));
  if (names.length === 0) return;
  draft.changeQueue({
    flakeCounts: withTests(draft.queue, names, requiredChecksOf(draft.queue)?.names ?? names),
  });
};

/** A timeout resets the count of infrastructure failures, but does not show that the infrastructure works. */
const noteVerdict = (draft: Draft, run: TestRun, outcome: Outcome): void => {
  const { infrastructureFailure } = draft.queue;
  if (infrastructureFailure === null || outcome === 'infrastructure' || outcome === 'cancelled') return;
  if (outcome === 'passed' && !isTested(draft, run)) return;
  const hasVerdict = outcome === 'passed' || outcome === 'failed';
  draft.changeQueue({ infrastructureFailure: hasVerdict ? afterVerdict(infrastructureFailure) : null });
};

/**
 * True if a check that was started for the run succeeded. A skipped or reused pass does not show that the infrastructure
 * works, except in the baseline run that was started to find out: otherwise skipped baseline runs would excuse failures
 * for ever.
 */
const isTested = ({ queue }: Draft, run: TestRun): boolean =>
  queue.infrastructureFailure?.probe === run.id || run.startedChecks.some((name) => hasSucceeded(run, name));

/**
 * Cancels the checks of an ended run that it does not need any more. After a pass these are the ones that have not ended:
 * the others may be run again until it lands.
 */
export const cancelUnneeded = (draft: Draft, run: TestRun, commit: Sha): void => {
  const cancel = { type: 'cancel_checks', runId: run.id, commit } as const;
  if (run.outcome !== 'passed') return void draft.request(cancel);
  const names = unfinishedChecksOf(run);
  if (names.length > 0) draft.request({ ...cancel, names });
};

/** The checks that were started for the run and have not ended. Those of an earlier run with the same content do not count. */
const unfinishedChecksOf = (run: TestRun): readonly string[] => {
  const evidence = evidenceOf(run);
  const ended = run.checks.filter((check) => check.status === 'completed' && isOwnCheck(check, evidence));
  return run.startedChecks.filter((name) => !ended.some((check) => check.name === name));
};

/**
 * Judges an ended run again. A pass has to cover the checks that are required now, and is reopened if one of them was
 * run again. A failure has to be of a check that is required now. Otherwise the result is stale.
 */
const reconclude = (
  draft: Draft,
  run: TestRun,
  required: readonly string[],
  { outcome, check }: Judgement,
): void => {
  if (run.outcome === 'passed') {
    if (outcome === 'passed') return;
    const evidence = evidenceOf(run, draft.queue.target.digests);
    if (!hadPassed(required, checksThatCount(run), evidence)) return dropVerdict(draft, run);
    if (!reopen(draft, run)) return;
    distrustBasesOf(
      draft,
      run,
      doubtsOf(run).map((doubt) => doubt.check.name),
    );
    concludeRun(draft, run.id);
  } else if (!hasFailed(run) || isSameNames(required, run.requiredChecks)) return;
  else if (doesStillCount(draft, run)) draft.changeRun(run, { decidedBy: check, requiredChecks: required });
  else if (run.bisection === null) dropVerdict(draft, run);
};

/**
 * True if the run fails under the currently required checks too, and they include no check that its passed prefixes did
 * not run.
 */
export const doesStillCount = (draft: Draft, run: TestRun): boolean => {
  const { required, judgement } = judgementOf(draft, run);
  const { outcome } = judgement;
  if (isSameNames(required, run.requiredChecks)) return true;
  const hasPassedInPart = run.bisection !== null && run.bisection.passed > 0;
  if (hasPassedInPart && !required.every((name) => run.requiredChecks.includes(name))) return false;
  if (outcome === 'failed' || outcome === 'timed_out') return true;
  return run.expired === 'no_verdict' && outcome === 'undecided';
};

const judgementOf = (draft: Draft, run: TestRun) => {
  const required = namesFor(draft, run);
  const evidence = evidenceOf(run, draft.queue.target.digests);
  return { required, judgement: judgeChecks(required, checksThatCount(run), evidence) };
};

/** True while a passed run passes by the checks that the host has shown last. */
export const doesStillPass = (draft: Draft, run: TestRun): boolean =>
  judgementOf(draft, run).judgement.outcome === 'passed';

const isSameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name));

const dropVerdict = (draft: Draft, run: TestRun): void => {
  if (draft.membersOf(run).some((submission) => !takeFromLanding(draft, submission))) return;
  draft.closeRun(run, 'tests_incomplete');
  // Members of a failed prefix run may still be tested, or proven, by other prefix runs.
  for (const submission of draft.membersOf(run))
    if (run.outcome === 'passed' || draft.runsOf(submission).length === 0)
      requeue(draft, submission, { reason: 'REQUIRED_STATUSES_CHANGED', runId: run.id }, 'batch');
};
