import type { Instant, TestRunId } from './ids.js';

/**
 * Successive test runs of unrelated submissions ended without a verdict. That is a failure of the infrastructure, not
 * of a pull request.
 */
export interface InfrastructureFailure {
  readonly runId: TestRunId;
  /**
   * `prs`: the pull requests of the last failed test run that may have caused it. `earlier`: those hit before, since the
   * last verdict, at most `HIT_LIMIT`. `charged`: those of the last failed test run that lost retry budget for it.
   */
  readonly prs: readonly number[];
  readonly earlier: readonly number[];
  readonly charged: readonly number[];
  readonly at: Instant;
  /** 0 until a failure hits an unrelated pull request; then the number of failures from that one on, until a verdict. */
  readonly rounds: number;
  /**
   * Pull requests that it had hit when a test run reached a verdict. The next infrastructure failure of each counts as
   * its own.
   */
  readonly hitBeforeVerdict?: readonly number[];
  /** Those of `prs` with a new attempt or restarted tests since then. The failure is not held against them any more. */
  readonly renewed?: readonly number[];
  /** The baseline run that tests whether the infrastructure works again. */
  readonly probe?: TestRunId;
}

/** Max hit pull requests that are remembered. */
const HIT_LIMIT = 100;

/**
 * After a verdict the infrastructure counts as working. Pull requests that were hit repeatedly before are charged if
 * they are hit once more: otherwise two pull requests that crash the tests would excuse each other forever.
 */
export const afterVerdict = (trouble: InfrastructureFailure | null): InfrastructureFailure | null => {
  if (trouble === null) return null;
  const { runId, at, rounds, hitBeforeVerdict } = trouble;
  if (rounds === 0 && hitBeforeVerdict === undefined) return null;
  const hit = [...new Set([...(hitBeforeVerdict ?? []), ...hitsOf(trouble)])].slice(-HIT_LIMIT);
  return { runId, prs: [], earlier: [], charged: [], at, rounds: 0, hitBeforeVerdict: hit };
};

/** True once it has hit unrelated pull requests, until a test run reaches a verdict. Meanwhile no failure is charged. */
export const isInfrastructureDown = (trouble: InfrastructureFailure | null): boolean =>
  trouble !== null && trouble.rounds > 0;

/** The pull requests that it has hit since the last verdict, without those that gather new evidence. */
export const hitsOf = ({ earlier, prs, renewed = [] }: InfrastructureFailure): readonly number[] =>
  [...new Set([...earlier, ...prs.filter((pr) => !renewed.includes(pr))])].slice(-HIT_LIMIT);

/**
 * For a pull request that is tested with new evidence: its earlier hits say nothing about its next test runs. The last failure
 * still excuses others.
 */
export const withoutHit = (
  trouble: InfrastructureFailure | null,
  pr: number,
): InfrastructureFailure | null => {
  if (trouble === null) return null;
  const { earlier, hitBeforeVerdict, renewed = [] } = trouble;
  if (!hitsOf(trouble).includes(pr) && hitBeforeVerdict?.includes(pr) !== true) return trouble;
  const without = (hits: readonly number[]): readonly number[] => hits.filter((hit) => hit !== pr);
  return {
    ...trouble,
    earlier: without(earlier),
    ...(trouble.prs.includes(pr) ? { renewed: [...without(renewed), pr] } : {}),
    ...(hitBeforeVerdict === undefined ? {} : { hitBeforeVerdict: without(hitBeforeVerdict) }),
  };
};
