import { aSubmission } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aBatchRun, aQuietQueue, aRunOn, aTestedSubmission, decided, NOW } from '../../test/rules.js';
import { STACK_LIMIT } from './positions.js';

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

  test('a batch that more stand ahead of than a trial holds is let go of', () => {
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
});
