import { runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../test/rules.js';
import type { Conclusion } from '../../model/checks.js';
import type { InfrastructureFailure } from '../../model/infrastructure-failure.js';
import { defaultPace } from '../draft/context.js';

const trouble = (override: Partial<InfrastructureFailure> = {}): InfrastructureFailure => ({
  runId: runIdOf(9),
  prs: [9],
  earlier: [],
  charged: [9],
  at: NOW - 1,
  rounds: 0,
  ...override,
});
const queueOf = (before: InfrastructureFailure | null = null) =>
  aQuietQueue({ concurrency: 3, batch: true }, { infrastructureFailure: before });

const ended = (
  conclusion: Conclusion,
  {
    retries = 0,
    before = null,
    prs = [1],
  }: { retries?: number; before?: InfrastructureFailure | null; prs?: number[] } = {},
) =>
  decided({
    queue: queueOf(before),
    submissions: [
      ...prs.map((pr) => aTestedSubmission(pr, { retries, batch: 1, begunAt: NOW })),
      aTestedSubmission(9, { retries: 1 }),
    ],
    runs: [aBatchRun(prs, [], { checks: [anEndedCheck(conclusion)] }), aRunOn([...prs, 9])],
  });

describe('a batch without a verdict', () => {
  test('is tested again as it is, later, at the cost of each budget', () => {
    const outcome = ended('infrastructure', { prs: [1, 2] });

    expect(outcome.closed(1)).toBe('judged');
    for (const pr of [1, 2])
      expect(outcome.pr(pr)).toMatchObject({
        state: 'testing',
        retries: 1,
        retryAt: NOW + 30_000,
        batch: 1,
        reasonDetail: 'build: infrastructure',
      });
    expect(ended('cancelled', { retries: 1 }).pr(1)).toMatchObject({ retries: 2, retryAt: NOW + 60_000 });
  });

  test('holds back as long as the one of it that has been repeated most often, so that all are tested together again', () => {
    const outcome = decided({
      queue: queueOf(),
      submissions: [
        aTestedSubmission(1, { retries: 1, batch: 1 }),
        aTestedSubmission(2, { batch: 1 }),
        aTestedSubmission(3, { batch: 1 }),
      ],
      runs: [aBatchRun([1, 2, 3], [], { checks: [anEndedCheck('cancelled')] })],
    });

    for (const [pr, retries] of [
      [1, 2],
      [2, 1],
      [3, 1],
    ] as const)
      expect(outcome.pr(pr)).toMatchObject({ state: 'testing', retries, retryAt: NOW + 60_000 });
  });

  test('is tested one by one once its budget is used up, and that costs nothing', () => {
    for (const [conclusion, reason] of [
      ['infrastructure', 'TEST_RUN_INFRASTRUCTURE'],
      ['cancelled', 'TEST_RUN_CANCELLED'],
    ] as const) {
      const outcome = ended(conclusion, { retries: defaultPace.retryLimit, prs: [1, 2] });

      expect(outcome.moves(1)).toEqual([`testing>pending ${reason}`, 'pending>testing CAPACITY_AVAILABLE']);
      expect(outcome.pr(2)).toMatchObject({ alone: true, retries: 0, retryAt: null, place: 2 });
      expect(outcome.open).toEqual(['1+2+9', '1', '1+2']);
    }
  });

  test('is tested one by one as soon as one of it has used up its budget', () => {
    const outcome = decided({
      queue: queueOf(),
      submissions: [
        aTestedSubmission(1, { retries: defaultPace.retryLimit, batch: 1 }),
        aTestedSubmission(2, { batch: 1 }),
      ],
      runs: [aBatchRun([1, 2], [], { checks: [anEndedCheck('infrastructure')] })],
    });

    expect([1, 2].map((pr) => outcome.pr(pr).alone)).toEqual([true, true]);
  });

  test('of one that used up its budget is its end', () => {
    const outcome = ended('infrastructure', { retries: defaultPace.retryLimit });

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_INFRASTRUCTURE']);
    expect(outcome.pr(1).failedRunId).toBe(runIdOf(1));
  });
});

describe('the machinery is in trouble', () => {
  test('once it hits two that have nothing to do with each other: nobody pays', () => {
    const outcome = ended('infrastructure', { before: trouble(), retries: defaultPace.retryLimit });

    expect(outcome.pr(1)).toMatchObject({
      state: 'testing',
      retries: defaultPace.retryLimit,
      retryAt: NOW + 60_000,
    });
    expect(outcome.pr(9).retries).toBe(0);
    expect(outcome.queue.infrastructureFailure).toEqual({
      runId: runIdOf(1),
      prs: [1],
      earlier: [9],
      charged: [],
      at: NOW,
      rounds: 1,
    });
  });

  test('not the first time: whom that has cost something is kept in mind, and nobody of before', () => {
    expect(ended('infrastructure', { prs: [1, 2] }).queue.infrastructureFailure).toMatchObject({
      prs: [1, 2],
      earlier: [],
      charged: [1, 2],
    });
  });

  test('not where it has hit what one of them stands on', () => {
    const outcome = decided({
      queue: queueOf(trouble({ prs: [9] })),
      submissions: [aTestedSubmission(9, { place: 0 }), aTestedSubmission(1)],
      runs: [aRunOn([9]), aBatchRun([1], [9], { checks: [anEndedCheck('infrastructure')] })],
    });

    expect(outcome.queue.infrastructureFailure).toMatchObject({ prs: [9, 1], charged: [], rounds: 0 });
    expect(outcome.pr(1)).toMatchObject({ retries: 0, isRepeated: true });
  });

  test('and the last of those whom it has hit are kept in mind', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => 1_000 + index);
    const { infrastructureFailure } = ended('infrastructure', {
      before: trouble({ earlier: numbers }),
    }).queue;

    expect(infrastructureFailure?.earlier).toEqual([...numbers.slice(1), 9]);
  });

  test('and who has paid nothing before gets nothing back', () => {
    const outcome = decided({
      queue: queueOf(trouble({ prs: [8, 9] })),
      submissions: [aTestedSubmission(1), aTestedSubmission(9)],
      runs: [aBatchRun([1], [], { checks: [anEndedCheck('infrastructure')] }), aRunOn([1, 9])],
    });

    expect(outcome.pr(9).retries).toBe(0);
  });

  test('and the longer it is, the longer everybody waits, up to five minutes', () => {
    expect(ended('infrastructure', { before: trouble({ rounds: 1 }) }).pr(1).retryAt).toBe(NOW + 120_000);
    expect(ended('infrastructure', { before: trouble({ rounds: 9 }) }).pr(1).retryAt).toBe(NOW + 300_000);
    expect(ended('infrastructure', { before: trouble({ rounds: 1 }) }).pr(9).retries).toBe(1);
  });

  test.each<[string, Partial<InfrastructureFailure>]>([
    ['long ago', { at: NOW - defaultPace.machineryWindowMs - 1 }],
    ['in the same run', { runId: runIdOf(1) }],
    ['with one of the same', { prs: [8, 1] }],
  ])('not where it was %s', (_, override) => {
    const outcome = ended('infrastructure', { before: trouble(override) });

    expect(outcome.pr(1)).toMatchObject({ retries: 1, retryAt: NOW + 30_000 });
    expect(outcome.queue.infrastructureFailure?.rounds).toBe(0);
  });

  test('up to the end of the time in which it counts', () => {
    expect(
      ended('infrastructure', { before: trouble({ at: NOW - defaultPace.machineryWindowMs }) }).pr(1).retries,
    ).toBe(0);
  });

  test('not for a test run that ended long before the trouble began, and waited for its stack since', () => {
    const outcome = decided({
      queue: queueOf(trouble()),
      submissions: [aTestedSubmission(1, { begunAt: NOW })],
      runs: [
        aBatchRun([1], [], {
          state: 'ended',
          outcome: 'infrastructure',
          endedAt: NOW - defaultPace.machineryWindowMs - 2,
          checks: [anEndedCheck('infrastructure')],
        }),
      ],
    });

    expect(outcome.pr(1).retries).toBe(1);
  });

  test('not where the CI cancels', () => {
    const outcome = ended('cancelled', { before: trouble() });

    expect(outcome.pr(1).retries).toBe(1);
    expect(outcome.queue.infrastructureFailure).toEqual(trouble());
  });

  test('until a run comes to a verdict', () => {
    expect(ended('success', { before: trouble() }).queue.infrastructureFailure).toBeNull();
  });
});
