import { type Check, isPass, judgeChecks, keepingEnded } from './checks.js';
import type { ReadChecks } from './effect.js';
import type { Instant, Sha, TestRunId } from './ids.js';
import { checksThatCount, type TestRun } from './run.js';
import { otherCommitsOf } from './run-evidence.js';

/** The commit of a test run whose checks are read, and other commits whose checks count for the test run. */
export type CheckedRun = ReadChecks['runs'][number];

export const readOf = (run: TestRun): readonly CheckedRun[] => {
  if (run.candidate === null) return [];
  const also = otherCommitsOf(run);
  return [{ runId: run.id, commit: run.candidate.commit, ...(also.length === 0 ? {} : { also }) }];
};

/** A passed test run that a landing rests on, with the data to judge it again after reading its checks. */
export interface LandingProof extends CheckedRun {
  readonly since: Instant;
  readonly required: readonly string[];
  readonly digests: Readonly<Record<string, string>>;
  /** Required checks only: `known` are passes accepted when it was built, `checks` what the host has shown since. */
  readonly known: readonly Check[];
  readonly checks: readonly Check[];
  /** The test runs that the passes in `known` without a commit were started for: their commits are read too. */
  readonly others: readonly TestRunId[];
}

export const landingProofOf = (
  run: TestRun,
  required: readonly string[],
  digests: LandingProof['digests'],
): readonly LandingProof[] => {
  const isRequired = ({ name }: Check): boolean => required.includes(name);
  const known = run.known.filter(isRequired);
  const others = known.flatMap((check) =>
    isPass(check) && check.commit === undefined && check.runId !== null ? [check.runId] : [],
  );
  return readOf(run).map((read) => ({
    ...read,
    since: run.createdAt,
    required,
    digests,
    known,
    checks: checksThatCount(run).filter(isRequired),
    others: [...new Set(others)].filter((id) => id !== run.id),
  }));
};

/** Whether the test run still passes with the checks that the host shows now. */
export const stillPasses = (proof: LandingProof, shown: readonly Check[]): boolean => {
  const { runId, since, required, digests, known: accepted } = proof;
  const checks = keepingEnded([...accepted, ...proof.checks], shown);
  return judgeChecks(required, checks, { runId, since, accepted, digests }).outcome === 'passed';
};

/** The commits of one test run whose checks are read, the candidate first. */
export const commitsOf = ({ commit, also = [] }: CheckedRun): readonly Sha[] => [
  ...new Set([commit, ...also]),
];
