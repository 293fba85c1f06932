import { aSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aBisection,
  aDraft,
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  decided,
  failedBy,
  NOW,
  passedBy,
  submitOf,
  touching,
} from '../../../test/rules.js';
import type { Submission } from '../../model/submission.js';

import { keepTogether } from './keep-together.js';

const batching = { batch: true, batchingMinSize: 2, concurrency: 3 } as const;
const urgent = { skipTheLine: true } as const;

describe('a pull request in a batch with an urgent one', () => {
  test('a pull request in a batch with an urgent one goes first with it, and those stacked behind them continue', () => {
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [aTestedSubmission(1), aTestedSubmission(2, urgent), aTestedSubmission(3)],
      runs: [aBatchRun([1, 2]), aRunOn([1, 2, 3])],
    });

    expect([1, 2, 3].map((pr) => outcome.pr(pr).goesWithUrgent)).toEqual([true, false, false]);
    expect(outcome.open).toEqual(['1+2', '1+2+3']);
  });

  test('a pull request in a batch with an urgent one stops going first once it has lost its place', () => {
    const goesWith = { batch: 1, goesWithUrgent: true };
    const pull = { ...aSubmission(1).pull, mergeability: 'not_mergeable' } as const;
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [
        aTestedSubmission(1, { ...goesWith, pull }),
        aTestedSubmission(2, { ...urgent, batch: 1 }),
      ],
      runs: [aBatchRun([1, 2])],
    });

    expect(outcome.pr(1)).toMatchObject({ reason: 'READINESS_LOST', place: null, goesWithUrgent: false });
  });

  test('a pull request in a batch with an urgent one goes first also when the urgent member of a batch below brings that batch along', () => {
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [
        ...[aTestedSubmission(1), aTestedSubmission(2, urgent)],
        ...[aTestedSubmission(3), aTestedSubmission(4, urgent)],
      ],
      runs: [aBatchRun([1, 2]), aBatchRun([3, 4], [1, 2])],
    });

    expect(outcome.open).toEqual(['1+2', '1+2+3+4']);
    expect(outcome.pr(3).goesWithUrgent).toBe(true);
  });

  test('a pull request in a batch with an urgent one goes first whichever of the two runs was started first', () => {
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [
        ...[aTestedSubmission(1), aTestedSubmission(2, urgent)],
        ...[aTestedSubmission(3), aTestedSubmission(4, urgent)],
      ],
      runs: [aBatchRun([3, 4], [1, 2]), aBatchRun([1, 2])],
    });

    expect(outcome.open).toEqual(['1+2+3+4', '1+2']);
  });

  test('a pull request in a batch with an urgent one goes first by a prefix run that includes both, and no other member of the batch does', () => {
    const failed = aBatchRun([1, 2, 3], [], {
      ...failedBy(),
      bisection: aBisection({ failed: 3, parts: 1 }),
    });
    const part = aBatchRun([1, 2], [], {
      id: runIdOf(9),
      purpose: { kind: 'isolate', failed: failed.id },
    });
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [
        ...[aTestedSubmission(1), aTestedSubmission(2, urgent)],
        aTestedSubmission(3, { state: 'pending' }),
      ],
      runs: [failed, part],
    });

    expect([1, 3].map((pr) => outcome.pr(pr).goesWithUrgent)).toEqual([true, false]);
  });

  test('a pull request in a batch with an urgent one does not go first by a combined candidate', () => {
    const [first, second] = [aPassed([1]), aPassed([2])];
    const composed = aBatchRun([1, 2], [], {
      id: runIdOf(70),
      purpose: { kind: 'compose', vouchers: [first[1].id, second[1].id] },
      state: 'building',
      candidate: null,
    });
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel' }),
      submissions: [first[0], { ...second[0], ...urgent }],
      runs: [first[1], second[1], composed],
      targets: [touching(1, ['//a']), touching(2, ['//b'])],
    });

    expect(outcome.pr(1).goesWithUrgent).toBe(false);
  });

  test('a pull request in a batch with an urgent one keeps its place when the pull request below leaves and returns at once', () => {
    const outcome = decided(
      {
        queue: aQuietQueue({ ...batching, concurrency: 1 }),
        submissions: [aTestedSubmission(1, urgent), aTestedSubmission(2), aTestedSubmission(3, urgent)],
        runs: [aRunOn([1]), aBatchRun([2, 3], [1])],
      },
      [{ ...asked(), type: 'cancel', pr: 1 }, submitOf(1)],
    );

    expect(outcome.closed(2)).toBe('superseded');
    expect(outcome.pr(1)).toMatchObject({ attempt: 2 });
  });

  test('a pull request in a batch with an urgent one goes first also behind a pull request that is being landed', () => {
    const first = aRunOn([1]);
    const outcome = decided({
      queue: aQuietQueue(batching, { landing: aLanding(first) }),
      submissions: [
        aTestedSubmission(1, { state: 'tests_passed' }),
        ...[aTestedSubmission(2), aTestedSubmission(3, urgent)],
      ],
      runs: [first, aBatchRun([2, 3], [1])],
    });

    expect(outcome.open).toEqual(['1', '1+2+3']);
    expect(outcome.pr(2).goesWithUrgent).toBe(true);
  });

  test('a pull request in a batch with an urgent one does not go first when another pull request of the lane stands ahead of them, and the urgent one overtakes both', () => {
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3, urgent)],
      runs: [aRunOn([1]), aBatchRun([2, 3], [1])],
    });

    expect(outcome.pr(2).goesWithUrgent).toBe(false);
    expect(outcome.open).toEqual(['3+1', '3+1+2']);
  });

  test('a pull request in a batch with an urgent one stops going first once a batch ahead of it does', () => {
    const ofBatch = { batch: 2 };
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [
        aTestedSubmission(1),
        aTestedSubmission(2, { ...ofBatch, goesWithUrgent: true }),
        aTestedSubmission(3, { ...ofBatch, ...urgent }),
      ],
      runs: [aRunOn([1]), aBatchRun([2, 3], [1])],
    });

    expect(outcome.pr(2).goesWithUrgent).toBe(false);
    expect(outcome.open).toEqual(['3', '3+1', '3+1+2']);
  });

  test('a pull request in a batch with an urgent one does not overtake a pull request that the urgent one does not overlap with, whose tests continue', () => {
    const outcome = decided({
      queue: aQuietQueue({ ...batching, mode: 'parallel' }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3, urgent)],
      runs: [aRunOn([1]), aBatchRun([2, 3], [1])],
      targets: [touching(1, ['a']), touching(2, ['a', 'b']), touching(3, ['b'])],
    });

    expect([outcome.closed(1), outcome.closed(2)]).toEqual([null, 'superseded']);
    expect(outcome.open).toEqual(['1', '3', '3+1+2']);
  });

  test('a pull request in a batch with an urgent one does not go first with the urgent one past a pull request that is not urgent', () => {
    const draft = aDraft({
      queue: aQuietQueue({ ...batching, mode: 'parallel' }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3, urgent)],
      runs: [aRunOn([1]), aBatchRun([2, 3], [1])],
      targets: [touching(1, ['a']), touching(2, ['a', 'b']), touching(3, ['b'])],
    });

    keepTogether(draft);

    expect(draft.liveSubmission(2)?.goesWithUrgent).toBe(false);
  });

  test('a pull request in a batch with an urgent one goes first when the pull requests ahead are in another lane', () => {
    const outcome = decided({
      queue: aQuietQueue({ ...batching, mode: 'parallel' }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aTestedSubmission(3, urgent)],
      runs: [aRunOn([1]), aBatchRun([2, 3])],
      targets: [touching(1, ['a']), touching(2, ['b']), touching(3, ['b'])],
    });

    expect(outcome.pr(2).goesWithUrgent).toBe(true);
    expect(outcome.open).toEqual(['1', '2+3']);
  });

  test('a pull request in a batch with an urgent one stands behind the urgent one also if it had begun before, in the order of their places', () => {
    const outcome = decided({
      queue: aQuietQueue(batching),
      submissions: [aSubmission(1, { place: 1 }), aSubmission(2, urgent)],
    });

    expect(outcome.open).toEqual(['2+1']);
    expect(outcome.pr(1).place).toBeGreaterThan(outcome.pr(2).place ?? Number.POSITIVE_INFINITY);
  });

  test('a pull request in a batch with an urgent one goes first also while they wait for a retry, as long as the other is urgent', () => {
    const again = { batch: 1, retryAt: NOW + 60_000 };
    const ahead = (second: Partial<Submission>, first: Partial<Submission> = {}) =>
      decided({
        queue: aQuietQueue(batching),
        submissions: [
          aTestedSubmission(1, { ...again, goesWithUrgent: true, ...first }),
          aTestedSubmission(2, { ...again, ...second }),
          aTestedSubmission(3, { ...urgent, place: 10 }),
        ],
        runs: [aRunOn([1, 2, 3])],
      });

    expect(ahead(urgent).open).toEqual(['1+2+3']);
    expect(ahead({}).pr(1).goesWithUrgent).toBe(false);
    expect(ahead({ ...urgent, batch: 2 }).pr(1).goesWithUrgent).toBe(false);
    expect(ahead({ ...urgent, batch: null }, { batch: null }).pr(1).goesWithUrgent).toBe(false);
    expect(ahead(urgent, { goesWithUrgent: false }).pr(1).goesWithUrgent).toBe(false);
    expect(ahead(urgent, { state: 'pending' }).pr(1).goesWithUrgent).toBe(false);
  });

  test('a pull request in a batch with an urgent one does not go first when the two are not tested together again', () => {
    const again = { batch: 1, retryAt: NOW - 1 };
    const repeated = (
      first: Partial<Submission>,
      second: Partial<Submission> = {},
      targets = [touching(1, ['a']), touching(2, ['a'])],
      others: readonly Submission[] = [],
    ) =>
      decided({
        queue: aQuietQueue({ ...batching, mode: 'parallel' }),
        submissions: [
          aTestedSubmission(1, { ...again, goesWithUrgent: true, ...first }),
          aTestedSubmission(2, { ...again, ...urgent, ...second }),
          aTestedSubmission(3, { ...urgent, place: 10 }),
          ...others,
        ],
        runs: [aRunOn([1, 2, 3])],
        targets: [...targets, touching(3, ['a', 'b'])],
      });

    const together = repeated({});
    expect([together.pr(1).goesWithUrgent, together.open]).toEqual([true, ['1+2+3', '1+2']]);
    const beside = repeated({}, {}, undefined, [aTestedSubmission(4, { batch: 4, retryAt: NOW - 1 })]);
    expect(beside.pr(1).goesWithUrgent).toBe(true);
    for (const apart of [
      repeated({ noBatch: true }),
      repeated({}, { noBatch: true }),
      repeated({ retryAt: NOW + 1 }),
      repeated({ retryAt: NOW + 1 }, { retryAt: NOW + 2 }),
    ]) {
      expect(apart.pr(1).goesWithUrgent).toBe(false);
      expect(apart.open[0]).not.toBe('1+2+3');
    }
    const elsewhere = repeated({}, {}, [touching(1, ['b']), touching(2, ['a'])]);
    expect(elsewhere.open).toEqual(['2', '2+3', '2+3+1']);
  });

  test('a pull request in a batch with an urgent one still goes first once both have passed, however they would be tested again', () => {
    const passed = { state: 'tests_passed', batch: 1, noBatch: true } as const;
    const outcome = decided({
      queue: aQuietQueue({ ...batching, canOptimisticallyMerge: true }, { wanted: 'paused' }),
      submissions: [
        aTestedSubmission(1, { ...passed, goesWithUrgent: true }),
        aTestedSubmission(2, { ...passed, ...urgent }),
        aTestedSubmission(3, { ...urgent, state: 'tests_passed', place: 10 }),
      ],
      runs: [aRunOn([1, 2, 3], passedBy())],
    });

    expect(outcome.pr(1).goesWithUrgent).toBe(true);
    expect(outcome.open).toEqual(['1+2+3']);
  });

  test('a pull request in a batch with an urgent one stops going first once their batch is under bisection, or the other is not urgent any more', () => {
    const withUrgent = { goesWithUrgent: true };
    const failed = decided({
      queue: aQuietQueue({ ...batching, pendingFailureDepth: 2 }),
      submissions: [aTestedSubmission(1, withUrgent), aTestedSubmission(2, urgent)],
      runs: [aBatchRun([1, 2], [], failedBy())],
    });
    const cleared = decided({
      queue: aQuietQueue(batching, { wanted: 'paused' }),
      submissions: [
        aTestedSubmission(1, { ...withUrgent, state: 'tests_passed', batch: 1 }),
        aTestedSubmission(2, { ...urgent, state: 'pending_failure', batch: 1, failedRunId: runIdOf(1) }),
      ],
      runs: [
        aBatchRun([1, 2], [], { ...failedBy(), bisection: aBisection({ passed: 1 }) }),
        aRunOn([1], { ...passedBy(), id: runIdOf(7), purpose: { kind: 'isolate', failed: runIdOf(1) } }),
      ],
    });
    const calmed = decided({
      queue: aQuietQueue(batching),
      submissions: [aTestedSubmission(1, withUrgent), aTestedSubmission(2)],
      runs: [aBatchRun([1, 2])],
    });

    for (const outcome of [failed, cleared]) expect(outcome.pr(1).goesWithUrgent).toBe(false);
    expect(cleared.open).toEqual(['1+2', '1']);
    expect(calmed.pr(1).goesWithUrgent).toBe(false);
    expect(calmed.open).toEqual(['1+2']);
  });
});
