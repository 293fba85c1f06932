import { type Check, keepingEnded } from '../../../model/checks.js';
import type { Instant, Sha, TestRunId } from '../../../model/ids.js';
import type { ChecksSeen, ChecksStarted, EffectFailed } from '../../../model/input.js';
import { heldByTrouble } from '../../../model/queue.js';
import { withReported } from '../../../model/required-checks.js';
import { type TestRun, verdictsOf } from '../../../model/run.js';
import { isSameRow } from '../../../model/same.js';
import type { Draft } from '../../draft/draft.js';
import { deadlineOf } from '../../entry/expire.js';
import { pauseFor } from '../../moves/pause.js';
import { answered, askSoon, topics } from '../../moves/polls.js';
import { composeLater, retryLater } from '../../moves/retry.js';

export const checksStarted = (draft: Draft, fact: ChecksStarted): void => {
  const run = draft.run(fact.runId);
  if (run === undefined || run.closedAt !== null || run.state === 'ended')
    // They began after they were called off.
    draft.wish({ type: 'cancel_checks', runId: fact.runId, commit: fact.commit });
  else if (run.starting === fact.effectId) {
    draft.changeRun(run, { starting: null });
    askSoon(draft, 'checks');
  }
};

/** What the host shows of the checks of each run. Only what was read of the run's own candidate counts. */
export const checksSeen = (draft: Draft, fact: ChecksSeen): void => {
  const askedAt = answered(draft, 'checks', fact.effectId);
  if (askedAt === null) return;
  const reported = new Set<string>();
  for (const { runId, commit, checks: shown } of fact.seen) {
    if (!showChecks(draft, runId, commit, shown, askedAt)) continue;
    // Also what is shown as it was: a check may be required since.
    for (const { name } of shown) reported.add(name);
  }
  const reportedChecks = withReported(draft.queue, reported);
  if (reportedChecks !== draft.queue.reportedChecks) draft.changeQueue({ reportedChecks });
};

/** Takes in what the host shows of the checks of a run. False where the run is closed, or the commit is none of its own. */
export const showChecks = (
  draft: Draft,
  runId: TestRunId,
  commit: Sha,
  shown: readonly Check[],
  askedAt: Instant,
): boolean => {
  const run = draft.run(runId);
  if (run === undefined || run.closedAt !== null || run.candidate?.commit !== commit) return false;
  // Its receipt names what it has ended with, and a verdict needs no second test for it.
  const hasPassed = run.state === 'ended' || run.rerunSince !== null;
  const checks = hasPassed ? keepingEnded(run.checks, shown) : shown;
  const isNews = !isSameList(checks, run.checks);
  const giveUpAt = run.state === 'testing' ? deadlineOf(draft, run) : null;
  const isDue = giveUpAt !== null && askedAt >= giveUpAt;
  if (isNews || isDue) draft.changeRun(run, { checks, checksReadAt: askedAt });
  return true;
};

const isSameList = (checks: readonly Check[], known: readonly Check[]): boolean =>
  checks.length === known.length && checks.every((check, index) => isSameRow(check, known[index] ?? {}));

/** The host will not do it, whoever asks: what was asked for a run counts as a failure of the machinery. */
export const effectFailed = (draft: Draft, fact: EffectFailed): void => {
  for (const topic of topics) answered(draft, topic, fact.effectId);
  const run = fact.runId === null ? undefined : draft.run(fact.runId);
  if (run === undefined || run.closedAt !== null) {
    // An earlier try may have built it and lost its answer.
    if (fact.runId !== null) draft.wish({ type: 'drop_candidate', runId: fact.runId });
    return;
  }
  if (run.building !== fact.effectId && run.starting !== fact.effectId) return;
  if (run.purpose.kind === 'compose') return notComposed(draft, run, fact.message);
  if (heldByTrouble(draft.queue) !== null) return putOffForHold(draft, run, fact.message);
  // Of several checks one may have begun, and another may have passed.
  if (run.candidate !== null)
    draft.wish({ type: 'cancel_checks', runId: run.id, commit: run.candidate.commit });
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

/** Nothing else is answered either: that is no fault of the run, and costs no budget. */
const putOffForHold = (draft: Draft, run: TestRun, detail: string): void => {
  draft.closeRun(run, 'not_built');
  retryLater(draft, draft.membersOf(run), { reason: 'RUN_NOT_BUILT', detail });
};

/**
 * Nobody is tested by it, so that it has no outcome: it is put together anew after a while. Where that comes to the same
 * before anything has landed, people have to see to it. An earlier try may have built it.
 */
const notComposed = (draft: Draft, run: TestRun, message: string): void => {
  draft.closeRun({ ...run, building: null }, 'not_built');
  if (draft.queue.landAfter !== null) return pauseFor(draft, 'HOST_REFUSED', message);
  composeLater(draft, run, { reason: 'LANDING_PUT_OFF', detail: message });
};
