import { aSubmission, runIdOf } from '@mq/testkit';
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
  aLanding,
  aPassed,
  aTarget,
  decided,
  failedBy,
  type Outcome,
  passedBy,
} from '../../../test/rules.js';
import { noTrust } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import { STACK_LIMIT } from '../line/positions.js';

const off = { optimizationMode: 'off' } as const;
const numbered = (ordinal: number, outcome: Partial<TestRun>): Partial<TestRun> => ({
  ...outcome,
  id: runIdOf(ordinal),
});
const cleared = (prs: readonly number[]) => prs.map((pr) => waiting(pr, { state: 'tests_passed' }));
/** The run in the reason of each pass. */
const passes = (outcome: Outcome) =>
  outcome.decision.writes.history.flatMap((row) =>
    row.type === 'moved' && row.to === 'tests_passed' ? [[row.pr, row.runId]] : [],
  );

describe('several prefix runs', () => {
  test('the longest passed prefix run proves its members, and a shorter one is closed', () => {
    const [short, long] = [part([1], [], passedBy()), part([1, 2], [], numbered(2, passedBy()))];
    const outcome = decided(given(4, {}, [short, long]));

    expect(passes(outcome)).toEqual([
      [1, long.id],
      [2, long.id],
    ]);
    expect([outcome.closed(1), outcome.closed(2)]).toEqual(['isolated', null]);
  });

  test('a pass outweighs a failure of the same prefix', () => {
    const [long, short] = [part([1, 2], [], numbered(12, failedBy())), part([2], [1], passedBy())];
    const outcome = decided(given(4, { passed: 1 }, [long, short]));

    expect(outcome.run(100).bisection).toMatchObject({ passed: 2, failed: 4, failedBy: runIdOf(100) });
    expect(passes(outcome)).toEqual([
      [1, short.id],
      [2, short.id],
    ]);
    expect([outcome.closed(12), outcome.closed(2)]).toEqual(['isolated', null]);
    expect(built(outcome)).toEqual(['1+2+3']);
  });

  test('the shortest failed prefix bounds the search, whichever was started first', () => {
    const [short, long] = [part([1, 2], [], failedBy()), part([4], [1, 2, 3], numbered(4, failedBy()))];
    for (const parts of [
      [short, long],
      [long, short],
    ]) {
      const outcome = decided(given(8, {}, parts));

      expect(outcome.run(100).bisection).toMatchObject({ passed: 0, failed: 2, failedBy: short.id });
      expect([outcome.closed(1), outcome.closed(4)]).toEqual([null, 'isolated']);
    }
  });

  test('of two failed prefixes with the same end the run with fewer members counts, whichever was started first', () => {
    const [less, more] = [part([3, 4], [1, 2], failedBy()), part([1, 2, 3, 4], [], numbered(14, failedBy()))];
    for (const parts of [
      [less, more],
      [more, less],
    ]) {
      const outcome = decided(given(8, { passed: 2, failed: 4, failedBy: more.id }, parts));

      expect(outcome.run(100).bisection).toMatchObject({ passed: 2, failed: 4, failedBy: less.id });
      expect([outcome.closed(3), outcome.closed(14)]).toEqual([null, 'isolated']);
    }
  });

  test('an inconclusive prefix run does not bound the search', () => {
    const unclear = part([1, 2], [], { state: 'ended', outcome: 'cancelled', id: runIdOf(12) });
    const failedPart = part([1, 2, 3, 4], [], failedBy());
    const outcome = decided(given(8, { failed: 4, failedBy: failedPart.id }, [failedPart, unclear]));

    expect(outcome.run(100).bisection).toMatchObject({ failed: 4, failedBy: failedPart.id, retries: 1 });
    expect(outcome.closed(12)).toBe('judged');
  });

  test('the queue closes a running prefix run that could only show what has passed already', () => {
    const parts = [part([1, 2], [], numbered(12, passedBy())), part([2], [1])];

    expect(decided(given(4, { passed: 2 }, parts)).closed(2)).toBe('isolated');
  });

  test('each prefix run counts towards the limit', () => {
    const queue = queueOf({ bisectionConcurrency: 3 });
    const outcome = decided(given(8, { parts: 4, retryAt: 1 }, [], { queue }));

    expect(built(outcome)).toEqual(['1+2', '1+2+3+4', '1+2+3+4+5+6']);
    expect(outcome.run(100).bisection).toMatchObject({ parts: 7, retryAt: null });
  });
});

describe('members that a prefix run clears', () => {
  test('members that a prefix run clears may be stacked on members of the batch that were cleared before', () => {
    const submissions = [...cleared([1, 2]), waiting(3, { state: 'testing' }), waiting(4)];
    const parts = [part([1, 2], [], numbered(12, passedBy())), part([3], [1, 2], passedBy())];
    const outcome = decided(given(4, { passed: 2 }, parts, { submissions }));

    expect(outcome.moves(3)).toEqual(['testing>tests_passed TEST_RUN_PASSED']);
  });

  test('members that a prefix run clears are cleared only by a passed prefix run that is still open', () => {
    const longer = part([1, 2, 3], [], failedBy());
    const submissions = [waiting(1), waiting(2), waiting(3, { state: 'testing' }), waiting(4)];
    const outcome = decided(given(4, { passed: 2 }, [longer], { submissions }));

    expect(passes(outcome)).toEqual([]);
  });

  test.each(['single', 'parallel'] as const)(
    'members that a prefix run clears are not cleared while more pull requests are ahead than one candidate holds, in %s mode',
    (mode) => {
      const urgent = Array.from({ length: STACK_LIMIT }, (_, index) =>
        aSubmission(1_000 + index, { skipTheLine: true }),
      );
      const patch = { queue: queueOf({ mode }), submissions: [...members(4), ...urgent] };

      expect(decided(given(4, {}, [part([1, 2], [], passedBy())], patch)).moves(1)).toEqual([]);
    },
  );
});

describe('the member left between the longest passed and the shortest failed prefix', () => {
  test('the member left between the longest passed and the shortest failed prefix fails on a base of which nothing is known, once a prefix of the batch has passed on it', () => {
    const queue = queueOf({}, { tipTrust: noTrust(aTarget().head) });
    const first = decided(given(2, { failed: 1 }, [part([1], [], failedBy())], { queue }));
    const second = decided(given(2, {}, [part([1], [], passedBy())], { queue }));

    expect(first.effects('build_candidate')).toMatchObject([{ parts: [] }]);
    expect(first.pr(1).state).toBe('pending');
    expect(second.moves(2)).toEqual(['pending>failed TEST_RUN_FAILED_BY_OPTIMIZATION']);
  });
});

describe('the last member of a failed batch that may not be inferred', () => {
  const rest = [part([1, 2], [], numbered(12, passedBy())), part([1, 2, 3], [], numbered(13, failedBy()))];
  const world = (patch = {}) => given(4, { passed: 2 }, rest, { queue: queueOf(off), ...patch });

  test('the last member of a failed batch that may not be inferred is tested by itself once a slot is free', () => {
    const other = part([11], [], { purpose: { kind: 'isolate', failed: runIdOf(77) } });
    const known = failed(4, { passed: 2, failed: 3, failedBy: runIdOf(13) });
    const busy = [known, ...rest, failed(9, {}, { id: runIdOf(77) }), other];

    expect(built(decided(world()))).toEqual(['1+2+3']);
    const waits = decided(world({ runs: busy }));
    expect(built(waits)).toEqual([]);
    expect(waits.decision.writes.runs.map(({ id }) => id)).not.toContain(runIdOf(100));
  });

  test('the last member of a failed batch that may not be inferred is tested up to a member that asked to be tested alone first', () => {
    const alone = [waiting(1), waiting(2), waiting(3), waiting(4, { noBatch: true })];
    const runs = [failed(4, { passed: 2 }), part([1, 2], [], numbered(12, passedBy()))];

    expect(built(decided(world({ runs, submissions: alone })))).toEqual(['1+2+3']);
    expect(built(decided(world({ runs })))).toEqual(['1+2+3+4']);
  });
});

describe('a member that asks to be tested alone', () => {
  const world = (size: number, alone: number, passed = 0) =>
    given(size, { passed }, passed === 0 ? [] : [part([1, 2], [], numbered(12, passedBy()))], {
      submissions: members(size).map((one) => (one.pr === alone ? { ...one, noBatch: true } : one)),
    });

  test('a member that asks to be tested alone ends the next prefix, before it or behind it', () => {
    expect(built(decided(world(8, 4)))).toEqual(['1+2+3']);
    expect(built(decided(world(8, 3)))).toEqual(['1+2']);
    expect(built(decided(world(8, 1)))).toEqual(['1']);
  });

  test('a member that asks to be tested alone does not affect later prefixes once it has been cleared', () => {
    expect(built(decided(world(8, 1, 2)))).toEqual(['1+2+3+4+5']);
  });
});

describe('a prefix run', () => {
  test('a prefix run leaves out no pull request, and uses the checks that are required now', () => {
    const asked = (requiredChecks: readonly string[] | null) =>
      decided(
        given(4, {}, [], { queue: queueOf({}, { target: aTarget({ requiredChecks }) }) }),
      ).decision.writes.runs.find(({ purpose }) => purpose.kind === 'isolate');

    expect(asked(['build', 'lint'])).toMatchObject({ without: [], requiredChecks: ['build', 'lint'] });
    expect(asked(null)).toMatchObject({ requiredChecks: ['build'] });
  });

  test('a prefix run is closed when a member of the batch has left, whatever else is being landed', () => {
    const [nine, run9] = aPassed([9]);
    const landing = aLanding(run9);
    const outcome = decided(
      given(4, {}, [], {
        queue: queueOf({}, { landing }),
        submissions: [nine, ...members(4).slice(1)],
        runs: [run9, part([1, 2])],
        underWay: [landing.effectId],
      }),
    );

    expect(outcome.closed(1)).toBe('isolated');
    expect(outcome.queue.landing).toEqual(landing);
  });
});
