import type { Candidate, Check, HistoryRow, Member, TestRun, TestRunId } from '@mq/core';
import { attemptKey, movedRows } from './attempts.js';
import type { Evidence, Landing } from './evidence.js';
import { countedTargets, doMeet } from './targets.js';

type Step = Candidate['steps'][number];
type Moved = Extract<HistoryRow, { type: 'moved' }>;

/** What landed is what was tested, once, in order, and is truthfully told. */
export const landingFaults = (evidence: Evidence): readonly string[] => {
  const merged = movedRows(evidence).filter(({ to }) => to === 'merged');
  const queueMade = merged.filter(({ reason }) => reason === 'MERGE_GRAPH_MERGE');
  return [
    ...queueMade.flatMap((row) => landedFaults(evidence, row)),
    ...orderFaults(evidence, queueMade),
    ...repeated(merged.map(attemptKey)).map((key) => `${key} is merged twice.`),
    ...blameFaults(evidence),
    ...(evidence.host.landings ?? []).flatMap((landing) => moveFaults(evidence, landing)),
    ...repeated((evidence.host.landings ?? []).map(({ runId }) => runId)).map(
      (id) => `Run ${id} landed twice.`,
    ),
  ];
};

/** One that the queue says it landed: its run passed, the tree is the tested one, and the target holds it. */
const landedFaults = (evidence: Evidence, row: Moved): readonly string[] => {
  const key = attemptKey(row);
  const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
  if (run === undefined) return [`${key} is merged and names no run that tested it.`];
  const step = landedStep(evidence, run, row.pr);
  if (step === undefined) return [`${key} is merged by ${run.id}, which has no candidate of it.`];
  const faults: string[] = [];
  if (run.outcome !== 'passed')
    faults.push(`${key} is merged by ${run.id}, which ended with ${run.outcome}.`);
  faults.push(...skippedFaults(evidence, run, row));
  faults.push(...staleFaults(evidence, run, key, step));
  const tree = evidence.host.treeOnTarget(step.commit);
  if (tree === null) faults.push(`${key} is merged as ${step.commit}, which the target never held.`);
  else if (tree !== step.tree) faults.push(`${key} landed with the tree ${tree}; ${step.tree} was tested.`);
  const view = evidence.submissions.find(({ submission }) => submission.pr === row.pr);
  const landed = view?.submission.attempt === row.attempt ? view.submission.landed : undefined;
  if (landed === null) faults.push(`${key} is merged and does not know as what.`);
  if (landed !== undefined && landed !== null && (landed.commit !== step.commit || landed.tree !== step.tree))
    faults.push(`${key} says that it landed as ${landed.commit}; its candidate was ${step.commit}.`);
  return faults;
};

/** The required checks that were skipped in a run and have succeeded nowhere in it. */
const skippedIn = ({ requiredChecks, known, checks }: TestRun): readonly string[] => {
  const shown = [...known, ...checks];
  const has = (name: string, conclusions: readonly (string | null)[]) =>
    shown.some((check) => check.name === name && conclusions.includes(check.conclusion));
  return requiredChecks.filter((name) => has(name, ['skipped', 'neutral']) && !has(name, ['success']));
};

/** What was skipped is evidence for the batch of its run alone, and clears no part of a failed batch. */
const skippedFaults = (evidence: Evidence, run: TestRun, { pr, attempt }: Moved): readonly string[] => {
  const key = attemptKey({ pr, attempt });
  const skipped = skippedIn(run);
  if (!run.batch.some((one) => one.pr === pr && one.attempt === attempt))
    return skipped.map((name) => `${key} is merged by ${run.id}, which did not test it and skipped ${name}.`);
  const whole = run.purpose.kind === 'isolate' ? evidence.runs.get(run.purpose.failed) : undefined;
  const failed = [whole?.decidedBy?.name].filter((name) => name !== undefined);
  return failed
    .filter((name) => skipped.includes(name))
    .map((name) => `${key} is merged by ${run.id}, which skipped ${name}, and its batch had failed that.`);
};

/**
 * Nothing lands on a pass that is stale: of each required check the newest of the run, if it began before the target was
 * moved, had passed by then. What began in the very instant of the move may have begun after it.
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
      .map((check) => `${key} landed on a stale pass: ${name} was run again as ${check.id} before.`);
  });
};

const hadPassedBy = ({ completedAt, conclusion }: Check, at: number): boolean =>
  completedAt !== null && completedAt <= at && ['success', 'skipped', 'neutral'].includes(conclusion ?? '');

/** What it became: in the candidate of its run, or in one that was put together of several lanes, for which its run vouched. */
const landedStep = ({ runs, host }: Evidence, run: TestRun, pr: number): Step | undefined => {
  const composed = [...runs.values()].filter(
    ({ purpose }) => purpose.kind === 'compose' && purpose.vouchers.includes(run.id),
  );
  const steps = [...composed, run].flatMap(
    (one) => one.candidate?.steps.filter((step) => step.pr === pr) ?? [],
  );
  return steps.find((step) => host.treeOnTarget(step.commit) !== null) ?? steps.at(-1);
};

/** One move of the target by the queue, as the host saw it. A host that lands something else has to be noticed. */
const moveFaults = (evidence: Evidence, { from, to, runId }: Landing): readonly string[] => {
  const { host, runs, history } = evidence;
  const candidate = runs.get(runId)?.candidate ?? null;
  if (candidate === null) return [`The target was moved by ${runId}, which has no candidate.`];
  if (to !== candidate.commit) {
    const isNoticed = history.some((row) => row.type === 'alarm' && row.code === 'TREE_MISMATCH');
    return isNoticed
      ? []
      : [`The target was moved by ${runId} to ${to}; its candidate was ${candidate.commit}.`];
  }
  if (from === null || !host.isForward(from, to)) return [`The target was forced from ${from} by ${runId}.`];
  if (host.treeOnTarget(to) !== candidate.tree)
    return [`The tree that ${runId} landed is not the tested one.`];
  return candidate.steps
    .filter(({ commit }) => !host.isForward(commit, from))
    .flatMap((step) => stepFaults(evidence, runId, step));
};

/** Each commit that was tested passes what was required, in truth, and its pull request is shown as merged. */
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
    faults.push(`#${pr} was landed by ${runId} and is not shown as merged.`);
  return faults;
};

/** Nothing lands before what it was built on, nor after what it was built without and touches the same. */
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

/** Who is left out of a test may touch only the same as somebody below, who has landed without it since. */
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

/** The reasons that put the blame for a verdict on a pull request. */
const blaming: readonly string[] = ['TEST_RUN_REQUIRED_STATUS_FAILED', 'TEST_RUN_TIMEOUT'];
/** The reasons that fail a pull request without a verdict. */
const withoutVerdict: readonly string[] = ['TEST_RUN_INFRASTRUCTURE', 'TEST_RUN_CANCELLED'];

const blameFaults = (evidence: Evidence): readonly string[] =>
  movedRows(evidence).flatMap((row) => {
    if (row.to === 'failed' && withoutVerdict.includes(row.reason ?? ''))
      return undecidedFaults(evidence, row);
    if (row.to !== 'failed' || row.reason === null || !blaming.includes(row.reason)) return [];
    const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
    if (run === undefined) return [`${attemptKey(row)} is failed and no failing run is named.`];
    const faults: string[] = [];
    if (run.outcome !== 'failed' && run.outcome !== 'timed_out')
      faults.push(`${attemptKey(row)} is failed for ${run.id}, which ended with ${run.outcome}.`);
    if (!run.batch.some(({ pr, attempt }) => pr === row.pr && attempt === row.attempt))
      faults.push(`${attemptKey(row)} is failed for ${run.id}, which did not test it.`);
    for (const member of run.stack)
      if (!isMergedBefore(evidence, member, row.sequence) && !isCleared(evidence, run, member))
        faults.push(`${attemptKey(row)} is failed for a run on top of #${member.pr}, which had not landed.`);
    for (const member of run.without)
      if (isMergedBefore(evidence, member, row.sequence))
        faults.push(`${attemptKey(row)} is failed for a run without #${member.pr}, which had landed.`);
    return faults;
  });

/** No outcome but a pass says anything while what it was tested on is undecided. */
const undecidedFaults = (evidence: Evidence, row: Moved): readonly string[] => {
  const run = row.runId === null ? undefined : evidence.runs.get(row.runId);
  return (run?.stack ?? [])
    .filter((member) => !isMergedBefore(evidence, member, row.sequence))
    .map(
      ({ pr }) => `${attemptKey(row)} is failed without a verdict on top of #${pr}, which had not landed.`,
    );
};

/** True where a part of the same failed batch passed that holds it: then it is not what the longer part failed for. */
const isCleared = ({ runs }: Evidence, { purpose }: TestRun, member: Member): boolean =>
  purpose.kind === 'isolate' &&
  [...runs.values()].some(
    (part) =>
      part.purpose.kind === 'isolate' &&
      part.purpose.failed === purpose.failed &&
      part.outcome === 'passed' &&
      part.batch.some(({ pr, attempt }) => pr === member.pr && attempt === member.attempt),
  );

const isMerged = (row: HistoryRow, pr: number, attempt: number): boolean =>
  row.type === 'moved' && row.to === 'merged' && row.pr === pr && row.attempt === attempt;

const isMergedBefore = ({ history }: Evidence, { pr, attempt }: Member, sequence: number): boolean =>
  history.some((row) => row.sequence <= sequence && isMerged(row, pr, attempt));

const repeated = (keys: readonly string[]): readonly string[] =>
  keys.filter((key, index) => keys.indexOf(key) !== index);
