import { doubtsAmong, isSuccess, judgeChecks, provingChecks, type Verdict } from './checks.js';
import type { Sha } from './ids.js';
import { checksOfTree, checksThatCount, evidenceOf, failedChecksOf, type Run } from './run.js';

/** Every required check that speaks against a failed run, not only the one that decided. */
export const allFailedChecksOf = (run: Run): readonly string[] => {
  const decided = failedChecksOf(run);
  const [checks, evidence] = [checksThatCount(run), evidenceOf(run)];
  const isFailed = (name: string): boolean =>
    ['failed', 'timed_out'].includes(judgeChecks([name], checks, evidence).outcome);
  return [...new Set([...decided, ...run.requiredChecks.filter(isFailed)])];
};

/** True where the run succeeded in a check by itself: a skipped one is evidence for nothing but its own pull request. */
export const hasSucceeded = (run: Run, name: string): boolean => {
  const proving = provingChecks([name], checksThatCount(run), evidenceOf(run));
  return proving.length > 0 && proving.every(isSuccess);
};

/** True where a passed part of a failed batch clears its members: everything that the batch had failed succeeded in it. */
export const clearsItsPart = (run: Run): boolean =>
  run.outcome === 'passed' &&
  run.purpose.kind === 'isolate' &&
  (run.purpose.checks ?? []).every((name) => hasSucceeded(run, name));

/** What casts doubt on successes of its tree: it is kept beside those, so that they are not used again. */
export const doubtsOf = (run: Run): readonly Verdict[] => {
  const { trial, requiredChecks } = run;
  if (trial === null) return [];
  const shown = checksOfTree(run).filter(({ name }) => requiredChecks.includes(name));
  return doubtsAmong(shown).map((check) => ({ tree: trial.tree, check }));
};

/** Commits other than its trial's whose checks speak for it: the head, where the pull request lands by its own checks. */
export const otherCommitsOf = ({ trial, isDirect }: Run): readonly Sha[] =>
  isDirect && trial !== null
    ? trial.steps.flatMap(({ head, headTree }) =>
        headTree === trial.tree && head !== trial.commit ? [head] : [],
      )
    : [];
