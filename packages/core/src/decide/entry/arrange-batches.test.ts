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

describe('a batch that is let go of', () => {
  test('whoever makes way for one that comes back to its place keeps its own', () => {
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
  ] as const)('a batch that has to stand on one that is %s gathers anew', (_, ahead, runs) => {
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

  test('a batch that more stand ahead of than a candidate holds is let go of', () => {
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

  test('a batch that has to stand on one that waits while a test of it goes on gathers anew', () => {
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

  test('one on whom somebody is being tested keeps its place', () => {
    const draft = aDraft({
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1, 2])],
    });

    arrange(draft);

    expect(draft.liveSubmission(1)).toMatchObject({ state: 'pending', place: 1 });
  });

  test('nobody keeps a place for one behind that waits while a test of it goes on', () => {
    const draft = aDraft({
      submissions: [aTestedSubmission(1), aTestedSubmission(2, { state: 'pending' })],
      runs: [aRunOn([2], { state: 'ended', outcome: 'failed' })],
    });

    arrange(draft);

    expect(draft.liveSubmission(1)).toMatchObject({ state: 'pending', reason: 'RUN_NOT_BUILT', place: null });
  });

  test('whoever has lost its pass while its failed batch is looked into stays in that batch', () => {
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
