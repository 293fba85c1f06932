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

describe('where successors bear witness', () => {
  test('those who stand behind it at that moment are named, as many as the queue asks for', () => {
    const outcome = decided({
      queue: queueOf(),
      submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3), aSubmission(4)],
      runs: [aRunOn([1], { checks: [anEndedCheck('failure')] }), aRunOn([1, 2])],
    });

    expect(outcome.run(1).witnesses.map(({ pr }) => pr)).toEqual([2, 3]);
    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.open).toEqual(['1', '1+2', '1+2+3', '2+3+4']);
  });

  test('those who are tested together with one of them are named as well, so that their test comes to its end', () => {
    const outcome = decided({
      queue: queueOf({ pendingFailureDepth: 1, batch: true, batchingMinSize: 3 }),
      submissions: [1, 2, 3, 4].map((pr) => aTestedSubmission(pr)),
      runs: [aRunOn([1], { checks: [anEndedCheck('failure')] }), aBatchRun([2, 3], [1])],
    });

    expect(outcome.run(1).witnesses.map(({ pr }) => pr)).toEqual([2, 3]);
    expect(outcome.pr(1).state).toBe('pending_failure');
    expect(outcome.open).toContain('1+2+3');
  });

  test('it is held as long as one of their tests is under way or to come', () => {
    const submissions = [held, aTestedSubmission(2)];

    expect(decided({ queue: queueOf(), submissions, runs: [failed([2]), aRunOn([1, 2])] }).pr(1).state).toBe(
      'pending_failure',
    );
    expect(decided({ queue: queueOf(), submissions, runs: [failed([2])] }).pr(1).state).toBe(
      'pending_failure',
    );
  });

  test('whoever passed without it and lands stands before it for them, in that same decision', () => {
    const outcome = decided({
      queue: queueOf({ concurrency: 2 }),
      submissions: [held, aTestedSubmission(2), aTestedSubmission(3), aSubmission(4)],
      runs: [failed([3, 4]), aRunOn([2], { ...passedBy(), without: [aMember(1)] }), aRunOn([1, 2, 3])],
    });

    expect(outcome.wishes('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[2]]);
    expect(outcome.open).toEqual(['1', '2', '2+1+3', '2+1+3+4']);
  });

  test('it is failed once they have failed as well, and they are tested without it', () => {
    const outcome = decided({
      queue: queueOf(),
      submissions: [held, aTestedSubmission(2)],
      runs: [failed([2]), aRunOn([1, 2], { checks: [anEndedCheck('failure')] })],
    });

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.wishes('build_candidate').map(({ parts }) => parts.map(({ pr }) => pr))).toEqual([[2]]);
  });

  test('it is failed also where they pass, unless the queue merges optimistically', () => {
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
    expect(optimistic.wishes('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1, 2]]);
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
  ])('one that %s is not awaited', (_, others) => {
    expect(
      decided({ queue: queueOf(), submissions: [held, ...others], runs: [failed([2])] }).pr(1).state,
    ).toBe('failed');
  });

  test('one that may not begin is not awaited; one that was begun is brought to its end', () => {
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

  test('where the queue asks for fewer than before the first of them are awaited, with those tested together with them', () => {
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

  test('one that has passed by a run without it is not awaited', () => {
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

describe('where a queue merges optimistically', () => {
  const optimistic = queueOf({ canOptimisticallyMerge: true, pendingFailureDepth: 0 });
  const above = aRunOn([1, 2], { checks: [anEndedCheck('success')] });

  test('a pass vouches for those below it, whose own tests are called off', () => {
    const outcome = decided({
      queue: optimistic,
      submissions: [aTestedSubmission(1, { retryAt: 1, retries: 1 }), aTestedSubmission(2)],
      runs: [aRunOn([1]), above],
    });

    expect(outcome.moves(1)).toEqual(['testing>tests_passed SUCCESSOR_TEST_RUN_PASSED']);
    expect(outcome.closed(1)).toBe('vouched_for');
    expect(outcome.pr(1).retryAt).toBeNull();
  });

  test('it vouches also for one below it whose failure was to be confirmed', () => {
    const suspected = aTestedSubmission(1, { state: 'pending', suspectedBy: runIdOf(7), alone: true });
    const outcome = decided({
      queue: optimistic,
      submissions: [suspected, aTestedSubmission(2)],
      runs: [above],
    });

    expect(outcome.moves(1)).toEqual(['pending>tests_passed SUCCESSOR_TEST_RUN_PASSED']);
    expect(outcome.pr(1).suspectedBy).toBeNull();
    expect(outcome.wishes('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1, 2]]);
  });

  test('it does not where what it holds is not what would land', () => {
    const outcome = decided({
      queue: optimistic,
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), { ...above, overtakenBy: 7 }],
    });

    expect(outcome.pr(1).state).toBe('testing');
    expect(outcome.closed(1)).toBeNull();
  });

  test('it does not where the queue merges each by its own tests', () => {
    const outcome = decided({
      queue: queueOf({ pendingFailureDepth: 0 }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [aRunOn([1]), aRunOn([1, 2], passedBy())],
    });

    expect(outcome.pr(1).state).toBe('testing');
    expect(outcome.pr(2).state).toBe('tests_passed');
  });
});
