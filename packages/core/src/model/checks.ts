import type { Instant, Sha, TestRunId } from './ids.js';

export const conclusions = [
  'success',
  'failure',
  'neutral',
  'skipped',
  'cancelled',
  'timed_out',
  'stale',
  'action_required',
  'infrastructure',
  'unknown',
] as const;
export type Conclusion = (typeof conclusions)[number];

/** One check of one commit, as the host shows it. `id` is the host's id; a rerun has another one. */
export interface Check {
  readonly id: string;
  /** The test run that it was started for; null if the host does not know. */
  readonly runId: TestRunId | null;
  readonly name: string;
  /** The reporter of the check, e.g. the name of the CI. */
  readonly source: string;
  /** A digest of the check's definition; null if the host does not know it. */
  readonly digest: string | null;
  readonly status: 'queued' | 'running' | 'completed';
  readonly conclusion: Conclusion | null;
  readonly startedAt: Instant;
  readonly completedAt: Instant | null;
  /** The page with details for people; null if the host has none. */
  readonly url: string | null;
  /** One line on the result, cut to a safe length; null if there is nothing to say. */
  readonly summary: string | null;
  /**
   * True if it ran not on the commit itself but on its merge with the target at that time, as a host tests draft pull
   * requests.
   */
  readonly isOnMerge?: true;
  /**
   * The commit that it was read on. Absent in the `checks` of a test run if that is its candidate, and in rows of an
   * earlier release.
   */
  readonly commit?: Sha;
  /** True if it runs and is known to fail already. People are shown it; the verdict waits for the end. */
  readonly failing?: true;
  /** Until when it may be queued. Absent if it has no start timeout of its own, or has started. */
  readonly startDue?: StartDue;
}

/**
 * A pass that a test run reuses from another commit with its tree. Of the checks of that commit only this one and its
 * reruns count for the test run, and never as its own.
 */
export type ReusedPass = Pick<Check, 'name' | 'source'> & { readonly commit: Sha };

/** The start timeout of a check. Standstills of the queue since `since` extend it. */
export interface StartDue {
  readonly since: Instant;
  readonly by: Instant;
  /** The summary of the infrastructure failure that the check ends as. */
  readonly lateSummary: string;
}

/**
 * A pass that can be reused for the same tree if name, source and definition are equal. Or a later result that casts
 * doubt on such a pass: a rerun of the same check that did not pass, or has not ended.
 */
export interface Verdict {
  readonly tree: string;
  readonly check: Check;
}

export const outcomes = ['passed', 'failed', 'timed_out', 'cancelled', 'infrastructure'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Judgement {
  readonly outcome: Outcome | 'undecided';
  /** The check that decided; null if all passed or nothing is decided. */
  readonly check: Check | null;
  /** The required checks without a pass so far. */
  readonly missing: readonly string[];
}

const outcomeOf: Record<Conclusion, Outcome> = {
  success: 'passed',
  neutral: 'passed',
  skipped: 'passed',
  failure: 'failed',
  action_required: 'failed',
  timed_out: 'timed_out',
  cancelled: 'cancelled',
  stale: 'cancelled',
  infrastructure: 'infrastructure',
  unknown: 'infrastructure',
};

const severity: readonly Outcome[] = ['failed', 'timed_out', 'infrastructure', 'cancelled'];

/**
 * What decides whether a check counts for a test run: it was started for `runId` or, if the host does not say for
 * which, after `since`.
 */
export interface Evidence {
  readonly runId: TestRunId;
  readonly since: Instant;
  /** Passes accepted for this test run when it was built. Of these, skipped ones count too. */
  readonly accepted: readonly Check[];
  /** Those of them from other commits. What was read on these commits was not started for this test run. */
  readonly reused: readonly ReusedPass[];
  /** The current digest of each check. A pass with another digest does not count. */
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * Judges the required checks. A missing check is never a success. Of several checks with one (source, name) the one
 * started last decides; if two sources report one name, each must have passed. A success counts for every test run of
 * the tree; any other result only for the test run that it was started for.
 */
export const judgeChecks = (
  required: readonly string[],
  checks: readonly Check[],
  evidence: Evidence,
): Judgement => {
  const missing: string[] = [];
  const bad = new Map<Outcome, Check>();
  const telling = checks.filter((check) => tells(check, evidence, checks));
  for (const name of required) {
    const newest = newestBySource(name, telling);
    const settled = newest.map((check) => ({ check, outcome: settledOutcome(check) }));
    for (const { check, outcome } of settled)
      if (outcome !== null && outcome !== 'passed' && !bad.has(outcome)) bad.set(outcome, check);
    if (settled.length === 0 || settled.some(({ outcome }) => outcome !== 'passed')) missing.push(name);
  }
  for (const outcome of severity) {
    const check = bad.get(outcome);
    if (check !== undefined) return { outcome, check, missing };
  }
  return { outcome: missing.length === 0 ? 'passed' : 'undecided', check: null, missing };
};

/** The passes that prove these names, the newest of each source. */
export const provingChecks = (
  required: readonly string[],
  checks: readonly Check[],
  evidence: Evidence,
): readonly Check[] => {
  const passes = checks.filter((check) => isPass(check) && tells(check, evidence, checks));
  return required.flatMap((name) => newestBySource(name, passes));
};

const settledOutcome = (check: Check): Outcome | null =>
  check.status === 'completed' ? outcomeOf[check.conclusion ?? 'unknown'] : null;

/** Whether a check with this conclusion has passed. */
export const isPassing = (conclusion: Conclusion): boolean => outcomeOf[conclusion] === 'passed';

export const isPass = (check: Check): boolean => settledOutcome(check) === 'passed';

/** Whether a pass is evidence about the tree. Skipped and neutral checks pass their own test run but prove nothing. */
export const isSuccess = ({ status, conclusion }: Check): boolean =>
  status === 'completed' && conclusion === 'success';

/** Whether the check was started for the test run or, if the host does not say for which, after `since`. */
export const isOwnCheck = (check: Check, evidence: Pick<Evidence, 'runId' | 'since' | 'reused'>): boolean => {
  if (evidence.reused.some(({ commit }) => commit === check.commit)) return false;
  return check.runId === null ? check.startedAt >= evidence.since : check.runId === evidence.runId;
};

/**
 * Whether a check counts for a test run. A success counts for the tree while the definition is unchanged; any other
 * result only for its own test run.
 */
export const tells = (check: Check, evidence: Evidence, all: readonly Check[]): boolean =>
  isOwnCheck(check, evidence) ||
  ((isSuccess(check) || isAccepted(check, evidence)) &&
    isAsDefined(check, evidence.digests[check.name]) &&
    !isDoubted(check, all));

const isAccepted = (check: Check, { accepted }: Evidence): boolean =>
  isPass(check) && accepted.some(({ id, source }) => id === check.id && source === check.source);

/** Whether a later result casts doubt on a pass: the check failed later, or its rerun has not passed. */
const isDoubted = ({ name, source, runId, startedAt }: Check, all: readonly Check[]): boolean =>
  all.some((other) => {
    if (other.name !== name || other.startedAt <= startedAt) return false;
    return isFailure(other) || (other.runId === runId && other.source === source && !isPass(other));
  });

/** The checks of one tree that cast doubt on a success among them. */
export const doubtsAmong = (checks: readonly Check[]): readonly Check[] => {
  const successes = checks.filter(isSuccess);
  return checks.filter((check) => !isPass(check) && successes.some((one) => isDoubted(one, [check])));
};

/** Whether all these names passed if later reruns are ignored. */
export const hadPassed = (
  required: readonly string[],
  checks: readonly Check[],
  evidence: Evidence,
): boolean =>
  required.every((name) =>
    checks.some((check) => check.name === name && isPass(check) && tells(check, evidence, [])),
  );

/**
 * Merges the checks shown before and now. A check that had ended stays ended, even if the host shows an older state of
 * it.
 */
export const keepingEnded = (before: readonly Check[], shown: readonly Check[]): readonly Check[] => {
  const endedNow = new Set(shown.filter(hasEnded).map(({ id }) => id));
  const endedBefore = before.filter((check) => hasEnded(check) && !endedNow.has(check.id));
  const ids = new Set(endedBefore.map(({ id }) => id));
  return [...shown.filter(({ id }) => !ids.has(id)), ...endedBefore.slice(0, ENDED_CHECKS_LIMIT)];
};

/** Max ended checks of a test run that are kept although the host does not show their end any more. */
export const ENDED_CHECKS_LIMIT = 1_000;

const hasEnded = ({ status }: Check): boolean => status === 'completed';

const isFailure = (check: Check): boolean => {
  const outcome = settledOutcome(check);
  return outcome === 'failed' || outcome === 'timed_out';
};

/** The undoubted successes among the checks of one tree. Any test run of that tree may reuse them. */
export const reusableSuccesses = (checks: readonly Check[]): readonly Check[] =>
  reusablePasses(checks, isSuccess);

/** The undoubted passes among the checks of one tree that `counts` accepts. */
export const reusablePasses = (
  checks: readonly Check[],
  counts: (check: Check) => boolean,
): readonly Check[] => checks.filter((check) => isPass(check) && counts(check) && !isDoubted(check, checks));

/** Whether the check ran with its current definition. True if either digest is unknown. */
export const isAsDefined = (check: Check, present: string | undefined): boolean =>
  present === undefined || check.digest === null || check.digest === present;

const newestBySource = (name: string, checks: readonly Check[]): readonly Check[] => {
  const newest = new Map<string, Check>();
  for (const check of checks) {
    if (check.name !== name) continue;
    const current = newest.get(check.source);
    if (current === undefined || isNewer(check, current)) newest.set(check.source, check);
  }
  return [...newest.values()];
};

const isNewer = (one: Check, other: Check): boolean =>
  one.startedAt !== other.startedAt ? one.startedAt > other.startedAt : one.id > other.id;

/** The checks that must pass, and the source of that list. */
export interface RequiredChecks {
  readonly names: readonly string[];
  readonly source: 'merge_instance' | 'repo_provider_branch_protection';
}
