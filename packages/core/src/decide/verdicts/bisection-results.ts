import { hasFailed, type TestRun } from '../../model/run.js';
import { clearsItsPart, hasSucceeded } from '../../model/run-evidence.js';
import type { Draft } from '../draft/draft.js';
import { delayAfter } from '../moves/retry.js';
import { type BisectedRun, prefixLengthOf, prefixRunsOf } from '../testing/bisection.js';
import { roundsUncharged } from './retry-inconclusive.js';

/**
 * Takes in the results of prefix runs that have ended. A pass is final: a failure of a shorter prefix no longer counts.
 */
export const takeInResults = (draft: Draft, run: BisectedRun): BisectedRun => {
  const ended = prefixRunsOf(draft, run).filter((prefixRun) => prefixRun.state === 'ended');
  const inconclusive = ended.filter((prefixRun) => prefixRun.outcome !== 'passed' && !hasFailed(prefixRun));
  for (const prefixRun of inconclusive) draft.closeRun(prefixRun, 'judged');
  const { passed, successes } = longestPass(run, ended.filter(clearsItsPart));
  const bound = boundOf(run, ended.filter(hasFailed), passed);
  const { retries, retryAt } = inconclusive.length > 0 ? retryOf(draft, run, inconclusive) : run.bisection;
  const bisection = { ...run.bisection, ...bound, passed, successes, retries, retryAt };
  const hasChanged =
    bound.failedBy !== run.bisection.failedBy || passed !== run.bisection.passed || inconclusive.length > 0;
  if (!hasChanged) return run;
  return { ...draft.changeRun(run, { bisection }), bisection };
};

/** The longest prefix that has passed so far, and the checks that succeeded in it. */
const longestPass = (run: BisectedRun, passes: readonly TestRun[]) => {
  const { passed: before, successes = [] } = run.bisection;
  let longest = { passed: before, successes };
  for (const prefixRun of passes) {
    const passed = prefixLengthOf(run, prefixRun);
    if (passed <= longest.passed) continue;
    const { requiredChecks } = prefixRun;
    longest = { passed, successes: requiredChecks.filter((name) => hasSucceeded(prefixRun, name)) };
  }
  return longest;
};

/**
 * The prefix runs that end without a verdict at the same time use up one retry of the bisection. They use up none if
 * the infrastructure is at fault.
 */
const retryOf = (draft: Draft, { bisection: { retries } }: BisectedRun, ended: readonly TestRun[]) => {
  const rounds = ended.map((prefixRun) => roundsUncharged(draft, prefixRun));
  const isCharged = rounds.includes(0);
  const tries = isCharged ? retries + 1 : Math.max(...rounds);
  return { retries: retries + Number(isCharged), retryAt: draft.now + delayAfter(draft, tries) };
};

/**
 * The shortest failed prefix that is longer than the longest passed one. Of two with the same last member, the run that
 * tested fewer members counts.
 */
const boundOf = (run: TestRun, failedRuns: readonly TestRun[], passed: number) => {
  let bound = { failed: run.batch.length, failedBy: run.id, tested: run.batch.length };
  for (const prefixRun of failedRuns) {
    const [length, tested] = [prefixLengthOf(run, prefixRun), prefixRun.batch.length];
    const isTighter = length < bound.failed || (length === bound.failed && tested < bound.tested);
    if (length > passed && isTighter) bound = { failed: length, failedBy: prefixRun.id, tested };
  }
  return { failed: bound.failed, failedBy: bound.failedBy };
};
