import { type Check, keepingEnded } from '../../../model/checks.js';
import { isSameRow } from '../../../model/equality.js';
import type { Instant, Sha, TestRunId } from '../../../model/ids.js';
import type { ChecksSeen, ChecksStarted, EffectFailed } from '../../../model/input.js';
import { heldByTrouble } from '../../../model/queue.js';
import { withReported } from '../../../model/required-checks.js';
import type { TestRun } from '../../../model/run.js';
import { verdictsOf } from '../../../model/run-evidence.js';
import type { Draft } from '../../draft/draft.js';
import { deadlineOf } from '../../entry/expire.js';
import { mayHaveLanded } from '../../moves/landing.js';
import { pauseFor } from '../../moves/pause.js';
import { askSoon, takeAnswer, topics } from '../../moves/polls.js';
import { combineLater, retryLater } from '../../moves/retry.js';
import { movedTestDeadline } from '../../moves/standstill.js';
import { cancelUnneeded } from '../../verdicts/conclude.js';
import { countedChecks, overtakeIfStale } from '../../verdicts/merged-checks.js';

export const applyChecksStarted = (draft: Draft, fact: ChecksStarted): void => {
  const run = draft.run(fact.runId);
  // The checks were started after the queue had cancelled them.
  if (run === undefined || run.closedAt !== null)
    draft.request({ type: 'cancel_checks', runId: fact.runId, commit: fact.commit });
  else if (run.state === 'ended') cancelUnneeded(draft, run, fact.commit);
  else if (run.starting === fact.effectId) {
    draft.changeRun(run, { starting: null });
    askSoon(draft, 'checks');
  }
};

/** Takes in the checks of each run. Only checks of the run's own candidate count. */
export const applyChecksRead = (draft: Draft, fact: ChecksSeen): void => {
  const askedAt = takeAnswer(draft, 'checks', fact.effectId);
  if (askedAt === null) return;
  const reported = new Set<string>();
  for (const { runId, commit, checks: shown } of fact.seen) {
    if (!updateChecks(draft, runId, commit, shown, askedAt)) continue;
    // Includes unchanged checks: one may have become required since.
    for (const { name } of shown) reported.add(name);
  }
  const reportedChecks = withReported(draft.queue, reported);
  if (reportedChecks !== draft.queue.reportedChecks) draft.changeQueue({ reportedChecks });
};

/** Updates the checks of one run. False if the run is closed, or if the commit is not its candidate. */
export const updateChecks = (
  draft: Draft,
  runId: TestRunId,
  commit: Sha,
  shown: readonly Check[],
  askedAt: Instant,
): boolean => {
  const run = draft.run(runId);
  if (run === undefined || run.closedAt !== null || run.candidate?.commit !== commit) return false;
  // The performer of a landing reads the checks itself. What is read later says nothing about the landing.
  if (mayHaveLanded(draft, run)) return true;
  // A receipt names the checks that the run passed with, so these stay.
  const hasPassed = run.state === 'ended' || run.rerunSince !== null;
  const counted = countedChecks(
    draft,
    run,
    shown.map((check) => endedIfLate(draft, check, askedAt)),
  );
  const checks = hasPassed ? keepingEnded(run.checks, counted) : counted;
  const isNews = !isSameList(checks, run.checks);
  const giveUpAt = run.state === 'testing' ? deadlineOf(draft, run) : null;
  const isDue = giveUpAt !== null && askedAt >= giveUpAt;
  const updated = isNews || isDue ? draft.changeRun(run, { checks, checksReadAt: askedAt }) : run;
  overtakeIfStale(draft, updated, shown);
  return true;
};

/** Ends a check that had not started by its start timeout, if the read was requested after that. */
const endedIfLate = (draft: Draft, check: Check, askedAt: Instant): Check => {
  if (check.startDue === undefined || check.status !== 'queued') return check;
  const { startDue, ...ended } = check;
  const deadline = movedTestDeadline(draft, { since: startDue.since, deadline: startDue.by });
  if (askedAt < deadline) return check;
  const summary = startDue.lateSummary;
  return { ...ended, status: 'completed', conclusion: 'infrastructure', completedAt: deadline, summary };
};

const isSameList = (checks: readonly Check[], before: readonly Check[]): boolean =>
  checks.length === before.length && checks.every((check, index) => isSameRow(check, before[index] ?? {}));

/**
 * Handles an effect that the host cannot perform, even on a retry. For a test run this counts as an infrastructure
 * failure.
 */
export const applyEffectFailed = (draft: Draft, fact: EffectFailed): void => {
  for (const topic of topics) takeAnswer(draft, topic, fact.effectId);
  const run = fact.runId === null ? undefined : draft.run(fact.runId);
  if (run === undefined || run.closedAt !== null) {
    // An earlier try may have built it, and its answer was lost.
    if (fact.runId !== null) draft.request({ type: 'drop_candidate', runId: fact.runId });
    return;
  }
  if (run.building !== fact.effectId && run.starting !== fact.effectId) return;
  if (run.purpose.kind === 'compose') return handleCombinedNotBuilt(draft, run, fact.message);
  if (heldByTrouble(draft.queue) !== null) return putOffForHold(draft, run, fact.message);
  // Some of the checks may have started, and others may have passed.
  if (run.candidate !== null)
    draft.request({ type: 'cancel_checks', runId: run.id, commit: run.candidate.commit });
  for (const verdict of verdictsOf(run)) draft.putVerdict(verdict);
  draft.changeRun(run, {
    building: null,
    starting: null,
    state: 'ended',
    outcome: 'infrastructure',
    endedAt: draft.now,
    failure: fact.message,
  });
};

/** Retries later without a charge: the host does not answer anything else either, which is not the run's fault. */
const putOffForHold = (draft: Draft, run: TestRun, detail: string): void => {
  draft.closeRun(run, 'not_built');
  retryLater(draft, draft.membersOf(run), { reason: 'RUN_NOT_BUILT', detail });
};

/**
 * A combined candidate tests nothing, so it has no outcome: it is built again later. If it fails again before
 * anything has landed, the queue pauses for a person to look at. The candidate is dropped, since an earlier try may
 * have built it.
 */
const handleCombinedNotBuilt = (draft: Draft, run: TestRun, message: string): void => {
  draft.closeRun({ ...run, building: null }, 'not_built');
  if (draft.queue.landAfter !== null) return pauseFor(draft, 'HOST_REFUSED', message);
  combineLater(draft, run, { reason: 'LANDING_PUT_OFF', detail: message });
};
