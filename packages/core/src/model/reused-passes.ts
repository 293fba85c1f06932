import { isPass, type ReusedPass } from './checks.js';
import type { Sha } from './ids.js';
import type { TestRun } from './run.js';

/** The head, if the pull request lands on its own checks. All checks of that commit count for the test run. */
export const headsOf = ({ candidate, isDirect }: Pick<TestRun, 'candidate' | 'isDirect'>): readonly Sha[] =>
  candidate === null || !isDirect
    ? []
    : candidate.steps.flatMap(({ head, headTree }) =>
        headTree === candidate.tree && head !== candidate.commit ? [head] : [],
      );

/** The passes that the test run reuses from commits whose checks do not all count for it. */
export const reusedPassesOf = (
  run: Pick<TestRun, 'candidate' | 'isDirect' | 'known'>,
): readonly ReusedPass[] => {
  const own = [run.candidate?.commit, ...headsOf(run)];
  return run.known
    .filter(isPass)
    .flatMap(({ name, source, commit }) =>
      commit === undefined || own.includes(commit) ? [] : [{ commit, name, source }],
    );
};
