import type { TestRun } from '@mq/core';
import type { Book } from './ledger.js';

/** True where a test run on that ground has passed the check, or all whose passes vouched for what was composed there. */
export const isProvenOnTop = ({ runs }: Pick<Book, 'runs'>, ground: string, check: string): boolean => {
  const hasPassed = (run: TestRun | undefined): boolean =>
    run?.outcome === 'passed' &&
    [...run.known, ...run.checks].some(({ name, conclusion }) => name === check && conclusion === 'success');
  const proves = (run: TestRun): boolean => {
    const { purpose, base, candidate } = run;
    if (purpose.kind === 'control') return false;
    if (purpose.kind === 'compose')
      return candidate?.commit === ground && purpose.vouchers.every((id) => hasPassed(runs.get(id)));
    const isOnIt = base === ground || candidate?.steps.some(({ commit }) => commit === ground) === true;
    return isOnIt && hasPassed(run);
  };
  return [...runs.values()].some(proves);
};
