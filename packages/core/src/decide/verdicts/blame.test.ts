import { aMember, aSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aRunOn,
  aTestedSubmission,
  configureOf,
  decided,
  failedBy,
  passedBy,
  aWitnessedQueue as queueOf,
  TIP,
  touching,
} from '../../../test/rules.js';
import type { TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';
import { STACK_LIMIT } from '../line/positions.js';

const heldBack = (pr: number, run = pr) =>
  aTestedSubmission(pr, { state: 'pending_failure', failedRunId: runIdOf(run) });
const numbered = (ordinal: number): Partial<TestRun> => ({ ...failedBy(), id: runIdOf(ordinal) });

describe('a failure on top of other pull requests', () => {
  test('a failure on top of other pull requests does not count when one of them has left, and does not requeue a member that another run failed', () => {
    const onLeaver = aRunOn([7, 1], numbered(71));
    const world = (others: readonly TestRun[]) =>
      decided({ queue: queueOf(), submissions: [heldBack(1, 71)], runs: [onLeaver, ...others] });
    const [alone, again] = [world([]), world([aRunOn([1], failedBy())])];

    expect([alone.closed(71), again.closed(71)]).toEqual(['superseded', 'superseded']);
    expect(alone.moves(1)).toEqual([
      'pending_failure>pending PREREQUISITE_MERGE_ITEM_CANCELLED',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
    expect(again.moves(1)).toEqual(['pending_failure>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
  });

  test('a failure on top of other pull requests is closed once, together with the member that fails by another run', () => {
    const runs = [aRunOn([1], failedBy()), aRunOn([7, 1], numbered(71))];
    const outcome = decided({ queue: queueOf(), submissions: [heldBack(1)], runs });

    expect(outcome.pr(1).state).toBe('failed');
    expect(outcome.closed(71)).toBe('member_left');
    const dropped = outcome.effects('drop_candidate').map(({ runId }) => runId);
    expect(dropped).toEqual(runs.map(({ id }) => id));
  });

  test('a failure on top of other pull requests counts when all of them have landed, however many have come ahead since', () => {
    const urgent = Array.from({ length: STACK_LIMIT + 2 }, (_, index) =>
      aTestedSubmission(1_000 + index, { state: 'pending', skipTheLine: true }),
    );
    const outcome = decided({
      queue: queueOf({ pendingFailureDepth: 0 }),
      submissions: [...urgent, heldBack(1)],
      runs: [aRunOn([1], failedBy())],
    });

    expect(outcome.pr(1).state).toBe('failed');
  });
});

describe('failures that depend on each other', () => {
  test('failures that depend on each other are blamed in line order, so that one on top of a withdrawn failure waits for the new test of that one', () => {
    const batch = aBatchRun([1, 2], [], { ...failedBy(), witnesses: [aMember(3)] });
    const onWitness = aRunOn([3, 4], failedBy());
    const witness = aRunOn([1, 2, 3], failedBy());
    const outcome = decided({
      queue: queueOf({ batch: true, pendingFailureDepth: 1 }),
      submissions: [heldBack(1), heldBack(2, 1), heldBack(3), heldBack(4)],
      // The witness was built again after the pull request on top of it.
      runs: [batch, onWitness, witness],
    });

    expect(outcome.moves(1)[0]).toBe('pending_failure>pending BISECTION_REQUIRED');
    expect(outcome.moves(3)).toEqual([
      'pending_failure>pending PREREQUISITE_MERGE_ITEM_PENDING',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
    expect(outcome.closed(4)).toBeNull();
    expect(outcome.moves(4)).toEqual([]);
  });
});

describe('a failure on a base that another pull request has overtaken', () => {
  const overtaken = { overtakenBy: 7, isOvertakerKnown: true };

  test('a failure on a base that another pull request has overtaken stays valid in lanes when the overtaking pull request stood behind', () => {
    const stateOf = (mode: QueueSettings['mode'], override: Partial<TestRun> = {}) =>
      decided({
        queue: queueOf({ mode }),
        submissions: [heldBack(1)],
        runs: [aRunOn([1], { ...failedBy(), ...overtaken, ...override })],
        targets: [touching(1, ['a'])],
      }).pr(1).state;

    expect(stateOf('parallel')).toBe('failed');
    expect(stateOf('parallel', { without: [aMember(8)] })).toBe('failed');
    expect(stateOf('parallel', { without: [aMember(7)] })).toBe('testing');
    expect(stateOf('single')).toBe('testing');
  });

  test('a failure on a base that another pull request has overtaken does not count when the overtaking pull request stood ahead, and all are tested again in line order', () => {
    const outcome = decided({
      queue: queueOf({ concurrency: 1 }),
      submissions: [heldBack(1), aSubmission(2, { skipTheLine: true })],
      runs: [aRunOn([1], { ...failedBy(), ...overtaken, without: [aMember(7)] })],
    });

    expect(outcome.moves(1)).toEqual(['pending_failure>pending OVERTAKEN']);
    expect(outcome.pr(1).place).toBeNull();
    expect(outcome.pr(2).state).toBe('testing');
  });

  const batchFailed = (override: Partial<TestRun> = {}, stack: readonly number[] = [], settings = {}) => {
    const outcome = decided({
      queue: queueOf({ batch: true, ...settings }, { wanted: 'paused' }),
      submissions: [heldBack(2), heldBack(3, 2)],
      runs: [aBatchRun([2, 3], stack, { ...failedBy(), ...overtaken, ...override })],
    });
    return outcome.moves(2)[0]?.split(' ')[1];
  };

  test('a failure on a base that another pull request has overtaken has a batch bisected when the overtaking pull request stood behind it', () => {
    expect(batchFailed()).toBe('BISECTION_REQUIRED');
    expect(batchFailed({ without: [aMember(8)] })).toBe('BISECTION_REQUIRED');
  });

  test('a failure on a base that another pull request has overtaken has a batch tested again when the overtaking pull request stood ahead and was left out', () => {
    expect(batchFailed({ without: [aMember(8), aMember(7)] })).toBe('OVERTAKEN');
  });

  test('a failure on a base that another pull request has overtaken has a batch tested again when the overtaking pull request is not known', () => {
    expect(batchFailed({ isOvertakerKnown: false })).toBe('OVERTAKEN');
  });

  test('a failure on a base that another pull request has overtaken has a batch tested again whose stack has changed', () => {
    expect(batchFailed({ landed: [1] }, [1])).toBe('OVERTAKEN');
  });

  test('a failure on a base that another pull request has overtaken has a batch in lanes bisected on its stack once that has landed', () => {
    expect(batchFailed({ landed: [1] }, [1], { mode: 'parallel' })).toBe('BISECTION_REQUIRED');
  });
});

describe('a witness of a failure', () => {
  const failed = (witnesses: readonly number[]) =>
    aRunOn([1], { ...failedBy(), witnesses: witnesses.map((pr) => aMember(pr)) });

  test('a witness of a failure is awaited while a run of it includes the failed pull request, also while no test may begin', () => {
    const outcomeOf = (run: TestRun, witness = aTestedSubmission(3)) =>
      decided({
        queue: queueOf({}, { wanted: 'paused' }),
        submissions: [heldBack(1), aTestedSubmission(2), witness],
        runs: [failed([3]), aRunOn([2]), run],
      });
    const requeued = aTestedSubmission(3, { state: 'pending' });

    expect(outcomeOf(aRunOn([1, 2, 3])).pr(1).state).toBe('pending_failure');
    expect(outcomeOf(aRunOn([1, 2, 3], passedBy()), requeued).pr(1).state).toBe('failed');
    const without = outcomeOf(aRunOn([2, 3], { without: [aMember(1)] }));
    expect(without.pr(1).state).toBe('failed');
    expect(without.moves(3)).toEqual([]);
  });

  test('a witness of a failure is not awaited when more pull requests are ahead than one candidate holds', () => {
    const stateOf = (ahead: number) => {
      const numbers = Array.from({ length: ahead }, (_, index) => 1_001 + index);
      const others = numbers.map((pr, index) =>
        aTestedSubmission(pr, { state: 'pending', place: 1 + index }),
      );
      return decided({
        queue: queueOf({ concurrency: 1 }),
        submissions: [
          ...others,
          aTestedSubmission(1, { ...heldBack(1), place: 5_000 }),
          aTestedSubmission(2, { state: 'pending', place: 5_001 }),
        ],
        runs: [failed([2])],
      }).pr(1).state;
    };

    expect(stateOf(STACK_LIMIT - 2)).toBe('pending_failure');
    expect(stateOf(STACK_LIMIT - 1)).toBe('failed');
  });

  test('a witness of a failure has its batch awaited too while that is under test on the failed pull request', () => {
    const called = (run: TestRun) =>
      decided(
        {
          queue: queueOf({ pendingFailureDepth: 3, batch: true }, { wanted: 'paused' }),
          submissions: [heldBack(1), ...[2, 3].map((pr) => aTestedSubmission(pr))],
          runs: [failed([2, 3]), run],
        },
        [configureOf({ settings: { pendingFailureDepth: 1 } })],
      )
        .run(1)
        .witnesses.map(({ pr }) => pr);

    expect(called(aBatchRun([2, 3], [1]))).toEqual([2, 3]);
    expect(called(aBatchRun([2, 3], [], { without: [aMember(1)] }))).toEqual([2]);
    expect(called(aBatchRun([2, 3], [1], { state: 'ended', outcome: 'infrastructure' }))).toEqual([2]);
  });
});

test('a failed batch is bisected on the tip on which it failed', () => {
  const outcome = decided({
    queue: queueOf({ batch: true }, { wanted: 'paused' }),
    submissions: [heldBack(2), heldBack(3, 2)],
    runs: [aBatchRun([2, 3], [], failedBy())],
  });

  expect(outcome.run(2).bisection).toMatchObject({ base: TIP, passed: 0, failed: 2 });
});
