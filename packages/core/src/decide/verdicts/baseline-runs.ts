import { type Check, isAsDefined, provingChecks } from '../../model/checks.js';
import { gateOf, mayFinish } from '../../model/gates.js';
import type { Instant, Sha, TestRunId } from '../../model/ids.js';
import { isInfrastructureDown } from '../../model/infrastructure-failure.js';
import { type Doubt, KNOWN_BASES_LIMIT, noTrust, type Target, type TipTrust } from '../../model/queue.js';
import { actualBaseOf, evidenceOf, failedChecksOf, hasFailed, type TestRun } from '../../model/run.js';
import { hasSucceeded } from '../../model/run-evidence.js';
import type { Draft } from '../draft/draft.js';
import { noSuspicion } from '../moves/leave.js';
import { beginRun } from '../moves/new-run.js';
import { pauseFor } from '../moves/pause.js';
import { delayAfter, delayedUntil } from '../moves/retry.js';
import { freeBisectionSlots } from '../testing/slots.js';

/**
 * True if the base of the failed run is known to pass these checks, so that the pull request that failed them on top of
 * it is the culprit. Otherwise, or if another pull request has failed the same check on it before, requests a baseline
 * run of that base and returns false.
 */
export const requireGreenBase = (
  draft: Draft,
  pr: number,
  failed: TestRun,
  checks: readonly string[],
): boolean =>
  // `map` before `every`, so that every check in doubt is requested, and not only the first.
  checks.map((check) => requirePass(draft, pr, failed, check)).every(Boolean);

const requirePass = (draft: Draft, pr: number, failed: TestRun, check: string): boolean => {
  const base = actualBaseOf(failed);
  const trust = trustOf(draft, base);
  const firstFailed = trust.failedFor[check];
  const hasPassed = trust.passes.includes(check);
  const asked = doubts(draft, trust);
  if (hasPassed && firstFailed === undefined)
    changeTrust(draft, base, { failedFor: { ...trust.failedFor, [check]: pr } });
  const isTrusted = firstFailed === undefined || firstFailed === pr || trust.confirmed.includes(check);
  if (hasPassed && isTrusted && !asked.some((doubt) => doubt.check === check)) return true;
  if (!trust.asked.some((doubt) => doubt.check === check && doubt.failedBy === failed.id))
    changeTrust(draft, base, { asked: [...asked, { check, failedBy: failed.id }] });
  return false;
};

/** The checks of this base that are in doubt, because an open failed run waits for them. */
const doubts = (draft: Draft, { asked }: TipTrust): readonly Doubt[] =>
  asked.filter(({ failedBy }) => draft.run(failedBy)?.closedAt === null);

/** The checks for which this base needs a baseline run. */
export const doubtedChecks = (draft: Draft, base: Sha | null): readonly string[] => [
  ...new Set(doubts(draft, trustOf(draft, base)).map(({ check }) => check)),
];

/** True if a baseline run of this commit has failed one of these checks once, and is being repeated. */
export const isBaselineRepeated = (draft: Draft, base: Sha | null, checks: readonly string[]): boolean =>
  trustOf(draft, base).failedOnce?.some((name) => checks.includes(name)) === true;

/** True while the queue is paused because the base is broken. No pull request is failed meanwhile. */
export const isBaseBroken = ({ queue }: Draft): boolean =>
  queue.wanted === 'paused' && queue.statusReason?.code === 'BASE_BROKEN';

/**
 * True if the run stands on an earlier base that is known to fail a check that the run failed. If the current base
 * fails, the queue pauses instead.
 */
export const failsByItself = (draft: Draft, run: TestRun): boolean => {
  const base = actualBaseOf(run);
  if (base === draft.queue.target.head) return false;
  const { fails } = trustOf(draft, base);
  return failedChecksOf(run).some((check) => fails.includes(check));
};

/** Starts the baseline runs that are needed, in bisection slots, and closes those that are not. */
export const startBaselineRuns = (draft: Draft): void => {
  dropUnusedTrust(draft);
  for (const run of baselineRuns(draft)) {
    const names = doubtedChecks(draft, run.base);
    if (!isProbe(draft, run) && !run.requiredChecks.some((name) => names.includes(name)))
      draft.closeRun(run, 'superseded');
  }
  if (!mayFinish(gateOf(draft.queue))) return;
  const { target, groundTrust } = draft.queue;
  for (const base of [target.head, ...groundTrust.map(({ head }) => head)]) startBaselineRun(draft, base);
};

const startBaselineRun = (draft: Draft, base: Sha | null): void => {
  const names = doubtedChecks(draft, base);
  if (base === null || names.length === 0) return;
  if (baselineRuns(draft).some((run) => run.base === base) || freeBisectionSlots(draft) <= 0) return;
  const retry = nextBaselineRunAt(draft, base);
  if (retry !== null) return draft.wakeAt(retry.at);
  const { failedFor, failedOnce = [] } = trustOf(draft, base);
  const isInDoubt = (name: string) => failedFor[name] !== undefined || failedOnce.includes(name);
  beginRun(draft, draft.newId<TestRunId>(), {
    purpose: { kind: 'control', isFresh: names.some(isInDoubt) },
    batch: [],
    stack: [],
    without: [],
    base,
    requiredChecks: names,
  });
};

/** The end of the retry delay of the baseline run, and how many were inconclusive; null without a delay. */
export const nextBaselineRunAt = (
  draft: Draft,
  base: Sha | null,
): { readonly at: Instant; readonly tries: number } | null => {
  const { tries, retryAt = null } = trustOf(draft, base);
  const at = delayedUntil(draft, { retryAt });
  return at === null ? null : { at, tries };
};

/** The open baseline runs. */
export const baselineRuns = (draft: Draft): readonly TestRun[] =>
  draft.openRuns().filter(({ purpose }) => purpose.kind === 'control');

/** True for the baseline run that checks whether the infrastructure works, until a test run reaches a verdict. */
const isProbe = ({ queue }: Draft, { id }: TestRun): boolean => queue.infrastructureFailure?.probe === id;

/**
 * Takes in the result of a baseline run. Two failures of a check in a row on the current tip pause the queue: no pull
 * request on top of it is the culprit. A run that is inconclusive, or passed under an old definition of a check, is
 * repeated within a budget. After that the base counts as green, unless a baseline run has failed.
 */
export const recordBaselineResult = (draft: Draft, run: TestRun): void => {
  draft.closeRun(run, 'judged');
  if (run.onto !== draft.queue.target.head) return;
  // A probe without a verdict says nothing about the base.
  if (isProbe(draft, run)) return;
  const names = run.requiredChecks;
  const trust = trustOf(draft, run.base);
  const asked = trust.asked.filter(({ check }) => !names.includes(check));
  if (hasFailed(run)) return recordFailure(draft, run, failedChecksOf(run));
  const successes = run.outcome === 'passed' ? successesOf(draft, run) : [];
  if (run.outcome === 'passed' && names.some((name) => !hasSucceeded(run, name)))
    return recordSkips(draft, run, successes);
  // A result that existed before shows one pass. Only a run with fresh evidence confirms it.
  const isOldEvidence = run.outcome === 'passed' && run.purpose.kind === 'control' && !run.purpose.isFresh;
  const confirmed = isOldEvidence ? names.filter((name) => run.startedChecks.includes(name)) : names;
  const isVerdict = run.outcome === 'passed' && names.every((name) => successes.includes(name));
  if (!isVerdict && repeatLater(draft, run, trust)) return;
  const unproven = without(names, successes).filter((name) => isUnproven(draft, trust, name));
  const failed = unproven.filter((name) => trust.failedOnce?.includes(name));
  if (failed.length > 0) return recordFailure(draft, run, failed);
  changeTrust(draft, run.base, {
    asked,
    fails: without(trust.fails, names),
    failedOnce: without(trust.failedOnce, names),
    passes: [...new Set([...trust.passes, ...names])],
    confirmed: [...new Set([...trust.confirmed, ...confirmed])],
    unconfirmed: [...without(trust.unconfirmed, names), ...unproven],
    skippedOnce: without(trust.skippedOnce, names),
    tries: 0,
    retryAt: null,
  });
};

/**
 * Repeats an inconclusive baseline run after a delay, without a charge while the infrastructure is at fault. False if its
 * budget is spent.
 */
const repeatLater = (draft: Draft, { base, outcome }: TestRun, { tries }: TipTrust): boolean => {
  const { infrastructureFailure } = draft.queue;
  const isDown = outcome === 'infrastructure' && isInfrastructureDown(infrastructureFailure);
  if (!isDown && tries >= draft.context.pace.retryLimit) return false;
  const delayMs = delayAfter(draft, isDown ? (infrastructureFailure?.rounds ?? 0) : tries);
  changeTrust(draft, base, { tries: isDown ? tries : tries + 1, retryAt: draft.now + delayMs });
  return true;
};

const without = (names: readonly string[] = [], removed: readonly string[]): readonly string[] =>
  names.filter((name) => !removed.includes(name));

/**
 * True if the base failed the check, or no landed run has passed it. A success from before a failure of the base does
 * not disprove that failure.
 */
const isUnproven = ({ queue }: Draft, { failedOnce = [] }: TipTrust, name: string): boolean =>
  failedOnce.includes(name) || queue.lastSuccesses[name] === undefined;

/** A first failure may be flaky: the run is repeated with fresh evidence, and the check stays in doubt. */
const recordFailure = (draft: Draft, run: TestRun, failed: readonly string[]): void => {
  const { asked, passes, fails, failedOnce = [] } = trustOf(draft, run.base);
  const isFailed = (name: string) => failed.includes(name);
  const remaining = passes.filter((name) => !isFailed(name));
  const failedAgain = failed.filter((name) => failedOnce.includes(name));
  if (failedAgain.length === 0)
    return changeTrust(draft, run.base, { passes: remaining, failedOnce: [...failedOnce, ...failed] });
  changeTrust(draft, run.base, {
    asked: asked.filter(({ check }) => !run.requiredChecks.includes(check)),
    passes: remaining,
    fails: [...new Set([...fails, ...failedAgain])],
    failedOnce: failedOnce.filter((name) => !isFailed(name)),
  });
  if (run.base === draft.queue.target.head) pauseForBrokenBase(draft, run, failedAgain);
};

/**
 * Checks that succeeded in the baseline run count. A skipped check is tested once more. If it is skipped again, the
 * last landed run in which it succeeded proves the base; without one the base counts as not confirmed.
 */
const recordSkips = (draft: Draft, run: TestRun, successes: readonly string[]): void => {
  const trust = trustOf(draft, run.base);
  const { skippedOnce = [], unconfirmed = [], failedOnce = [] } = trust;
  const skipped = without(run.requiredChecks, successes);
  const skippedAgain = skipped.filter((name) => skippedOnce.includes(name));
  const settled = [...successes, ...skippedAgain];
  const remaining = without(skipped, skippedAgain);
  const unproven = skippedAgain.filter((name) => isUnproven(draft, trust, name));
  changeTrust(draft, run.base, {
    asked: trust.asked.filter(({ check }) => !settled.includes(check)),
    fails: without(trust.fails, settled),
    failedOnce: without(failedOnce, settled),
    passes: [...new Set([...trust.passes, ...settled])],
    confirmed: [...new Set([...trust.confirmed, ...settled])],
    unconfirmed: [...new Set([...without(unconfirmed, successes), ...unproven])],
    skippedOnce: [...without(skippedOnce, settled), ...remaining],
    retryAt: remaining.length === 0 ? null : draft.now + delayAfter(draft, 0),
  });
};

/**
 * The checks for which no run has shown a success on the base of the failed run, although a baseline run was started
 * for them.
 */
export const unconfirmedChecks = (
  draft: Draft,
  failed: TestRun,
  checks: readonly string[],
): readonly string[] => {
  const { unconfirmed = [] } = trustOf(draft, actualBaseOf(failed));
  return checks.filter((check) => unconfirmed.includes(check));
};

/** Says how the base fails these checks. A check that failed once and was inconclusive since counts as failed. */
const faultPhrase = (run: TestRun, checkNames: string): string => {
  if (!hasFailed(run)) return `failed ${checkNames} (all repetitions were inconclusive)`;
  return run.decidedBy === null ? `does not finish ${checkNames} in time` : `fails ${checkNames}`;
};

/** Drops all suspicions, since the failures came from the base, and pauses the queue. */
const pauseForBrokenBase = (draft: Draft, run: TestRun, failed: readonly string[]): void => {
  const checkNames = failed.join(', ');
  const fault = faultPhrase(run, checkNames);
  for (const submission of draft.liveSubmissions())
    if (submission.suspectedBy !== null) draft.change(submission, noSuspicion);
  pauseFor(
    draft,
    'BASE_BROKEN',
    `${draft.queue.branch} itself ${fault} at ${run.base}. Fix it, then set the queue running.`,
  );
};

/**
 * In lanes a passed run also proves the base under it: the tip, and the bases of open runs that may fail, if its
 * candidate is built on them. It does not settle a check that is in doubt or has failed on the base: the pull request
 * may be the fix.
 */
export const trustBasesOf = (draft: Draft, passed: TestRun): void => {
  if (draft.queue.settings.mode === 'single') return;
  const names = successesOf(draft, passed);
  const commits = commitsUnder(passed);
  for (const base of new Set([draft.queue.target.head, ...basesInQuestion(draft)]))
    if (commits.has(base)) addPasses(draft, base, names);
};

/**
 * Withdraws what a passed run has shown of the bases under it, for checks that were run again since. A baseline run's result
 * stays.
 */
export const distrustBasesOf = (draft: Draft, reopened: TestRun, checks: readonly string[]): void => {
  const commits = commitsUnder(reopened);
  const { tipTrust, groundTrust } = draft.queue;
  for (const { head, passes, confirmed } of [tipTrust, ...groundTrust]) {
    if (!commits.has(head)) continue;
    const remaining = passes.filter((name) => !checks.includes(name) || confirmed.includes(name));
    if (remaining.length < passes.length) changeTrust(draft, head, { passes: remaining });
  }
};

/** The base that the candidate of the run is built on, and each commit of the candidate. */
const commitsUnder = ({ base, candidate }: TestRun): ReadonlySet<Sha | null> =>
  new Set<Sha | null>([base, ...(candidate?.steps ?? []).map((step) => step.commit)]);

const addPasses = (draft: Draft, base: Sha | null, names: readonly string[]): void => {
  const trust = trustOf(draft, base);
  const { passes, fails, failedOnce = [] } = trust;
  const settled = [...passes, ...fails, ...failedOnce, ...doubts(draft, trust).map(({ check }) => check)];
  const newPasses = names.filter((name) => !settled.includes(name));
  if (newPasses.length > 0) changeTrust(draft, base, { passes: [...passes, ...newPasses] });
};

/** The required checks that succeeded in the run as they are defined now. A skipped check is not included. */
export const successesOf = ({ queue: { target } }: Draft, run: TestRun): readonly string[] => {
  const evidence = evidenceOf(run, target.digests);
  const checks = [...run.known, ...run.checks];
  return run.requiredChecks.filter((name) => {
    const proving = provingChecks([name], checks, evidence);
    const isSuccess = (check: Check) =>
      check.conclusion === 'success' && isAsDefined(check, target.digests[name]);
    return proving.length > 0 && proving.every(isSuccess);
  });
};

/** Keeps what is known of the old tip, for runs that stand on it while others land beside them. */
export const keepTrust = (draft: Draft): void => {
  const { target, groundTrust } = draft.queue;
  draft.changeQueue({ groundTrust: [...groundTrust, trustOf(draft, target.head)] });
};

/** Drops the passes of checks whose definition has changed. */
export const forgetPasses = (draft: Draft, digestsBefore: Target['digests']): void => {
  const { tipTrust, groundTrust, target } = draft.queue;
  const isSame = (name: string) => digestsBefore[name] === target.digests[name];
  const without = (trust: TipTrust): TipTrust => ({
    ...trust,
    passes: trust.passes.filter(isSame),
    confirmed: trust.confirmed.filter(isSame),
  });
  if ([tipTrust, ...groundTrust].some(({ passes }) => !passes.every(isSame)))
    draft.changeQueue({ tipTrust: without(tipTrust), groundTrust: groundTrust.map(without) });
};

/** Drops what is known of bases that no open run can fail on. */
const dropUnusedTrust = (draft: Draft): void => {
  const { groundTrust, target } = draft.queue;
  if (groundTrust.length === 0) return;
  const bases = basesInQuestion(draft);
  const stillUsed = groundTrust.filter(({ head }) => head !== target.head && bases.has(head));
  if (stillUsed.length < groundTrust.length || stillUsed.length > KNOWN_BASES_LIMIT)
    draft.changeQueue({ groundTrust: stillUsed.slice(-KNOWN_BASES_LIMIT) });
};

/** The bases of open runs that have failed or may fail. */
const basesInQuestion = (draft: Draft): ReadonlySet<Sha | null> => {
  const mayBlame = ({ outcome, purpose }: TestRun) => outcome !== 'passed' && purpose.kind !== 'control';
  return new Set(draft.openRuns().filter(mayBlame).map(actualBaseOf));
};

const trustOf = ({ queue }: Draft, base: Sha | null): TipTrust => {
  const trusts = base === queue.target.head ? [queue.tipTrust] : queue.groundTrust;
  return trusts.find(({ head }) => head === base) ?? noTrust(base);
};

const changeTrust = (draft: Draft, base: Sha | null, patch: Partial<TipTrust>): void => {
  const trust = { ...trustOf(draft, base), ...patch };
  const { target, groundTrust } = draft.queue;
  if (base === target.head) return draft.changeQueue({ tipTrust: trust });
  draft.changeQueue({ groundTrust: [...groundTrust.filter(({ head }) => head !== base), trust] });
};
