import type { Candidate, Check, HistoryRow, Member, TestRun, TestRunId } from '@mq/core';
import { attemptKey, movedRows } from './attempts.js';
import type { Evidence, Landing } from './evidence.js';
import { countedTargets, doMeet } from './targets.js';

type Step = Candidate['steps'][number];
type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** Checks that what landed was tested, landed once and in order, and that failures name a real culprit. */
export const landingFaults = (evidence: Evidence): readonly string[] => {
  const merged = movedRows(evidence).filter(({ to }) => to === 'merged');
  const queueMade = merged.filter(({ reason }) => reason === 'MERGE_GRAPH_MERGE');
  return [
    ...queueMade.flatMap((row) => landedFaults(evidence, row)),
    ...orderFaults(evidence, queueMade),
    ...repeated(merged.map(attemptKey)).map((key) => `${key} merged twice.`),
    ...culpritFaults(evidence),
    ...(evidence.host.landings ?? []).flatMap((landing) => moveFaults(evidence, landing)),
    ...repeated((evidence.host.landings ?? []).map(({ runId }) => runId)).map(
      (id) => `Test run ${id} landed twice.`,
    ),
  ];
};

/** A pull request that the queue landed: its test run passed, its tree is the tested one, and the target contains it. */
const landedFaults = (evidence: Evidence, row: Moved): readonly string[] => {
  const key = attemptKey(row);
  const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
  if (run === undefined) return [`${key} merged without a test run.`];
  const step = landedStep(evidence, run, row.pr);
  if (step === undefined)
    return [`${key} merged by test run ${run.id}, whose candidate does not contain it.`];
  const faults: string[] = [];
  if (run.outcome !== 'passed')
    faults.push(`${key} merged by test run ${run.id}, which ended with ${run.outcome}.`);
  faults.push(...skippedFaults(evidence, run, row));
  faults.push(...staleFaults(evidence, run, key, step));
  const tree = evidence.host.treeOnTarget(step.commit);
  if (tree === null) faults.push(`${key} merged as ${step.commit}, which was never on the target.`);
  else if (tree !== step.tree) faults.push(`${key} landed with the tree ${tree}; ${step.tree} was tested.`);
  const view = evidence.submissions.find(({ submission }) => submission.pr === row.pr);
  const landed = view?.submission.attempt === row.attempt ? view.submission.landed : undefined;
  if (landed === null) faults.push(`${key} merged without a recorded commit.`);
  if (landed !== undefined && landed !== null && (landed.commit !== step.commit || landed.tree !== step.tree))
    faults.push(`${key} records that it landed as ${landed.commit}; its candidate was ${step.commit}.`);
  return faults;
};

/** Required checks that were skipped in a test run and did not succeed in it either. */
const skippedIn = ({ requiredChecks, known, checks }: TestRun): readonly string[] => {
  const shown = [...known, ...checks];
  const has = (name: string, conclusions: readonly (string | null)[]) =>
    shown.some((check) => check.name === name && conclusions.includes(check.conclusion));
  return requiredChecks.filter((name) => has(name, ['skipped', 'neutral']) && !has(name, ['success']));
};

/** A skipped check counts only for the batch of its own test run, and never for the check that a bisected batch failed. */
const skippedFaults = (evidence: Evidence, run: TestRun, { pr, attempt }: Moved): readonly string[] => {
  const key = attemptKey({ pr, attempt });
  const skipped = skippedIn(run);
  if (!run.batch.some((one) => one.pr === pr && one.attempt === attempt))
    return skipped.map(
      (name) => `${key} merged by test run ${run.id}, which did not test it and skipped check ${name}.`,
    );
  const whole = run.purpose.kind === 'isolate' ? evidence.runs.get(run.purpose.failed) : undefined;
  const failed = [whole?.decidedBy?.name].filter((name) => name !== undefined);
  return failed
    .filter((name) => skipped.includes(name))
    .map(
      (name) =>
        `${key} merged by test run ${run.id}, which skipped check ${name}, on which its batch had failed.`,
    );
};

/**
 * Nothing lands on a stale pass: the newest result of each required check had passed when the target was moved. A check
 * that started in the same instant as the move is ignored; it may have started after it.
 */
const staleFaults = ({ host }: Evidence, run: TestRun, key: string, { commit }: Step): readonly string[] => {
  const landing = (host.landings ?? []).find(({ to }) => to !== null && host.isForward(commit, to));
  if (landing === undefined || landing.at === null || run.candidate === null) return [];
  const { at } = landing;
  const own = host
    .checksOf(run.candidate.commit)
    .filter(({ runId, startedAt }) => startedAt < at && (runId ?? run.id) === run.id);
  return run.requiredChecks.flatMap((name) => {
    const newest = new Map(own.filter((check) => check.name === name).map((check) => [check.source, check]));
    return [...newest.values()]
      .filter((check) => check.startedAt >= run.createdAt && !hadPassedBy(check, at))
      .map((check) => `${key} landed on a stale pass: ${name} was rerun as ${check.id} before.`);
  });
};

const hadPassedBy = ({ completedAt, conclusion }: Check, at: number): boolean =>
  completedAt !== null && completedAt <= at && ['success', 'skipped', 'neutral'].includes(conclusion ?? '');

/** The commit of a pull request: in the candidate of its test run, or in one that combines several lanes and relies on that run. */
const landedStep = ({ runs, host }: Evidence, run: TestRun, pr: number): Step | undefined => {
  const composed = [...runs.values()].filter(
    ({ purpose }) => purpose.kind === 'compose' && purpose.vouchers.includes(run.id),
  );
  const steps = [...composed, run].flatMap(
    (one) => one.candidate?.steps.filter((step) => step.pr === pr) ?? [],
  );
  return steps.find((step) => host.treeOnTarget(step.commit) !== null) ?? steps.at(-1);
};

/** One move of the target by the queue, as recorded by the host. A host that lands another commit must have raised an alarm. */
const moveFaults = (evidence: Evidence, { from, to, runId }: Landing): readonly string[] => {
  const { host, runs, history } = evidence;
  const candidate = runs.get(runId)?.candidate ?? null;
  if (candidate === null) return [`The target was moved by test run ${runId}, which has no candidate.`];
  if (to !== candidate.commit) {
    const hasAlarm = history.some((row) => row.type === 'alarm' && row.code === 'TREE_MISMATCH');
    return hasAlarm
      ? []
      : [`The target was moved by test run ${runId} to ${to}; its candidate was ${candidate.commit}.`];
  }
  if (from === null || !host.isForward(from, to))
    return [`The target was force-moved from ${from} by test run ${runId}.`];
  if (host.treeOnTarget(to) !== candidate.tree)
    return [`The tree that test run ${runId} landed is not the tested one.`];
  return candidate.steps
    .filter(({ commit }) => !host.isForward(commit, from))
    .flatMap((step) => stepFaults(evidence, runId, step));
};

/** Each tested commit really passes its required checks, and its pull request is recorded as merged. */
const stepFaults = (
  { host, runs, history }: Evidence,
  runId: TestRunId,
  { pr, commit }: Step,
): readonly string[] => {
  const faults: string[] = [];
  const tested = [...runs.values()].filter(
    ({ outcome, purpose, candidate }) =>
      outcome === 'passed' && purpose.kind !== 'compose' && candidate?.commit === commit,
  );
  for (const run of tested)
    for (const name of run.requiredChecks)
      if (host.isGood(commit, name) === false && !skippedIn(run).includes(name))
        faults.push(`#${pr} is on the target as ${commit} and fails ${name}.`);
  if (!history.some((row) => row.type === 'moved' && row.to === 'merged' && row.pr === pr))
    faults.push(`#${pr} landed by test run ${runId} but is not recorded as merged.`);
  return faults;
};

/** No pull request lands before one it was built on, or after an overlapping one it was built without. */
const orderFaults = (evidence: Evidence, merged: readonly Moved[]): readonly string[] =>
  merged.flatMap((row) => {
    const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
    if (run === undefined) return [];
    const below = run.stack.filter(({ pr }) => pr !== row.pr && stepIndex(run, pr) < stepIndex(run, row.pr));
    return [
      ...below
        .filter((member) => !isMergedBefore(evidence, member, row.sequence))
        .map(({ pr }) => `${attemptKey(row)} landed before #${pr}, on which it was built.`),
      ...run.without
        .filter((member) => isMergedBefore(evidence, member, row.sequence))
        .filter((member) => doTouchTheSame(evidence, run, row.pr, member))
        .map(({ pr }) => `${attemptKey(row)} landed after #${pr}, without which it was tested.`),
    ];
  });

/** True if the targets of `pr` and `other` overlap. `without` may name a pull request that overlaps only with others below. */
const doTouchTheSame = (
  { queue, books }: Evidence,
  { batch }: TestRun,
  pr: number,
  other: TestRun['without'][number],
): boolean => {
  const own = batch.find((member) => member.pr === pr);
  if (own === undefined) return true;
  const [one, another] = [own, other].map((member) =>
    countedTargets(books.get(member.pr), member.head, queue.settings),
  );
  return doMeet(one ?? 'ALL', another ?? 'ALL');
};

const stepIndex = (run: TestRun, pr: number): number =>
  run.candidate?.steps.findIndex((step) => step.pr === pr) ?? -1;

/** Reasons that name the pull request as the culprit of a verdict. */
const culpritReasons: readonly string[] = ['TEST_RUN_REQUIRED_STATUS_FAILED', 'TEST_RUN_TIMEOUT'];
/** Reasons that fail a pull request without a verdict. */
const noVerdictReasons: readonly string[] = ['TEST_RUN_INFRASTRUCTURE', 'TEST_RUN_CANCELLED'];

const culpritFaults = (evidence: Evidence): readonly string[] =>
  movedRows(evidence).flatMap((row) => {
    if (row.to === 'failed' && noVerdictReasons.includes(row.reason ?? ''))
      return undecidedFaults(evidence, row);
    if (row.to !== 'failed' || row.reason === null || !culpritReasons.includes(row.reason)) return [];
    const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
    if (run === undefined) return [`${attemptKey(row)} failed without a named test run.`];
    const faults: string[] = [];
    if (run.outcome !== 'failed' && run.outcome !== 'timed_out')
      faults.push(`${attemptKey(row)} failed in test run ${run.id}, which ended with ${run.outcome}.`);
    if (!run.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt))
      faults.push(`${attemptKey(row)} failed in test run ${run.id}, which did not test it.`);
    for (const member of run.stack)
      if (!isMergedBefore(evidence, member, row.sequence) && !isCleared(evidence, run, member))
        faults.push(`${attemptKey(row)} failed in a test run on top of #${member.pr}, which had not landed.`);
    for (const member of run.without)
      if (isMergedBefore(evidence, member, row.sequence))
        faults.push(`${attemptKey(row)} failed in a test run without #${member.pr}, which had landed.`);
    return faults;
  });

/** A failure without a verdict is final only after everything below it has landed. */
const undecidedFaults = (evidence: Evidence, row: Moved): readonly string[] => {
  const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
  return (run?.stack ?? [])
    .filter((member) => !isMergedBefore(evidence, member, row.sequence))
    .map(({ pr }) => `${attemptKey(row)} failed without a verdict on top of #${pr}, which had not landed.`);
};

/** True if a test run of the same bisection that contains the member passed, so the member is not the culprit. */
const isCleared = ({ runs }: Evidence, { purpose }: TestRun, member: Member): boolean =>
  purpose.kind === 'isolate' &&
  [...runs.values()].some(
    (run) =>
      run.purpose.kind === 'isolate' &&
      run.purpose.failed === purpose.failed &&
      run.outcome === 'passed' &&
      run.batch.some(({ pr, attempt }) => pr === member.pr && attempt === member.attempt),
  );

const isMerged = (row: HistoryRow, pr: number, attempt: number): boolean =>
  row.type === 'moved' && row.to === 'merged' && row.pr === pr && row.attempt === attempt;

const isMergedBefore = ({ history }: Evidence, { pr, attempt }: Member, sequence: number): boolean =>
  history.some((row) => row.sequence <= sequence && isMerged(row, pr, attempt));

const repeated = (keys: readonly string[]): readonly string[] =>
  keys.filter((key, index) => keys.indexOf(key) !== index);
