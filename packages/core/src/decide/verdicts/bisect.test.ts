import { aCandidate, aMember, aSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  builtIn as built,
  failedBatch as failed,
  isolating as given,
  waitingMembers as members,
  partOf as part,
  isolatingQueue as queueOf,
  aWaitingMember as waiting,
} from '../../../test/bisection.js';
import {
  aBatchRun,
  aLanding,
  anEndedCheck,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  passedBy,
  TIP,
} from '../../../test/rules.js';
import type { TestRun } from '../../model/run.js';

describe('a failed batch', () => {
  test('a failed batch is bisected on its base when a known pull request has landed beside it, and else tested again', () => {
    const reasonAfter = (overtaken: Partial<TestRun>) => {
      const run = aBatchRun([1, 2], [], { ...failedBy(), ...overtaken });
      const [one, two] = [1, 2].map((pr) => aTestedSubmission(pr, { batch: 1, state: 'pending_failure' }));
      return decided({ queue: queueOf(), submissions: [one!, two!], runs: [run] }).moves(2)[0];
    };

    expect(reasonAfter({ overtakenBy: 7, isOvertakerKnown: true })).toContain('BISECTION_REQUIRED');
    expect(reasonAfter({ overtakenBy: 7, isOvertakerKnown: false })).toContain('OVERTAKEN');
    const stacked = { stack: [aMember(9)], landed: [9], candidate: aCandidate([9, 1, 2]), onto: TIP };
    expect(reasonAfter({ ...stacked, overtakenBy: 7, isOvertakerKnown: true })).toContain('OVERTAKEN');
    const without = [aMember(7)];
    expect(reasonAfter({ overtakenBy: 7, isOvertakerKnown: true, without })).toContain('OVERTAKEN');
  });

  test('a failed batch that was overtaken meanwhile is bisected by overtaken prefix runs', () => {
    const overtaken = { overtakenBy: 7, isOvertakerKnown: true };
    const outcome = decided(given(4, {}, [], { runs: [failed(4, {}, overtaken)] }));
    const parts = outcome.decision.writes.runs.filter(({ purpose }) => purpose.kind === 'isolate');

    expect(parts).toMatchObject([overtaken]);
  });

  test('a failed batch is bisected at once, from its beginning, in bisection slots', () => {
    const run = aBatchRun([1, 2, 3, 4], [], {
      state: 'testing',
      checks: [anEndedCheck('failure')],
      startedChecks: ['build'],
    });
    const outcome = decided({
      queue: queueOf({ concurrency: 1 }),
      submissions: [1, 2, 3, 4].map((pr) => aTestedSubmission(pr, { batch: 1 })),
      runs: [run],
    });

    expect(built(outcome)).toEqual(['1+2']);
    expect(outcome.run(1).bisection).toMatchObject({
      base: TIP,
      passed: 0,
      failed: 4,
      failedBy: run.id,
      parts: 1,
    });
    expect(outcome.moves(1)).toEqual([
      'testing>pending_failure TEST_RUN_REQUIRED_STATUS_FAILED',
      'pending_failure>pending BISECTION_REQUIRED',
      'pending>testing BISECTION_TEST_STARTED',
    ]);
    expect(outcome.pr(4)).toMatchObject({ state: 'pending', place: 4, batch: 1 });
  });

  test('a failed batch is divided by more prefixes when more slots are free, by three at most', () => {
    const slots = (bisectionConcurrency: number) =>
      built(decided(given(8, {}, [], { queue: queueOf({ bisectionConcurrency }) })));

    expect(slots(1)).toEqual(['1+2+3+4']);
    expect(slots(2)).toEqual(['1+2+3', '1+2+3+4+5']);
    expect(slots(3)).toEqual(['1+2', '1+2+3+4', '1+2+3+4+5+6']);
    expect(slots(9)).toHaveLength(3);
  });

  test('a failed batch has as many bisection slots as the line has slots by default', () => {
    expect(built(decided(given(8, {}, [], { queue: queueOf({ bisectionConcurrency: null }) })))).toHaveLength(
      2,
    );
  });

  test('a failed batch starts no further prefix run while one is under test', () => {
    expect(
      built(decided(given(8, {}, [part([1, 2])], { queue: queueOf({ bisectionConcurrency: 3 }) }))),
    ).toEqual([]);
  });

  test('a failed batch ignores prefix runs of another batch', () => {
    const other = part([11, 12], [], { purpose: { kind: 'isolate', failed: runIdOf(77) } });
    const outcome = decided(given(8, {}, [other], { queue: queueOf({ bisectionConcurrency: 3 }) }));

    expect(built(outcome)).toEqual(['1+2+3', '1+2+3+4+5']);
    expect(outcome.run(11)).toEqual(other);
  });

  test.each([
    ['paused', 0],
    ['draining', 1],
  ] as const)('a failed batch is bisected while the queue is %s by %i prefix runs', (wanted, count) => {
    expect(built(decided(given(4, {}, [], { queue: queueOf({}, { wanted }) })))).toHaveLength(count);
  });

  test('a failed batch does not block others, which are tested without it', () => {
    const outcome = decided(given(4, {}, [part([1, 2])], { submissions: [...members(4), aSubmission(5)] }));

    expect(built(outcome)).toEqual(['5']);
  });
});

describe('the result of a prefix run', () => {
  test('a pass clears all its members, and the search continues behind it', () => {
    const outcome = decided(given(4, {}, [part([1, 2], [], passedBy())]));

    expect([1, 2, 3].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed', 'testing']);
    expect(outcome.moves(1)).toEqual(['pending>tests_passed TEST_RUN_PASSED']);
    expect(outcome.run(100).bisection).toMatchObject({ passed: 2, failed: 4, failedBy: runIdOf(100) });
    expect(built(outcome)).toEqual(['1+2+3']);
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1, 2]]);
  });

  test('a failure shows that it includes the culprit, and those behind wait', () => {
    const outcome = decided(given(4, {}, [part([1, 2], [], failedBy())]));

    expect(outcome.run(100).bisection).toMatchObject({ passed: 0, failed: 2, failedBy: runIdOf(1) });
    expect(built(outcome)).toEqual(['1']);
    expect([1, 2, 3].map((pr) => outcome.pr(pr).state)).toEqual(['testing', 'pending', 'pending']);
  });

  test('a failure of a single member fails that one, and the others are tested again without it', () => {
    const outcome = decided(given(4, { failed: 2, failedBy: runIdOf(9) }, [part([1], [], failedBy())]));

    expect(outcome.moves(1)).toEqual(['pending>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
    expect(outcome.pr(1).failedRunId).toBe(runIdOf(1));
    expect(outcome.closed(100)).toBe('member_left');
    expect(built(outcome)).toEqual(['2+3+4']);
    expect([2, 3, 4].map((pr) => outcome.pr(pr).place)).toEqual([2, 3, 4]);
  });

  test('a pass up to the last member fails that one without a test of its own', () => {
    const outcome = decided(given(2, {}, [part([1], [], passedBy())]));

    expect(outcome.moves(2)).toEqual(['pending>failed TEST_RUN_FAILED_BY_OPTIMIZATION']);
    expect(outcome.pr(2).failedRunId).toBe(runIdOf(100));
    expect(outcome.pr(1).state).toBe('tests_passed');
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1]]);
  });

  test('a pass up to the last member has that one tested when results may not be inferred', () => {
    const queue = queueOf({ optimizationMode: 'off' });
    const outcome = decided(given(2, {}, [part([1], [], passedBy())], { queue }));

    expect(outcome.pr(2).state).toBe('testing');
    expect(built(outcome)).toEqual(['1+2']);
    const retested = decided(
      given(2, { passed: 1 }, [part([1], [], passedBy()), part([2], [1], failedBy())], { queue }),
    );
    expect(retested.moves(2)).toEqual(['pending>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
  });

  test('a pass of all members fails none, and each is tested alone from then on', () => {
    const outcome = decided(
      given(2, { passed: 1 }, [part([1], [], passedBy()), part([2], [1], passedBy())], {
        queue: queueOf({ optimizationMode: 'off' }, { wanted: 'draining' }),
        submissions: [waiting(1, { state: 'tests_passed' }), waiting(2, { state: 'testing' })],
      }),
    );

    expect(outcome.closed(100)).toBe('isolation_inconclusive');
    expect([1, 2].map((pr) => outcome.pr(pr).state)).not.toContain('failed');
    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'testing']);
    expect(outcome.pr(2)).toMatchObject({ alone: true, place: 2 });
  });

  test('a pass outweighs a failure of a shorter prefix', () => {
    const outcome = decided(
      given(4, { failed: 1, failedBy: runIdOf(1) }, [
        part([1], [], failedBy()),
        part([1, 2], [], { ...passedBy(), id: runIdOf(2) }),
      ]),
    );

    expect(outcome.pr(1).state).toBe('tests_passed');
    expect(outcome.run(100).bisection).toMatchObject({ passed: 2, failed: 4, failedBy: runIdOf(100) });
    expect(outcome.closed(1)).toBe('isolated');
  });

  test('a shorter prefix run is closed once a longer one has passed', () => {
    const outcome = decided(
      given(8, { parts: 2 }, [part([1, 2]), part([1, 2, 3, 4], [], { ...passedBy(), id: runIdOf(4) })]),
    );

    expect(outcome.closed(1)).toBe('isolated');
    expect(outcome.pr(1).state).toBe('tests_passed');
  });

  test('a longer prefix run is closed once a shorter one has failed, and its members wait', () => {
    const submissions = [1, 2, 3, 4]
      .map((pr) => waiting(pr, { state: 'testing' }))
      .concat([5, 6, 7, 8].map((pr) => waiting(pr)));
    const outcome = decided(
      given(8, { parts: 2 }, [part([1, 2], [], failedBy()), part([1, 2, 3, 4], [], { id: runIdOf(4) })], {
        submissions,
      }),
    );

    expect(outcome.closed(4)).toBe('isolated');
    expect(outcome.moves(4)).toEqual(['testing>pending BISECTION_REQUIRED']);
    expect(built(outcome)).toEqual(['1']);
  });

  test('the prefix run that proves the passed members is kept until they have landed', () => {
    const outcome = decided(given(8, { parts: 2 }, [part([1, 2], [], passedBy())]));

    expect(outcome.closed(1)).toBeNull();
  });

  test('a prefix run that proves what is being landed is kept, although a longer one has passed', () => {
    const [short, long] = [
      part([1, 2], [], passedBy()),
      part([1, 2, 3, 4], [], { ...passedBy(), id: runIdOf(4) }),
    ];
    const composed = aBatchRun([1, 2], [], {
      ...passedBy(),
      id: runIdOf(70),
      purpose: { kind: 'compose', vouchers: [short.id] },
    });
    const landing = aLanding(composed, {
      members: short.batch.map((member) => ({ ...member, verifiedBy: short.id })),
    });
    const outcome = decided(
      given(8, { parts: 2 }, [short, long, composed], {
        queue: queueOf({}, { landing }),
        underWay: [landing.effectId],
      }),
    );

    expect(outcome.run(100).bisection?.passed).toBe(4);
    expect(outcome.closed(1)).toBeNull();
  });
});

test('members cleared on a base that others have overtaken wait for the rest', () => {
  const outcome = decided(
    given(4, {}, [part([1, 2], [], { ...passedBy(), overtakenBy: 7 })], {
      runs: [failed(4, {}, { overtakenBy: 7 }), part([1, 2], [], { ...passedBy(), overtakenBy: 7 })],
    }),
  );

  expect(outcome.pr(1).state).toBe('pending');
  expect(outcome.moves(1)).toEqual([]);
  expect(outcome.run(100).bisection?.passed).toBe(2);
  expect(built(outcome)).toEqual(['1+2+3']);
});

test('cleared members wait for an urgent pull request that has come ahead of them', () => {
  const urgent = aSubmission(9, { skipTheLine: true });
  const outcome = decided(
    given(4, {}, [part([1, 2], [], passedBy())], { submissions: [...members(4), urgent] }),
  );

  expect(outcome.moves(1)).toEqual([]);
  expect(outcome.closed(1)).toBe('isolated');
  expect(outcome.effects('land')).toEqual([]);
});

test('a prefix run is built on what has landed of its batch, and holds the other members that passed', () => {
  const [, , three, four] = members(4);
  const landed = { landed: [1, 2], onto: aCandidate([1, 2]).commit, bisection: null };
  const run = failed(4, {}, { ...landed });
  const isolated: TestRun = {
    ...run,
    bisection: { ...failed(4).bisection!, base: aCandidate([1, 2]).commit, passed: 2 },
  };
  const outcome = decided({
    queue: queueOf({}, { target: aTarget({ head: aCandidate([1, 2]).commit }) }),
    submissions: [three!, four!],
    runs: [isolated],
  });

  expect(outcome.effects('build_candidate')).toMatchObject([
    { base: aCandidate([1, 2]).commit, parts: [{ pr: 3 }] },
  ]);
});
