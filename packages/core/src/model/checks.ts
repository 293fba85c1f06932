import type { Instant, RunId } from './ids.js';

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
  readonly runId: RunId | null;
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
}

/** A pass that may be used again for the same tree: the name, source and definition must be equal. */
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
  readonly runId: RunId;
  readonly since: Instant;
  /** What each check does at present: a pass of another definition says nothing. */
  readonly digests: Readonly<Record<string, string>>;
}

/**
 * What the required names amount to. Absence is never success. Of several runs of one (source, name) the one that
 * started last decides; where two sources report one name, each must have passed. A pass counts whoever asked for it,
 * since it speaks of the tree; anything else counts only as new evidence.
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

/** True for one that was started for the run, or, where the host cannot say for which, since. */
export const isOwnCheck = (check: Check, evidence: Pick<Evidence, 'runId' | 'since'>): boolean =>
  check.runId === null ? check.startedAt >= evidence.since : check.runId === evidence.runId;

/** A pass tells of the tree, for as long as the check is the same; everything else only of its own run. */
export const tells = (check: Check, evidence: Evidence, all: readonly Check[]): boolean =>
  isOwnCheck(check, evidence) ||
  (isPass(check) && isAsDefined(check, evidence.digests[check.name]) && !isRefuted(check, all));

/** What was run once more and failed is no pass of the tree any more. */
const isRefuted = ({ name, startedAt }: Check, all: readonly Check[]): boolean =>
  all.some((other) => other.name === name && other.startedAt > startedAt && isFailure(other));

const isFailure = (check: Check): boolean => {
  const outcome = settledOutcome(check);
  return outcome === 'failed' || outcome === 'timed_out';
};

/** Of what was seen of one tree, the passes that may be used again. */
export const reusablePasses = (checks: readonly Check[]): readonly Check[] =>
  checks.filter((check) => isPass(check) && !isRefuted(check, checks));

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
