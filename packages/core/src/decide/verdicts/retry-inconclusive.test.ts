import { anEndedSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  decided,
  NOW,
  submitOf,
} from '../../../test/rules.js';
import type { Conclusion } from '../../model/checks.js';
import { afterVerdict, type InfrastructureFailure } from '../../model/infrastructure-failure.js';
import { defaultPace } from '../draft/context.js';

/** When `aBatchRun` was created. */
const BEGUN_AT = aBatchRun([1], []).createdAt;

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

describe('an inconclusive batch', () => {
  test('an inconclusive batch is tested again as it is, later, and each member is charged a retry', () => {
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

  test('an inconclusive batch waits as long as its most often repeated member, so that all are tested together again', () => {
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

  test('an inconclusive batch is tested one by one once its budget is spent, without a charge', () => {
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

  test('an inconclusive batch is tested one by one as soon as one member has spent its budget', () => {
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

  test('a single pull request fails once its budget is spent', () => {
    const outcome = ended('infrastructure', { retries: defaultPace.retryLimit });

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_INFRASTRUCTURE']);
    expect(outcome.pr(1).failedRunId).toBe(runIdOf(1));
  });
});

describe('infrastructure failures', () => {
  test('infrastructure failures of two unrelated pull requests are not charged', () => {
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

  test('infrastructure failures of a first pull request are charged, and only the last one charged is remembered', () => {
    expect(ended('infrastructure', { prs: [1, 2] }).queue.infrastructureFailure).toMatchObject({
      prs: [1, 2],
      earlier: [],
      charged: [1, 2],
    });
  });

  test('an infrastructure failure stacked on the previous one moves its time, and counts only while the infrastructure is at fault', () => {
    const after = (before: ReturnType<typeof trouble>) =>
      decided({
        queue: queueOf(before),
        submissions: [aTestedSubmission(9, { place: 0 }), aTestedSubmission(1)],
        runs: [aRunOn([9]), aBatchRun([1], [9], { checks: [anEndedCheck('infrastructure')] })],
      });
    const [own, shared] = [trouble({ prs: [9] }), trouble({ prs: [9], rounds: 1 })];

    expect(after(own).queue.infrastructureFailure).toEqual({ ...own, renewed: [], at: NOW });
    expect(after(own).pr(1)).toMatchObject({ retries: 0, isRepeated: true });
    const more = { prs: [9, 1], charged: [], rounds: 2 };
    expect(after(shared).queue.infrastructureFailure).toMatchObject(more);
  });

  test('an infrastructure failure stacked on a part of the previous one leaves only that part to blame for both', () => {
    const outcome = decided({
      queue: queueOf(trouble({ prs: [8, 9] })),
      submissions: [aTestedSubmission(9, { place: 0 }), aTestedSubmission(1)],
      runs: [aRunOn([9]), aBatchRun([1], [9], { checks: [anEndedCheck('infrastructure')] })],
    });

    expect(outcome.queue.infrastructureFailure).toMatchObject({ prs: [9], rounds: 0 });
    expect(outcome.pr(1).retries).toBe(0);
  });

  test('infrastructure failures remember a limited number of the pull requests that were hit', () => {
    const numbers = Array.from({ length: 100 }, (_, index) => 1_000 + index);
    const { infrastructureFailure } = ended('infrastructure', {
      before: trouble({ earlier: numbers }),
    }).queue;

    expect(infrastructureFailure?.earlier).toEqual([...numbers.slice(1), 9]);
  });

  test('infrastructure failures refund no retry to a pull request that was not charged', () => {
    const outcome = decided({
      queue: queueOf(trouble({ prs: [8, 9] })),
      submissions: [aTestedSubmission(1), aTestedSubmission(9)],
      runs: [aBatchRun([1], [], { checks: [anEndedCheck('infrastructure')] }), aRunOn([1, 9])],
    });

    expect(outcome.pr(9).retries).toBe(0);
  });

  test('infrastructure failures delay all pull requests longer each time, up to five minutes', () => {
    expect(ended('infrastructure', { before: trouble({ rounds: 1 }) }).pr(1).retryAt).toBe(NOW + 120_000);
    expect(ended('infrastructure', { before: trouble({ rounds: 9 }) }).pr(1).retryAt).toBe(NOW + 300_000);
    expect(ended('infrastructure', { before: trouble({ rounds: 1, charged: [] }) }).pr(9).retries).toBe(1);
  });

  test.each<[string, Partial<InfrastructureFailure>]>([
    ['long before it began', { at: BEGUN_AT - defaultPace.infrastructureWindowMs - 1 }],
    ['in the same run', { runId: runIdOf(1) }],
    ['with one of the same', { prs: [8, 1] }],
  ])('infrastructure failures are charged when the previous one was %s', (_, override) => {
    const outcome = ended('infrastructure', { before: trouble(override) });

    expect(outcome.pr(1)).toMatchObject({ retries: 1, retryAt: NOW + 30_000 });
    expect(outcome.queue.infrastructureFailure?.rounds).toBe(0);
  });

  test('infrastructure failures count as related if a test run began before the end of the window', () => {
    const at = BEGUN_AT - defaultPace.infrastructureWindowMs;

    expect(ended('infrastructure', { before: trouble({ at }) }).pr(1).retries).toBe(0);
  });

  test('infrastructure failures of unrelated pull requests excuse each one until a verdict, however long that takes', () => {
    const before = trouble({ prs: [1], earlier: [9], charged: [], rounds: 1, at: BEGUN_AT - 86_400_000 });
    const outcome = ended('infrastructure', { before });

    expect(outcome.pr(1).retries).toBe(0);
    expect(outcome.queue.infrastructureFailure?.rounds).toBe(2);
  });

  test('infrastructure failures are charged for a test run that ended long before the others and waited for its stack', () => {
    const outcome = decided({
      queue: queueOf(trouble()),
      submissions: [aTestedSubmission(1, { begunAt: NOW })],
      runs: [
        aBatchRun([1], [], {
          state: 'ended',
          outcome: 'infrastructure',
          endedAt: NOW - defaultPace.infrastructureWindowMs - 2,
          checks: [anEndedCheck('infrastructure')],
        }),
      ],
    });

    expect(outcome.pr(1).retries).toBe(1);
  });

  const hitAgain = { ...trouble({ prs: [] }), hitBeforeVerdict: [1, 9] };

  test('infrastructure failures that a pull request had before and after a verdict are its own', () => {
    expect(
      ended('infrastructure', { before: { ...hitAgain, prs: [9] }, retries: defaultPace.retryLimit }).moves(
        1,
      ),
    ).toEqual(['testing>failed TEST_RUN_INFRASTRUCTURE']);
  });

  test('infrastructure failures of an earlier attempt, or before a restart, are not held against the next test run', () => {
    const queue = queueOf(hitAgain);
    const submitted = decided({ queue, submissions: [anEndedSubmission(1)] }, [submitOf(1)]);
    const restarted = decided({ queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] }, [
      { ...asked(), type: 'restart_tests', pr: 1 },
    ]);

    for (const { queue } of [submitted, restarted])
      expect(queue.infrastructureFailure?.hitBeforeVerdict).toEqual([9]);
  });

  test('infrastructure failures of an earlier attempt are not counted as hits before a verdict that comes after it', () => {
    const submittedAfter = (before: InfrastructureFailure) =>
      decided({ queue: queueOf(before), submissions: [anEndedSubmission(1)] }, [submitOf(1)]).queue;

    expect(submittedAfter(trouble({ prs: [9], earlier: [1, 8] })).infrastructureFailure).toEqual(
      trouble({ prs: [9], earlier: [8] }),
    );
    const renewed = submittedAfter(trouble({ prs: [1] })).infrastructureFailure;
    expect(afterVerdict(trouble({ prs: [1], rounds: 1 }))?.hitBeforeVerdict).toEqual([1]);
    expect(afterVerdict(renewed === null ? null : { ...renewed, rounds: 1 })?.hitBeforeVerdict).toEqual([]);
  });

  test('infrastructure failures of an earlier attempt still excuse unrelated pull requests', () => {
    const submitted = decided({ queue: queueOf(trouble()), submissions: [anEndedSubmission(9)] }, [
      submitOf(9),
    ]);
    const before = submitted.queue.infrastructureFailure;

    expect(ended('infrastructure', { before, retries: defaultPace.retryLimit }).moves(1)).toEqual([]);
  });

  test('infrastructure failures that wait for their stack count when they end, and refund the one before', () => {
    const outcome = decided({
      queue: queueOf(trouble()),
      submissions: [
        aTestedSubmission(8, { place: 0 }),
        aTestedSubmission(1, { isRepeated: true }),
        aTestedSubmission(9, { retries: 1 }),
      ],
      runs: [
        aRunOn([8]),
        aBatchRun([1], [8], { checks: [anEndedCheck('infrastructure')] }),
        aRunOn([8, 1, 9]),
      ],
    });

    expect(outcome.pr(9).retries).toBe(0);
    expect(outcome.queue.infrastructureFailure).toMatchObject({ prs: [8, 1], rounds: 1 });
    expect(outcome.run(1)).toMatchObject({ failedAfter: trouble(), closedAt: null });
  });

  /** #1 has waited for its stack, which has landed. */
  const waited = (before: InfrastructureFailure | null) =>
    decided({
      queue: queueOf(before),
      submissions: [aTestedSubmission(1, { isRepeated: true, begunAt: NOW })],
      runs: [
        aBatchRun([1], [], {
          ...{ state: 'ended', outcome: 'infrastructure', endedAt: NOW, failedAfter: null },
          checks: [anEndedCheck('infrastructure')],
        }),
      ],
    });

  test('infrastructure failures that waited for their stack are charged once it has landed, and refunded later', () => {
    const before = trouble({ runId: runIdOf(1), prs: [1], charged: [] });
    const outcome = waited(before);

    expect(outcome.pr(1).retries).toBe(1);
    expect(outcome.queue.infrastructureFailure).toEqual({ ...before, charged: [1] });
  });

  test('infrastructure failures that waited for their stack are not counted again after a verdict, or after another failure', () => {
    for (const before of [null, hitAgain, trouble({ prs: [1, 8] })]) {
      expect(waited(before).pr(1).retries).toBe(1);
      expect(waited(before).queue.infrastructureFailure).toEqual(before);
    }
  });

  test('infrastructure failures are not counted for tests that the CI cancelled', () => {
    const outcome = ended('cancelled', { before: trouble() });

    expect(outcome.pr(1).retries).toBe(1);
    expect(outcome.queue.infrastructureFailure).toEqual(trouble());
  });

  test.each<Conclusion>(['skipped', 'neutral'])(
    'infrastructure failures are counted on after a pass that is %s',
    (conclusion) => {
      expect(ended(conclusion, { before: trouble() }).queue.infrastructureFailure).toEqual(trouble());
    },
  );

  test('infrastructure failures are counted until a run reaches a verdict', () => {
    expect(ended('success', { before: trouble() }).queue.infrastructureFailure).toBeNull();
  });
});
