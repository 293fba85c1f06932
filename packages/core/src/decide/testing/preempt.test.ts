import { aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  decided,
  NOW,
  touching,
} from '../../../test/rules.js';
import { defaultPace } from '../draft/context.js';

const urgent = (pr: number) => aSubmission(pr, { skipTheLine: true });

describe('an urgent pull request without a slot', () => {
  test('an urgent pull request without a slot preempts nothing while it could not begin because the target was not read', () => {
    const readAt = NOW - 2 * defaultPace.pollBranchMs - 1;
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel' }, { target: aTarget({ readAt }) }),
      submissions: [aTestedSubmission(1), urgent(9)],
      runs: [aRunOn([1])],
      targets: [touching(1, ['a']), touching(9, ['b'])],
    });

    expect(outcome.open).toEqual(['1']);
  });

  test('an urgent pull request without a slot preempts nothing while no required check is known', () => {
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel' }, { target: aTarget({ requiredChecks: null }) }),
      submissions: [aTestedSubmission(1), urgent(8), urgent(9)],
      runs: [aRunOn([1])],
      targets: [touching(1, ['a']), touching(8, ['b']), touching(9, ['b'])],
    });

    expect([8, 9].map((pr) => outcome.pr(pr).state)).toEqual(['failed', 'failed']);
    expect(outcome.moves(1)).toEqual([]);
  });

  test('an urgent pull request without a slot preempts nothing for a pull request behind it that has a slot, also when the first one waits for others', () => {
    const since = (at: number) => ({ admittedAt: at, submittedAt: at });
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 4, concurrency: 3 }),
      submissions: [
        aTestedSubmission(1, { skipTheLine: true }),
        aTestedSubmission(2),
        aTestedSubmission(3, { retryAt: NOW + 60_000 }),
        aSubmission(4, since(NOW - 1_000)),
        aSubmission(5, { noBatch: true, ...since(NOW - 900) }),
        aSubmission(6, { noBatch: true, ...since(NOW - 800) }),
      ],
      runs: [aRunOn([1]), aRunOn([2])],
      targets: [
        ...[touching(1, ['u']), touching(2, ['x']), touching(3, ['k']), touching(4, ['v'])],
        ...[touching(5, ['k', 'v']), touching(6, ['b'])],
      ],
    });

    expect(outcome.moves(2)).toEqual([]);
    expect(outcome.open).toEqual(['1', '2', '6']);
  });

  test.each([
    ['which is not always the one that was begun last', [aRunOn([2]), aRunOn([1])], '1'],
    ['which for a batch is that of its last', [aBatchRun([1, 3]), aRunOn([2])], '2'],
  ] as const)('an urgent pull request without a slot preempts the last run in line, %s', (_, runs, left) => {
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel', concurrency: 2 }),
      submissions: [
        aTestedSubmission(1),
        aTestedSubmission(2),
        ...(runs[0].batch.length > 1 ? [aTestedSubmission(3)] : []),
        urgent(9),
      ],
      runs,
      targets: [touching(1, ['a']), touching(2, ['b']), touching(3, ['a']), touching(9, ['c'])],
    });

    expect(outcome.open).toEqual([left, '9']);
  });

  test('an urgent pull request without a slot does not preempt a batch with an urgent member', () => {
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel' }),
      submissions: [aTestedSubmission(1, { skipTheLine: true }), aTestedSubmission(2), urgent(9)],
      runs: [aBatchRun([1, 2])],
      targets: [touching(1, ['a']), touching(2, ['a']), touching(9, ['b'])],
    });

    expect(outcome.open).toEqual(['1+2']);
  });
});

test('preempts the run whose last member stands behind all others', () => {
  const outcome = decided({
    queue: aQuietQueue({ mode: 'parallel', batch: true, batchingMinSize: 2, concurrency: 3 }),
    submissions: [
      aTestedSubmission(1, { batch: 1, place: 1 }),
      aTestedSubmission(2, { batch: 1, place: 9 }),
      aTestedSubmission(3, { place: 5 }),
      aSubmission(4, { skipTheLine: true }),
      aTestedSubmission(5, { place: 3 }),
    ],
    runs: [aBatchRun([1, 2]), aRunOn([3]), aRunOn([5])],
    targets: [1, 2, 3, 4, 5].map((pr) => touching(pr, [pr === 2 ? '1' : `${pr}`])),
  });

  expect([1, 3, 5].map((pr) => outcome.closed(pr))).toEqual(['interrupted', null, null]);
  expect([outcome.pr(1).batch, outcome.pr(2).batch]).toEqual([1, 1]);
});

test('records the run that it begins with', () => {
  const { decision } = decided({ submissions: [aSubmission(1)] });
  const [run] = decision.writes.runs;

  expect(decision.writes.history).toContainEqual(
    expect.objectContaining({ type: 'moved', to: 'testing', runId: run?.id }),
  );
});
