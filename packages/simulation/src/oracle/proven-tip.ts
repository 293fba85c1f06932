import type { TestRun } from '@mq/core';
import type { Book } from './ledger.js';

/** True if a test run on this base passed the check, or if the base is a combined candidate whose test runs all passed it. */
export const isProvenOnTop = ({ runs }: Pick<Book, 'runs'>, onto: string, check: string): boolean => {
  // A check that is run again after the pass takes nothing from the passes of the others.
  const hasPassed = (run: TestRun | undefined): boolean => {
    if (run === undefined) return false;
    const own = [...run.known, ...run.checks].filter(({ name }) => name === check);
    const hasSucceeded = own.some(({ conclusion }) => conclusion === 'success');
    const isSuccess =
      run.outcome === null ? hasSucceeded : own.every(({ conclusion }) => conclusion === 'success');
    return hasSucceeded && (run.outcome === 'passed' || (run.rerunSince !== null && isSuccess));
  };
  const proves = (run: TestRun): boolean => {
    const { purpose, base, candidate } = run;
    if (purpose.kind === 'control') return false;
    if (purpose.kind === 'compose')
      return candidate?.commit === onto && purpose.vouchers.every((id) => hasPassed(runs.get(id)));
    const isOnIt = base === onto || candidate?.steps.some(({ commit }) => commit === onto) === true;
    return isOnIt && hasPassed(run);
  };
  return [...runs.values()].some(proves);
};
