import { aMember, aSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  anEndedCheck,
  aRunOn,
  aTestedSubmission,
  configureOf,
  decided,
  failedBy,
  passedBy,
  aWitnessedQueue as queueOf,
} from '../../../test/rules.js';
import type { TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';

const held = aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) });
const failed = (witnesses: readonly number[], override: Partial<TestRun> = {}) =>
  aRunOn([1], { ...failedBy(), witnesses: witnesses.map((pr) => aMember(pr)), ...override });

describe('witnesses of a failure', () => {
  test('the failure waits for as many witnesses as the queue is set to', () => {
    const outcome = decided({
      queue: queueOf(),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3), aSubmission(4)],
      runs: [aRunOn([1], { checks: [anEndedCheck('failure')] }), aRunOn([1, 2])],
    });

    expect(outcome.run(1).witnesses.map(({ pr }) => pr)).toEqual([2, 3]);
    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.open).toEqual(['1', '1+2', '1+2+3', '2+3+4']);
  });

  test('the failure waits for batch mates of a witness too, so that their test ends', () => {
    const outcome = decided({
      queue: queueOf({ pendingFailureDepth: 1, batch: true, batchingMinSize: 3 }),
      submissions: [1, 2, 3, 4].map((pr) => aTestedSubmission(pr)),
      runs: [aRunOn([1], { checks: [anEndedCheck('failure')] }), aBatchRun([2, 3], [1])],
    });

    expect(outcome.run(1).witnesses.map(({ pr }) => pr)).toEqual([2, 3]);
    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.open).toContain('1+2+3');
  });

  test('the failure waits while a test of a witness is under way or may begin', () => {
    const submissions = [held, aTestedSubmission(2)];

    expect(decided({ queue: queueOf(), submissions, runs: [failed([2]), aRunOn([1, 2])] }).pr(1).state).toBe(
      'pending_failure',
    );
    expect(decided({ queue: queueOf(), submissions, runs: [failed([2])] }).pr(1).state).toBe(
      'pending_failure',
    );
  });

  test('a pull request that passed without the failed one lands first, in the same decision', () => {
    const outcome = decided({
      queue: queueOf({ concurrency: 2 }),
      submissions: [held, aTestedSubmission(2), aTestedSubmission(3), aSubmission(4)],
      runs: [failed([3, 4]), aRunOn([2], { ...passedBy(), without: [aMember(1)] }), aRunOn([1, 2, 3])],
    });

    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[2]]);
    expect(outcome.open).toEqual(['1', '2', '2+1+3', '2+1+3+4']);
  });

  test('the pull request fails once its witnesses have failed as well, and they are tested without it', () => {
    const outcome = decided({
      queue: queueOf(),
      submissions: [held, aTestedSubmission(2)],
      runs: [failed([2]), aRunOn([1, 2], { checks: [anEndedCheck('failure')] })],
    });

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.effects('build_candidate').map(({ parts }) => parts.map(({ pr }) => pr))).toEqual([[2]]);
  });

  test('the pull request fails also when its witnesses pass, unless the queue merges optimistically', () => {
    const world = (settings: Partial<QueueSettings>) =>
      decided({
        queue: queueOf(settings),
        submissions: [held, aTestedSubmission(2)],
        runs: [failed([2]), aRunOn([1, 2], { checks: [anEndedCheck('success')] })],
      });

    expect(world({}).pr(1).state).toBe('failed');
    const optimistic = world({ canOptimisticallyMerge: true });
    expect(optimistic.moves(1)).toEqual(['pending_failure>tests_passed SUCCESSOR_TEST_RUN_PASSED']);
    expect(optimistic.pr(1).failedRunId).toBeNull();
    expect(optimistic.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1, 2]]);
  });

  test.each([
    ['has left', []],
    ['is another attempt by now', [aTestedSubmission(2, { attempt: 2 })]],
    [
      'has been passed over',
      [
        aTestedSubmission(2, {
          asideSince: 1,
          pull: { ...held.pull, number: 2, mergeability: 'not_mergeable' as const },
        }),
      ],
    ],
  ])('a witness that %s is not awaited', (_, others) => {
    expect(
      decided({ queue: queueOf(), submissions: [held, ...others], runs: [failed([2])] }).pr(1).state,
    ).toBe('failed');
  });

  test('a witness that may not begin is not awaited, and one that has begun is', () => {
    const draining = queueOf({}, { wanted: 'draining' });

    expect(
      decided({ queue: draining, submissions: [held, aSubmission(2)], runs: [failed([2])] }).pr(1).state,
    ).toBe('failed');
    expect(
      decided({
        queue: draining,
        submissions: [held, aTestedSubmission(2, { state: 'pending' })],
        runs: [failed([2])],
      }).pr(1).state,
    ).toBe('pending_failure');
  });

  test('a lower number of witnesses applies at once, and keeps their batch mates', () => {
    const lowered = (pendingFailureDepth: number, runs: readonly TestRun[]) =>
      decided(
        {
          queue: queueOf({ pendingFailureDepth: 3 }),
          submissions: [held, ...[2, 3, 4].map((pr) => aTestedSubmission(pr))],
          runs: [failed([2, 3, 4]), ...runs],
        },
        [configureOf({ settings: { pendingFailureDepth } })],
      );
    const apart = [aRunOn([1, 2]), aRunOn([1, 2, 3])];
    const witnessesOf = (outcome: ReturnType<typeof lowered>) => outcome.run(1).witnesses.map(({ pr }) => pr);

    expect(witnessesOf(lowered(2, apart))).toEqual([2, 3]);
    expect(witnessesOf(lowered(1, [aBatchRun([2, 3], [1])]))).toEqual([2, 3]);
    expect(witnessesOf(lowered(4, apart))).toEqual([2, 3, 4]);
    expect(lowered(0, apart).pr(1).state).toBe('failed');
    const ended = [aRunOn([1, 2], failedBy()), aRunOn([1, 2, 3])];
    expect(lowered(1, ended).pr(1).state).toBe('failed');
    expect(lowered(2, ended).pr(1).state).toBe('pending_failure');
  });

  test('a witness that has passed by a run without the failed one is not awaited', () => {
    const outcome = decided({
      queue: queueOf({ canOptimisticallyMerge: true }),
      submissions: [held, aTestedSubmission(2), aTestedSubmission(3)],
      runs: [
        failed([2]),
        aRunOn([1, 2]),
        aBatchRun([3], [2], { without: [aMember(1)], checks: [anEndedCheck('success')] }),
      ],
    });

    expect(outcome.pr(1).state).not.toBe('pending_failure');
  });
});

describe('optimistic merging', () => {
  const optimistic = queueOf({ canOptimisticallyMerge: true, pendingFailureDepth: 0 });
  const above = aRunOn([1, 2], { checks: [anEndedCheck('success')] });

  test('a pass proves the pull requests below, and their own tests are cancelled', () => {
    const outcome = decided({
      queue: optimistic,
      submissions: [aTestedSubmission(1, { retryAt: 1, retries: 1 }), aTestedSubmission(2)],
      runs: [aRunOn([1]), above],
    });

    expect(outcome.moves(1)).toEqual(['testing>tests_passed SUCCESSOR_TEST_RUN_PASSED']);
    expect(outcome.closed(1)).toBe('vouched_for');
    expect(outcome.pr(1).retryAt).toBeNull();
  });

  test('a pass also proves a pull request below whose failure was to be confirmed', () => {
    const suspected = aTestedSubmission(1, { state: 'pending', suspectedBy: runIdOf(7), alone: true });
    const outcome = decided({
      queue: optimistic,
      submissions: [suspected, aTestedSubmission(2)],
      runs: [above],
    });

    expect(outcome.moves(1)).toEqual(['pending>tests_passed SUCCESSOR_TEST_RUN_PASSED']);
    expect(outcome.pr(1).suspectedBy).toBeNull();
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1, 2]]);
  });

  test('a pass of a stale run proves nothing below', () => {
    const outcome = decided({
      queue: optimistic,
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), { ...above, overtakenBy: 7 }],
    });

    expect(outcome.pr(1).state).toBe('testing');
    expect(outcome.closed(1)).toBeNull();
  });

  test('a pass proves nothing below when each pull request is merged by its own tests', () => {
    const outcome = decided({
      queue: queueOf({ pendingFailureDepth: 0 }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), aRunOn([1, 2], passedBy())],
    });

    expect(outcome.pr(1).state).toBe('testing');
    expect(outcome.pr(2).state).toBe('tests_passed');
  });
});
