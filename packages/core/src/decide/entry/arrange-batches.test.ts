import { aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { failedBatch, isolatingQueue, waitingMembers } from '../../../test/bisection.js';
import {
  aBatchRun,
  aDraft,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
} from '../../../test/rules.js';
import { STACK_LIMIT } from '../line/positions.js';
import { arrange } from './arrange.js';

const stopped = () => aQuietQueue({ concurrency: 2 }, { wanted: 'paused' });

describe('batches of closed runs', () => {
  test('a batch keeps its place when it waits for a pull request that was requeued in its place', () => {
    const back = aTestedSubmission(1, { state: 'pending' });
    const behind = [2, 3].map((pr) => aTestedSubmission(pr, { batch: 2 }));
    const higher = aSubmission(4, { priority: { value: 1, named: true } });
    const outcome = decided({
      queue: aQuietQueue({ batch: true, batchingMinSize: 2 }),
      submissions: [back, ...behind, higher],
      runs: [aBatchRun([2, 3])],
    });

    expect(outcome.moves(2)).toEqual(['testing>pending PREREQUISITE_MERGE_ITEM_PENDING']);
    expect([1, 2, 3].map((pr) => outcome.pr(pr).place)).toEqual([1, 2, 3]);
    expect([2, 3].map((pr) => outcome.pr(pr).batch)).toEqual([2, 2]);
    expect(outcome.open).toEqual(['1']);
  });

  test.each([
    ['under test', aTestedSubmission(1), [aRunOn([1])]],
    ['to be tested again later', aTestedSubmission(1, { retryAt: NOW + 1 }), []],
  ] as const)('a batch that has to stand on one that is %s is formed again', (_, ahead, runs) => {
    const behind = [2, 3].map((pr) => aTestedSubmission(pr, { batch: 2 }));
    const outcome = decided({
      queue: stopped(),
      submissions: [ahead, ...behind],
      runs: [...runs, aBatchRun([2, 3])],
    });

    expect([2, 3].map((pr) => outcome.moves(pr))).toEqual([
      ['testing>pending PREREQUISITE_MERGE_ITEM_PENDING'],
      ['testing>pending PREREQUISITE_MERGE_ITEM_PENDING'],
    ]);
    expect([2, 3].map((pr) => outcome.pr(pr).batch)).toEqual([null, null]);
  });

  test('a batch with more pull requests ahead than one candidate holds is closed', () => {
    const ahead = Array.from({ length: STACK_LIMIT }, (_, index) =>
      aTestedSubmission(index + 1, { retryAt: NOW + 1 }),
    );
    const behind = [201, 202].map((pr) => aTestedSubmission(pr, { batch: 201 }));
    const outcome = decided({
      queue: stopped(),
      submissions: [...ahead, ...behind],
      runs: [
        aBatchRun(
          [201, 202],
          ahead.map(({ pr }) => pr),
        ),
      ],
    });

    expect([201, 202].map((pr) => outcome.moves(pr))).toEqual([
      ['testing>pending PREREQUISITE_MERGE_ITEM_PENDING'],
      ['testing>pending PREREQUISITE_MERGE_ITEM_PENDING'],
    ]);
  });

  test('a batch that has to stand on a pending pull request that is still being tested is formed again', () => {
    const draft = aDraft({
      submissions: [
        aTestedSubmission(1, { state: 'pending' }),
        ...[2, 3].map((pr) => aTestedSubmission(pr, { batch: 2 })),
      ],
      runs: [aRunOn([1]), aBatchRun([2, 3])],
    });

    arrange(draft);

    expect([2, 3].map((pr) => draft.liveSubmission(pr))).toMatchObject([{ batch: null }, { batch: null }]);
  });

  test('a pull request keeps its place while others are tested on top of it', () => {
    const draft = aDraft({
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1, 2])],
    });

    arrange(draft);

    expect(draft.liveSubmission(1)).toMatchObject({ state: 'pending', place: 1 });
  });

  test('a pull request does not keep its place for a pending one behind it that is still being tested', () => {
    const draft = aDraft({
      submissions: [aTestedSubmission(1), aTestedSubmission(2, { state: 'pending' })],
      runs: [aRunOn([2], { state: 'ended', outcome: 'failed' })],
    });

    arrange(draft);

    expect(draft.liveSubmission(1)).toMatchObject({ state: 'pending', reason: 'RUN_NOT_BUILT', place: null });
  });

  test('a pull request that loses its pass during the bisection of its batch stays in that batch', () => {
    const [first, second] = waitingMembers(2);
    if (first === undefined || second === undefined) throw new Error('there are two');
    const draft = aDraft({
      queue: isolatingQueue(),
      submissions: [{ ...first, state: 'tests_passed' }, second],
      runs: [failedBatch(2)],
    });

    arrange(draft);

    expect(draft.liveSubmission(1)).toMatchObject({ state: 'pending', place: 1, batch: 1 });
  });
});
