import { aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  touching,
} from '../../../test/rules.js';
import type { TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';

const two = aQuietQueue({ concurrency: 2 });

describe('keeping places', () => {
  const placeOf2 = (
    settings: Partial<QueueSettings>,
    prs: readonly number[],
    ...runs: readonly TestRun[]
  ): number | null =>
    decided({
      queue: aQuietQueue({ mode: 'parallel', ...settings }, { target: aTarget({ readAt: null }) }),
      submissions: prs.map((pr) => aTestedSubmission(pr)),
      runs: [aRunOn([1]), ...runs],
      targets: [1, 2, 3, 4].map((pr) => touching(pr, [pr === 4 ? '//b' : '//a'])),
    }).pr(2).place;

  test('with whole stacks a pull request that lost its run keeps its place for those stacked on it, and for no others', () => {
    const whole = { canOptimisticallyMerge: true };

    expect(placeOf2(whole, [1, 2, 3], aRunOn([1, 2, 3]))).toBe(2);
    expect(placeOf2(whole, [1, 2, 3, 4], aRunOn([1, 2, 3]), aRunOn([4]))).toBe(2);
    expect(placeOf2(whole, [1, 2, 4], aRunOn([4]))).toBeNull();
  });

  test('with direct dependencies a pull request that lost its run keeps its place, since others would be ahead of it that it does not depend on', () => {
    expect(placeOf2({}, [1, 2, 4], aRunOn([4]))).toBe(2);
  });

  test('a pull request keeps its place for one that has passed on top of it, and that pass stays valid', () => {
    const [third, thirdRun] = aPassed([2, 3]);
    const preferred = aSubmission(4, { state: 'pending', priority: { value: 1, named: false } });
    const outcome = decided({
      queue: two,
      submissions: [aTestedSubmission(2), third, preferred],
      runs: [thirdRun],
    });

    expect(outcome.moves(2)).toEqual(['testing>pending RUN_NOT_BUILT', 'pending>testing CAPACITY_AVAILABLE']);
    expect(outcome.closed(3)).toBeNull();
    expect(outcome.pr(3).state).toBe('tests_passed');
    expect(outcome.effects('land')).toEqual([]);
  });
  test('a pull request that lost its pass gets the number of the urgent one that came ahead, and not of its batch mates', () => {
    const [third, run] = aPassed([3]);
    const mate = aSubmission(1, { goesWithUrgent: true });
    const urgent = aSubmission(2, { skipTheLine: true });
    const outcome = decided({ queue: two, submissions: [mate, urgent, third], runs: [run] });

    expect(outcome.moves(3)[0]).toBe('tests_passed>pending SKIP_THE_LINE_INTERRUPTED');
    expect(outcome.pr(3).reasonDetail).toBe('#2');
  });
});
