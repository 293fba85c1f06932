import { isOwnCheck } from './checks.js';
import { evidenceOf, type TestRun } from './run.js';

/**
 * The time that its own checks ran, summed over checks; one that has not ended ran until the test run ended or was closed.
 * Results of other test runs that it reused, and the pull request's own checks, count nothing.
 */
export const ciMsOf = (run: TestRun): number => {
  const until = run.closedAt ?? run.endedAt;
  const evidence = evidenceOf(run);
  const spans = run.checks
    .filter((check) => check.status !== 'queued' && isOwnCheck(check, evidence))
    .map(({ startedAt, completedAt }) => Math.max(0, (completedAt ?? until ?? startedAt) - startedAt));
  return spans.reduce((sum, span) => sum + span, 0);
};
