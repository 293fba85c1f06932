import { doubtsAmong, isSuccess, judgeChecks, provingChecks, type Verdict } from './checks.js';
import type { Sha } from './ids.js';
import { checksOfTree, checksThatCount, evidenceOf, failedChecksOf, type TestRun } from './run.js';

/** Every required check that speaks against a failed run, not only the one that decided. */
export const allFailedChecksOf = (run: TestRun): readonly string[] => {
  const decided = failedChecksOf(run);
  const [checks, evidence] = [checksThatCount(run), evidenceOf(run)];
  const isFailed = (name: string): boolean =>
    ['failed', 'timed_out'].includes(judgeChecks([name], checks, evidence).outcome);
  return [...new Set([...decided, ...run.requiredChecks.filter(isFailed)])];
};

/** True where the run succeeded in a check by itself: a skipped one is evidence for nothing but its own pull request. */
export const hasSucceeded = (run: TestRun, name: string): boolean => {
  const proving = provingChecks([name], checksThatCount(run), evidenceOf(run));
  return proving.length > 0 && proving.every(isSuccess);
};

/** True where a passed part of a failed batch clears its members: everything that the batch had failed succeeded in it. */
export const clearsItsPart = (run: TestRun): boolean =>
  run.outcome === 'passed' &&
  run.purpose.kind === 'isolate' &&
  (run.purpose.checks ?? []).every((name) => hasSucceeded(run, name));

/** What casts doubt on successes of its tree: it is kept beside those, so that they are not used again. */
export const doubtsOf = (run: TestRun): readonly Verdict[] => {
  const { candidate, requiredChecks } = run;
  if (candidate === null) return [];
  const shown = checksOfTree(run).filter(({ name }) => requiredChecks.includes(name));
  return doubtsAmong(shown).map((check) => ({ tree: candidate.tree, check }));
};

/** Commits other than its candidate's whose checks speak for it: the head, where the pull request lands by its own checks. */
export const otherCommitsOf = ({ candidate, isDirect }: TestRun): readonly Sha[] =>
  isDirect && candidate !== null
    ? candidate.steps.flatMap(({ head, headTree }) =>
        headTree === candidate.tree && head !== candidate.commit ? [head] : [],
      )
    : [];
