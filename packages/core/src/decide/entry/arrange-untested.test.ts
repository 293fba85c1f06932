import { aSubmission, runIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import {
  aDraft,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTarget,
  aTestedSubmission,
  NOW,
  OTHER_TIP,
} from '../../../test/rules.js';
import { STACK_LIMIT } from '../line/positions.js';
import { arrange } from './arrange.js';

test('a pull request that the run of another proves stays passed when its own run is closed', () => {
  const [second, run] = aPassed([1, 2]);
  const draft = aDraft({
    queue: aQuietQueue({ canOptimisticallyMerge: true }),
    submissions: [aTestedSubmission(1, { state: 'tests_passed' }), second],
    runs: [aRunOn([7, 1], { id: runIdOf(71) }), run],
  });

  arrange(draft);

  expect(draft.run(runIdOf(71))?.closedBecause).toBe('superseded');
  expect(draft.liveSubmission(1)).toMatchObject({ state: 'tests_passed', place: 1 });
});

test('a passed pull request that only a running test includes loses that test, and keeps a failed run', () => {
  const submissions = [aTestedSubmission(1, { state: 'tests_passed' })];
  const failed = aRunOn([1], { id: runIdOf(71), state: 'ended', outcome: 'failed' });
  const draft = aDraft({ submissions, runs: [failed, aRunOn([1])] });

  arrange(draft);

  expect(draft.liveSubmission(1)).toMatchObject({ state: 'pending', reason: 'PROOF_LOST' });
  expect([71, 1].map((run) => draft.run(runIdOf(run))?.closedBecause)).toEqual([null, 'superseded']);
});

test('a pull request that would be tested on another stack behind a waiting one loses its place', () => {
  const draft = aDraft({
    queue: aQuietQueue({}, { target: aTarget({ head: OTHER_TIP }) }),
    submissions: [aTestedSubmission(1, { state: 'pending' }), aTestedSubmission(2)],
    runs: [aRunOn([1, 2])],
  });

  arrange(draft);

  expect(draft.liveSubmission(2)).toMatchObject({ reason: 'MANUAL_PUSH_TO_TARGET_BRANCH', place: null });
});

test('a pull request that has to wait for one that never began loses its place', () => {
  const urgent = aSubmission(9, { skipTheLine: true });
  const draft = aDraft({
    submissions: [
      urgent,
      aTestedSubmission(2, { state: 'pending', heldBy: urgent.id }),
      aTestedSubmission(3),
    ],
    runs: [aRunOn([2, 3])],
  });

  arrange(draft);

  expect(draft.liveSubmission(3)).toMatchObject({ reason: 'PREREQUISITE_MERGE_ITEM_PENDING', place: null });
});

test('a pull request that waits for a retry is requeued when more than one candidate holds is ahead of it', () => {
  const ahead = Array.from({ length: STACK_LIMIT }, (_, index) =>
    aTestedSubmission(index + 1, { retryAt: NOW + 1 }),
  );
  const [next, last] = [STACK_LIMIT + 1, STACK_LIMIT + 2];
  const draft = aDraft({
    submissions: [...ahead, aTestedSubmission(next, { state: 'pending' }), aTestedSubmission(last)],
  });

  arrange(draft);

  expect(draft.liveSubmission(STACK_LIMIT)?.state).toBe('testing');
  expect(draft.liveSubmission(last)?.state).toBe('pending');
});
