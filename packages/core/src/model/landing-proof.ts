import { type Check, isPass, judgeChecks, keepingEnded } from './checks.js';
import type { ReadChecks } from './effect.js';
import type { Instant, Sha, TestRunId } from './ids.js';
import { headsOf, reusedPassesOf } from './reused-passes.js';
import { checksThatCount, type TestRun } from './run.js';

/** The commit of a test run whose checks are read, and other commits whose checks count for the test run. */
export type CheckedRun = ReadChecks['runs'][number];

/** What is read of a test run. The passes that it reuses are read again only after its pass. */
export const readOf = (run: TestRun): readonly CheckedRun[] => {
  if (run.candidate === null) return [];
  const hasPassed = run.state === 'ended' || run.rerunSince !== null;
  const also = headsOf(run);
  const reused = hasPassed ? reusedPassesOf(run) : [];
  return [
    {
      ...{ runId: run.id, commit: run.candidate.commit },
      ...(also.length === 0 ? {} : { also }),
      ...(reused.length === 0 ? {} : { reused }),
    },
  ];
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
  const { runId, since, required, digests, known: accepted, reused = [] } = proof;
  const checks = keepingEnded([...accepted, ...proof.checks], shown);
  return judgeChecks(required, checks, { runId, since, accepted, reused, digests }).outcome === 'passed';
};

/** The commits of one test run whose checks are read, the candidate first. */
export const commitsOf = ({ commit, also = [], reused = [] }: CheckedRun): readonly Sha[] => [
  ...new Set([commit, ...also, ...reused.map((pass) => pass.commit)]),
];

/** The checks that count for one test run, among those that the host shows for its commits. */
export const checksFor = (run: CheckedRun, shown: ReadonlyMap<Sha, readonly Check[]>): readonly Check[] => {
  const { also = [], reused = [] } = run;
  const isReused = (commit: Sha, { name, source }: Check): boolean =>
    reused.some((pass) => pass.commit === commit && pass.name === name && pass.source === source);
  return commitsOf(run).flatMap((commit) => {
    const checks = shown.get(commit) ?? [];
    if (commit === run.commit) return checks;
    const counted = also.includes(commit) ? checks : checks.filter((check) => isReused(commit, check));
    return counted.map((check) => ({ ...check, commit }));
  });
};
