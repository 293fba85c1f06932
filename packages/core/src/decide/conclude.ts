import { type Check, isOwnCheck, isPass, type Judgement, judgeChecks } from '../model/checks.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { Run } from '../model/run.js';
import type { Draft } from './draft.js';
import { takeFromLanding } from './landing.js';
import { sendBack } from './leave.js';

/** What the checks of each run amount to. */
export const conclude = (draft: Draft): void => {
  for (const { id } of areTermsNew(draft) ? draft.liveRuns() : draft.runsToLookAt()) concludeRun(draft, id);
};

/** What a conclusion depends on besides the run itself. */
const areTermsNew = ({ queue, before }: Draft): boolean =>
  queue.settings !== before.settings || queue.target !== before.target || queue.landing !== before.landing;

/** Compares the checks with the names in force now: what passed for other names has to prove the new ones too. */
export const concludeRun = (draft: Draft, id: Run['id']): void => {
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
