import type { Instant, TestRunId } from './ids.js';

/** Test runs of unrelated submissions that ended without a verdict one after another: an infrastructure failure of all. */
export interface InfrastructureFailure {
  readonly runId: TestRunId;
  /** Everybody in it, those whom it hit before in this row, the last so many, and those of the first whose budget it cost. */
  readonly prs: readonly number[];
  readonly earlier: readonly number[];
  readonly charged: readonly number[];
  readonly at: Instant;
  /** How often in a row it hit somebody unrelated to the one before; 0 after the first. */
  readonly rounds: number;
  /** Those that it had hit when a test run came to a verdict: the next infrastructure failure of each is its own. */
  readonly hitBeforeVerdict?: readonly number[];
  /** The test of the bare tip that was begun to see whether the infrastructure works. */
  readonly probe?: TestRunId;
}

/** So many of those that were hit are remembered. */
export const HIT_LIMIT = 100;

/**
 * The infrastructure works as far as one test run shows. What was hit again and again before that, and is hit once more, is
 * charged for it: otherwise two pull requests that crash would excuse each other without end.
 */
export const afterVerdict = (trouble: InfrastructureFailure | null): InfrastructureFailure | null => {
  if (trouble === null) return null;
  const { runId, prs, earlier, at, rounds, hitBeforeVerdict } = trouble;
  if (rounds === 0 && hitBeforeVerdict === undefined) return null;
  const hit = [...new Set([...(hitBeforeVerdict ?? []), ...earlier, ...prs])].slice(-HIT_LIMIT);
  return { runId, prs: [], earlier: [], charged: [], at, rounds: 0, hitBeforeVerdict: hit };
};
