import {
  type Check,
  doubtsAmong,
  isSuccess,
  judgeChecks,
  provingChecks,
  reusableSuccesses,
  type Verdict,
} from './checks.js';
import { checksOfTree, checksThatCount, evidenceOf, failedChecksOf, type TestRun } from './run.js';

/** All required checks that failed in a test run, not only the deciding one. */
export const allFailedChecksOf = (run: TestRun): readonly string[] => {
  const decided = failedChecksOf(run);
  const [checks, evidence] = [checksThatCount(run), evidenceOf(run)];
  const isFailed = (name: string): boolean =>
    ['failed', 'timed_out'].includes(judgeChecks([name], checks, evidence).outcome);
  return [...new Set([...decided, ...run.requiredChecks.filter(isFailed)])];
};

/** Whether the check succeeded in the test run. A skipped check does not count as evidence here. */
export const hasSucceeded = (run: TestRun, name: string): boolean => {
  const proving = provingChecks([name], checksThatCount(run), evidenceOf(run));
  return proving.length > 0 && proving.every(isSuccess);
};

/** Whether a passed bisection test run clears its pull requests: every check that the batch failed succeeded. */
export const clearsItsPart = (run: TestRun): boolean =>
  run.outcome === 'passed' &&
  run.purpose.kind === 'isolate' &&
  (run.purpose.checks ?? []).every((name) => hasSucceeded(run, name));

/** The results that cast doubt on successes of its tree. They are kept with those, to prevent their reuse. */
export const doubtsOf = (run: TestRun): readonly Verdict[] => keptOf(run, doubtsAmong);

/** Selects among the required checks of its tree, each with the commit that it was read on, to be read there again. */
const keptOf = (run: TestRun, select: (checks: readonly Check[]) => readonly Check[]): readonly Verdict[] => {
  const { candidate, requiredChecks } = run;
  if (candidate === null) return [];
  const { commit, tree } = candidate;
  const shown = checksOfTree({ ...run, checks: run.checks.map((check) => ({ commit, ...check })) });
  return select(shown.filter(({ name }) => requiredChecks.includes(name))).map((check) => ({ tree, check }));
};

/**
 * The successes that a test run proves for its tree, whatever its outcome; they need not be tested again. Of a repeated
 * check the later result counts. Skipped checks prove nothing.
 */
export const verdictsOf = (run: TestRun): readonly Verdict[] => keptOf(run, reusableSuccesses);
