import { aCheck, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
  touching,
} from '../../../test/rules.js';
import type { Conclusion } from '../../model/checks.js';

const own = (conclusion: Conclusion, override = {}) =>
  aCheck({ runId: runIdOf(1), conclusion, startedAt: NOW - 30_000, ...override });

describe('what a pass proves of its stack', () => {
  test.each([
    ['waits for a retry keeps waiting', 'pending', NOW + 9_000],
    ['is to be tested again later is not', 'testing', null],
  ] as const)('a pull request that %s when one on top of it has passed', (_what, state, retryAt) => {
    const outcome = decided({
      queue: aQuietQueue({ canOptimisticallyMerge: true }),
      submissions: [aTestedSubmission(1, { state, retryAt: NOW + 9_000 }), aTestedSubmission(2)],
      runs: [aRunOn([1, 2], { checks: [own('success')] })],
    });

    expect(outcome.moves(1)).toEqual([`${state}>tests_passed SUCCESSOR_TEST_RUN_PASSED`]);
    expect(outcome.pr(1).retryAt).toBe(retryAt);
  });

  test('a pull request that passes keeps the pass of one below it', () => {
    const onTop = aRunOn([1, 2], { checks: [own('success', { runId: runIdOf(2) })] });
    const outcome = decided({
      queue: aQuietQueue({ canOptimisticallyMerge: true }, { wanted: 'paused' }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [onTop, aRunOn([1], { checks: [own('success')] })],
    });

    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
    expect(outcome.open).toEqual(['1+2', '1']);
  });

  test('a failed batch with a member that a pass on top of it proves does not fail the others', () => {
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel', canOptimisticallyMerge: true }, { wanted: 'paused' }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3)],
      runs: [
        aRunOn([1, 3], { checks: [own('success', { runId: runIdOf(3) })] }),
        aBatchRun([1, 2], [], { checks: [own('failure')] }),
      ],
      targets: [touching(1, ['a', 'b']), touching(2, ['a']), touching(3, ['b'])],
    });

    expect(outcome.moves(1)).toEqual(['testing>tests_passed SUCCESSOR_TEST_RUN_PASSED']);
    expect(outcome.moves(2)).toEqual(['testing>pending PREREQUISITE_MERGE_ITEM_PENDING']);
    expect(outcome.pr(2).reasonDetail).toBe('#1');
    expect(outcome.closed(1)).toBe('superseded');
  });
});
