import { type Check, isAsDefined, provingChecks } from '../../model/checks.js';
import { gateOf, mayFinish } from '../../model/gates.js';
import type { Instant, Sha, TestRunId } from '../../model/ids.js';
import { type Doubt, GROUNDS_LIMIT, noTrust, type Target, type TipTrust } from '../../model/queue.js';
import { evidenceOf, failedChecksOf, groundOf, hasFailed, type TestRun } from '../../model/run.js';
import { hasSucceeded } from '../../model/run-evidence.js';
import type { Draft } from '../draft/draft.js';
import { noSuspicion } from '../moves/leave.js';
import { beginRun } from '../moves/new-run.js';
import { pauseFor } from '../moves/pause.js';
import { delayAfter, holdsBackUntil } from '../moves/retry.js';
import { freeBisectionSlots } from '../testing/slots.js';

/**
 * True where the tip that this run stands on, the present one or one of before, is known to pass the checks that it failed,
 * so that who fails them on top of that tip may be blamed. Else, or where somebody else has failed the same check on it
 * before, it asks for a test of that tip; that is awaited, by whoever fails that check meanwhile.
 */
export const requireGreenBase = (
  draft: Draft,
  pr: number,
  failed: TestRun,
  checks: readonly string[],
): boolean =>
  // Each is asked for, also behind one that is in doubt.
  checks.map((check) => requirePass(draft, pr, failed, check)).every(Boolean);

const requirePass = (draft: Draft, pr: number, failed: TestRun, check: string): boolean => {
  const ground = groundOf(failed);
  const trust = trustOf(draft, ground);
  const first = trust.failedFor[check];
  const hasPassed = trust.passes.includes(check);
  const asked = doubts(draft, trust);
  if (hasPassed && first === undefined)
    changeTrust(draft, ground, { failedFor: { ...trust.failedFor, [check]: pr } });
  const isSound = first === undefined || first === pr || trust.confirmed.includes(check);
  if (hasPassed && isSound && !asked.some((doubt) => doubt.check === check)) return true;
  if (!trust.asked.some((doubt) => doubt.check === check && doubt.failedBy === failed.id))
    changeTrust(draft, ground, { asked: [...asked, { check, failedBy: failed.id }] });
  return false;
};

/** What a tip has to be tested for: somebody stands accused of it still. */
const doubts = (draft: Draft, { asked }: TipTrust): readonly Doubt[] =>
  asked.filter(({ failedBy }) => draft.run(failedBy)?.closedAt === null);

/** The checks that this tip has to be tested for. */
export const doubtedChecks = (draft: Draft, ground: Sha | null): readonly string[] => [
  ...new Set(doubts(draft, trustOf(draft, ground)).map(({ check }) => check)),
];

/** True where a baseline run of this commit has failed one of these checks, and is repeated. */
export const isBaselineRepeated = (draft: Draft, ground: Sha | null, checks: readonly string[]): boolean =>
  trustOf(draft, ground).failedOnce?.some((name) => checks.includes(name)) === true;

/** True while the queue stands still because the target itself is broken: nobody is blamed meanwhile. */
export const isBaseBroken = ({ queue }: Draft): boolean =>
  queue.wanted === 'paused' && queue.statusReason?.code === 'BASE_BROKEN';

/** True where a run stands on a tip of before that is known to fail what it fails. That of the present one stops the queue. */
export const failsByItself = (draft: Draft, run: TestRun): boolean => {
  const ground = groundOf(run);
  if (ground === draft.queue.target.head) return false;
  const { fails } = trustOf(draft, ground);
  return failedChecksOf(run).some((check) => fails.includes(check));
};

/** What the target itself is to be tested for. A control has a slot among those that look for causes. */
export const startBaselineRuns = (draft: Draft): void => {
  letGoOfTrust(draft);
  for (const run of baselineRuns(draft)) {
    const names = doubtedChecks(draft, run.base);
    if (!isProbe(draft, run) && !run.requiredChecks.some((name) => names.includes(name)))
      draft.closeRun(run, 'superseded');
  }
  if (!mayFinish(gateOf(draft.queue))) return;
  const { target, groundTrust } = draft.queue;
  for (const ground of [target.head, ...groundTrust.map(({ head }) => head)]) control(draft, ground);
};

const control = (draft: Draft, ground: Sha | null): void => {
  const names = doubtedChecks(draft, ground);
  if (ground === null || names.length === 0) return;
  if (baselineRuns(draft).some(({ base }) => base === ground) || freeBisectionSlots(draft) <= 0) return;
  const again = nextBaselineRunAt(draft, ground);
  if (again !== null) return draft.wakeAt(again.at);
  const { failedFor, failedOnce = [] } = trustOf(draft, ground);
  const isInDoubt = (name: string) => failedFor[name] !== undefined || failedOnce.includes(name);
  beginRun(draft, draft.newId<TestRunId>(), {
    purpose: { kind: 'control', isFresh: names.some(isInDoubt) },
    batch: [],
    stack: [],
    without: [],
    base: ground,
    requiredChecks: names,
  });
};

/** Until when the test of a tip holds back, after so many that came to no verdict; null where it does not. */
export const nextBaselineRunAt = (
  draft: Draft,
  ground: Sha | null,
): { readonly at: Instant; readonly tries: number } | null => {
  const { tries, retryAt = null } = trustOf(draft, ground);
  const at = holdsBackUntil(draft, { retryAt });
  return at === null ? null : { at, tries };
};

/** The tests of the target itself that are under way. */
export const baselineRuns = (draft: Draft): readonly TestRun[] =>
  draft.openRuns().filter(({ purpose }) => purpose.kind === 'control');

/** True of a test of the tip that was begun to see whether the infrastructure works, until a test run comes to a verdict. */
const isProbe = ({ queue }: Draft, { id }: TestRun): boolean => queue.infrastructureFailure?.probe === id;

/**
 * A red tip stops the queue: nobody who stands on it is to blame. It is red once two tests of it in a row have failed a check.
 * A test that comes to no verdict, or passed by what a check was before, is repeated within a budget; then the tip counts as
 * sound, unless a test of it has failed.
 */
export const recordBaselineResult = (draft: Draft, run: TestRun): void => {
  draft.closeRun(run, 'judged');
  if (run.onto !== draft.queue.target.head) return;
  // Without a verdict a probe says what it was to show, and nothing of the tip.
  if (isProbe(draft, run)) return;
  const names = run.requiredChecks;
  const trust = trustOf(draft, run.base);
  const asked = trust.asked.filter(({ check }) => !names.includes(check));
  if (hasFailed(run)) return learnOfFailure(draft, run, failedChecksOf(run));
  const successes = run.outcome === 'passed' ? successesOf(draft, run) : [];
  if (run.outcome === 'passed' && names.some((name) => !hasSucceeded(run, name)))
    return learnOfSkips(draft, run, successes);
  // What was shown of it before says that it passed once; only a test that was made for this confirms it.
  const isShownOnly = run.outcome === 'passed' && run.purpose.kind === 'control' && !run.purpose.isFresh;
  const confirmed = isShownOnly ? names.filter((name) => run.startedChecks.includes(name)) : names;
  const isVerdict = run.outcome === 'passed' && names.every((name) => successes.includes(name));
  if (!isVerdict && trust.tries < draft.context.pace.retryLimit)
    return changeTrust(draft, run.base, {
      tries: trust.tries + 1,
      retryAt: draft.now + delayAfter(draft, trust.tries),
    });
  const unproven = isVerdict ? [] : names.filter((name) => trust.failedOnce?.includes(name));
  if (unproven.length > 0) return learnOfFailure(draft, run, unproven);
  changeTrust(draft, run.base, {
    asked,
    fails: trust.fails.filter((name) => !names.includes(name)),
    failedOnce: trust.failedOnce?.filter((name) => !names.includes(name)) ?? [],
    passes: [...new Set([...trust.passes, ...names])],
    confirmed: [...new Set([...trust.confirmed, ...confirmed])],
    unconfirmed: (trust.unconfirmed ?? []).filter((name) => !names.includes(name)),
    tries: 0,
    retryAt: null,
  });
};

/** A first failure may be chance: the test is repeated with new evidence, and what it was asked for stays in doubt. */
const learnOfFailure = (draft: Draft, run: TestRun, failed: readonly string[]): void => {
  const { asked, passes, fails, failedOnce = [] } = trustOf(draft, run.base);
  const isFailed = (name: string) => failed.includes(name);
  const remaining = passes.filter((name) => !isFailed(name));
  const again = failed.filter((name) => failedOnce.includes(name));
  if (again.length === 0)
    return changeTrust(draft, run.base, { passes: remaining, failedOnce: [...failedOnce, ...failed] });
  changeTrust(draft, run.base, {
    asked: asked.filter(({ check }) => !run.requiredChecks.includes(check)),
    passes: remaining,
    fails: [...new Set([...fails, ...again])],
    failedOnce: failedOnce.filter((name) => !isFailed(name)),
  });
  if (run.base === draft.queue.target.head) stopFor(draft, run, again);
};

/** A baseline run in which a check was skipped is inconclusive; after so many of them no other is begun for that check. */
export const SKIPPED_BASELINES_LIMIT = 2;

/**
 * What succeeded in the baseline run counts. What was skipped is tested once more; after that the last landed test run that
 * succeeded in the check proves the base, and without one the base counts as not confirmed.
 */
const learnOfSkips = (draft: Draft, run: TestRun, successes: readonly string[]): void => {
  const trust = trustOf(draft, run.base);
  const { skips = 0, unconfirmed = [], failedOnce = [] } = trust;
  const isLast = skips + 1 >= SKIPPED_BASELINES_LIMIT;
  const skipped = run.requiredChecks.filter((name) => !successes.includes(name));
  const settled = isLast ? run.requiredChecks : successes;
  // A success from before a failure of the base does not disprove that failure.
  const isUnproven = (name: string) =>
    failedOnce.includes(name) || draft.queue.lastSuccesses[name] === undefined;
  const unproven = isLast ? skipped.filter(isUnproven) : [];
  changeTrust(draft, run.base, {
    asked: trust.asked.filter(({ check }) => !settled.includes(check)),
    fails: trust.fails.filter((name) => !settled.includes(name)),
    failedOnce: failedOnce.filter((name) => !settled.includes(name)),
    passes: [...new Set([...trust.passes, ...settled])],
    confirmed: [...new Set([...trust.confirmed, ...settled])],
    unconfirmed: [...new Set([...unconfirmed, ...unproven])],
    skips: isLast ? 0 : skips + 1,
    retryAt: isLast ? null : draft.now + delayAfter(draft, skips),
  });
};

/** Those of the checks that the ground of a failed run was to be tested for and that no run has shown to succeed there. */
export const unconfirmedChecks = (
  draft: Draft,
  failed: TestRun,
  checks: readonly string[],
): readonly string[] => {
  const { unconfirmed = [] } = trustOf(draft, groundOf(failed));
  return checks.filter((check) => unconfirmed.includes(check));
};

/** A check that failed once, and of which every repetition came to no verdict, has not been shown to pass. */
const faultOf = (run: TestRun, told: string): string => {
  if (!hasFailed(run)) return `failed ${told} once, and every repetition of that came to no verdict,`;
  return run.decidedBy === null ? `does not end ${told} in time` : `fails ${told}`;
};

/** Whoever was suspected for a failure on a target that is broken is suspected of nothing. */
const stopFor = (draft: Draft, run: TestRun, failed: readonly string[]): void => {
  const told = failed.join(', ');
  const fault = faultOf(run, told);
  for (const submission of draft.liveSubmissions())
    if (submission.suspectedBy !== null) draft.change(submission, noSuspicion);
  pauseFor(
    draft,
    'BASE_BROKEN',
    `${draft.queue.branch} itself ${fault} at ${run.base}: see to that before the queue goes on.`,
  );
};

/**
 * In lanes a pass proves what it stands on: of the commits that its candidate is built of, the tip, and those on which a run stands
 * that may be blamed. Where that commit is to be tested by itself, or has failed so, only such a test decides: the pass may be of
 * what repairs it.
 */
export const trustGroundsOf = (draft: Draft, passed: TestRun): void => {
  if (draft.queue.settings.mode === 'single') return;
  const names = successesOf(draft, passed);
  const commits = new Set<Sha | null>([
    passed.base,
    ...(passed.candidate?.steps ?? []).map((step) => step.commit),
  ]);
  for (const ground of new Set([draft.queue.target.head, ...groundsInQuestion(draft)]))
    if (commits.has(ground)) addPasses(draft, ground, names);
};

const addPasses = (draft: Draft, ground: Sha | null, names: readonly string[]): void => {
  const trust = trustOf(draft, ground);
  const { passes, fails, failedOnce = [] } = trust;
  const known = [...passes, ...fails, ...failedOnce, ...doubts(draft, trust).map(({ check }) => check)];
  const news = names.filter((name) => !known.includes(name));
  if (news.length > 0) changeTrust(draft, ground, { passes: [...passes, ...news] });
};

/** The checks that a run has passed by a success, by what they do at present: what was skipped says nothing of others. */
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

/** What is known of the tip is kept where others land beside runs that stand on it. */
export const keepTrust = (draft: Draft): void => {
  const { target, groundTrust } = draft.queue;
  draft.changeQueue({ groundTrust: [...groundTrust, trustOf(draft, target.head)] });
};

/** A pass of the target says nothing more once the check does something else. */
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

/** Nobody stands on it any more who might be blamed. */
const letGoOfTrust = (draft: Draft): void => {
  const { groundTrust, target } = draft.queue;
  if (groundTrust.length === 0) return;
  const grounds = groundsInQuestion(draft);
  const kept = groundTrust.filter(({ head }) => head !== target.head && grounds.has(head));
  if (kept.length < groundTrust.length || kept.length > GROUNDS_LIMIT)
    draft.changeQueue({ groundTrust: kept.slice(-GROUNDS_LIMIT) });
};

/** Those on which a run stands that has failed or may fail. */
const groundsInQuestion = (draft: Draft): ReadonlySet<Sha | null> => {
  const mayBlame = ({ outcome, purpose }: TestRun) => outcome !== 'passed' && purpose.kind !== 'control';
  return new Set(draft.openRuns().filter(mayBlame).map(groundOf));
};

const trustOf = ({ queue }: Draft, ground: Sha | null): TipTrust => {
  const known = ground === queue.target.head ? [queue.tipTrust] : queue.groundTrust;
  return known.find(({ head }) => head === ground) ?? noTrust(ground);
};

const changeTrust = (draft: Draft, ground: Sha | null, patch: Partial<TipTrust>): void => {
  const trust = { ...trustOf(draft, ground), ...patch };
  const { target, groundTrust } = draft.queue;
  if (ground === target.head) return draft.changeQueue({ tipTrust: trust });
  draft.changeQueue({ groundTrust: [...groundTrust.filter(({ head }) => head !== ground), trust] });
};
