import type { Instant, TestRunId } from './ids.js';

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

/** One check of one commit as the host shows it. `id` is the host's own; a re-run is another id. */
export interface Check {
  readonly id: string;
  /** The run that it was started for, where the host knows; else null. */
  readonly runId: TestRunId | null;
  readonly name: string;
  /** Who reported it, e.g. the name of the CI. */
  readonly source: string;
  /** A digest of what the check does, where the host knows it; else null. */
  readonly digest: string | null;
  readonly status: 'queued' | 'running' | 'completed';
  readonly conclusion: Conclusion | null;
  readonly startedAt: Instant;
  readonly completedAt: Instant | null;
  /** Where a person can read what happened; null where the host has no such place. */
  readonly url: string | null;
  /** One line on how it ended, cut to a safe length; null where there is nothing to say. */
  readonly summary: string | null;
  /** True where it runs and is known to fail already. People are shown it; the verdict waits for the end. */
  readonly failing?: true;
}

/**
 * A pass that may be used again for the same tree: the name, source and definition must be equal. Or what casts doubt on such
 * a pass: the same check run again, with another end or none yet.
 */
export interface Verdict {
  readonly tree: string;
  readonly check: Check;
}

export const outcomes = ['passed', 'failed', 'timed_out', 'cancelled', 'infrastructure'] as const;
export type Outcome = (typeof outcomes)[number];

export interface Judgement {
  readonly outcome: Outcome | 'undecided';
  /** The check that decided; null when all passed or nothing has been decided. */
  readonly check: Check | null;
  /** The required names that have no passing check yet. */
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

/** Which failures count: those of checks that were started for `runId`, or, where the host cannot say, since `since`. */
export interface Evidence {
  readonly runId: TestRunId;
  readonly since: Instant;
  /** Passes that were accepted for this run when it was built: of these also what was skipped counts. */
  readonly accepted: readonly Check[];
  /** What each check does at present: a pass of another definition says nothing. */
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * What the required names amount to. Absence is never success. Of several runs of one (source, name) the one that
 * started last decides; where two sources report one name, each must have passed. A success counts for every run of the
 * tree. Anything else counts only for the run that it was started for.
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

/** The passes that these names rest on, the newest of each source. */
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

/** Whether a check that ended so has passed. */
export const isPassing = (conclusion: Conclusion): boolean => outcomeOf[conclusion] === 'passed';

export const isPass = (check: Check): boolean => settledOutcome(check) === 'passed';

/** True of a pass that is evidence about the tree. What was skipped or neutral passes its own run and shows nothing. */
export const isSuccess = ({ status, conclusion }: Check): boolean =>
  status === 'completed' && conclusion === 'success';

/** True for one that was started for the run, or, where the host cannot say for which, since. */
export const isOwnCheck = (check: Check, evidence: Pick<Evidence, 'runId' | 'since'>): boolean =>
  check.runId === null ? check.startedAt >= evidence.since : check.runId === evidence.runId;

/** A success tells of the tree, for as long as the check is the same; everything else only of its own run. */
export const tells = (check: Check, evidence: Evidence, all: readonly Check[]): boolean =>
  isOwnCheck(check, evidence) ||
  ((isSuccess(check) || isAccepted(check, evidence)) &&
    isAsDefined(check, evidence.digests[check.name]) &&
    !isDoubted(check, all));

const isAccepted = (check: Check, { accepted }: Evidence): boolean =>
  isPass(check) && accepted.some(({ id, source }) => id === check.id && source === check.source);

/** A later failure of the check, or the same check run again without a pass so far: the pass says nothing of the tree any more. */
const isDoubted = ({ name, source, runId, startedAt }: Check, all: readonly Check[]): boolean =>
  all.some((other) => {
    if (other.name !== name || other.startedAt <= startedAt) return false;
    return isFailure(other) || (other.runId === runId && other.source === source && !isPass(other));
  });

/** Of the checks of one tree, those that cast doubt on a success among them. */
export const doubtsAmong = (checks: readonly Check[]): readonly Check[] => {
  const successes = checks.filter(isSuccess);
  return checks.filter((check) => !isPass(check) && successes.some((one) => isDoubted(one, [check])));
};

/** True where these names had all passed, if what was run again since is left out of account. */
export const hadPassed = (
  required: readonly string[],
  checks: readonly Check[],
  evidence: Evidence,
): boolean =>
  required.every((name) =>
    checks.some((check) => check.name === name && isPass(check) && tells(check, evidence, [])),
  );

/** The checks as shown now. What has ended is not undone by an older state that the code host may show. */
export const keepingEnded = (before: readonly Check[], shown: readonly Check[]): readonly Check[] => {
  const endedNow = new Set(shown.filter(hasEnded).map(({ id }) => id));
  const kept = before.filter((check) => hasEnded(check) && !endedNow.has(check.id));
  const ids = new Set(kept.map(({ id }) => id));
  return [...shown.filter(({ id }) => !ids.has(id)), ...kept.slice(0, ENDED_CHECKS_LIMIT)];
};

/** So many checks of a run are remembered as ended though the code host does not show their end any more. */
export const ENDED_CHECKS_LIMIT = 1_000;

const hasEnded = ({ status }: Check): boolean => status === 'completed';

const isFailure = (check: Check): boolean => {
  const outcome = settledOutcome(check);
  return outcome === 'failed' || outcome === 'timed_out';
};

/** The successes among the checks of one tree on which nothing casts doubt: any run of that tree may reuse them. */
export const reusableSuccesses = (checks: readonly Check[]): readonly Check[] =>
  reusablePasses(checks, isSuccess);

/** The passes among the checks of one tree that `counts` accepts and on which nothing casts doubt. */
export const reusablePasses = (
  checks: readonly Check[],
  counts: (check: Check) => boolean,
): readonly Check[] => checks.filter((check) => isPass(check) && counts(check) && !isDoubted(check, checks));

/** True where the check did then what it does at present, as far as both are known. */
export const isAsDefined = (check: Check, present: string | undefined): boolean =>
  present === undefined || check.digest === null || check.digest === present;

const newestBySource = (name: string, checks: readonly Check[]): readonly Check[] => {
  const newest = new Map<string, Check>();
  for (const check of checks) {
    if (check.name !== name) continue;
    const known = newest.get(check.source);
    if (known === undefined || isNewer(check, known)) newest.set(check.source, check);
  }
  return [...newest.values()];
};

const isNewer = (one: Check, other: Check): boolean =>
  one.startedAt !== other.startedAt ? one.startedAt > other.startedAt : one.id > other.id;

/** The checks that must pass, and who says so. Null: neither the queue nor the host's branch rules name any. */
export interface RequiredChecks {
  readonly names: readonly string[];
  readonly source: 'merge_instance' | 'repo_provider_branch_protection';
}
