import { effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  builtIn as built,
  failedBatch,
  isolating as given,
  waitingMembers as members,
  partOf as part,
  isolatingQueue as queueOf,
  aWaitingMember as waiting,
} from '../../../test/bisection.js';
import {
  aLanding,
  anEndedCheck,
  asked,
  aTarget,
  decided,
  failedBy,
  NOW,
  OTHER_TIP,
  passedBy,
  TIP,
} from '../../../test/rules.js';
import type { EffectId } from '../../model/ids.js';
import { noTrust, type Queue } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import { defaultPace } from '../draft/context.js';

describe('an inconclusive prefix run', () => {
  const unclear: Partial<TestRun> = { state: 'ended', outcome: 'infrastructure', endedAt: NOW };

  test('an inconclusive prefix run is closed and tested again later', () => {
    const outcome = decided(given(4, { parts: 1 }, [part([1, 2], [], unclear)]));

    expect(outcome.closed(1)).toBe('judged');
    expect(outcome.run(100).bisection).toMatchObject({
      retries: 1,
      retryAt: NOW + 2 * defaultPace.retryDelayMs,
      parts: 1,
    });
    expect(built(outcome)).toEqual([]);
    expect(outcome.decision.wakeAt).toBe(NOW + 2 * defaultPace.retryDelayMs);
    expect(built(decided(given(4, { retries: 1, retryAt: NOW })))).toEqual(['1+2']);
  });

  test('an inconclusive prefix run too often has each member tested alone from then on', () => {
    const spent = { retries: defaultPace.retryLimit };
    const outcome = decided(
      given(4, spent, [part([1, 2], [], unclear)], { queue: queueOf({ concurrency: 4 }) }),
    );

    expect(outcome.closed(100)).toBe('isolation_interrupted');
    expect(outcome.pr(1).alone).toBe(true);
    expect(built(outcome)).toEqual(['1', '1+2', '1+2+3', '1+2+3+4']);
    expect(decided(given(4, spent)).closed(100)).toBeNull();
  });
});

describe('the end of a bisection', () => {
  test('a bisection ends when the tests of a member are restarted, and cleared members stay cleared', () => {
    const passed = [1, 2].map((pr) => waiting(pr, { state: 'tests_passed' }));
    const rest = [waiting(3, { state: 'testing' }), waiting(4)];
    const parts = [part([1, 2], [], passedBy()), part([3], [1, 2])];
    const world = given(4, { passed: 2 }, parts, { submissions: [...passed, ...rest] });
    const outcome = decided(world, [{ ...asked(), type: 'restart_tests', pr: 3 }]);

    expect(outcome.closed(100)).toBe('restarted');
    expect([1, 2].map((pr) => outcome.moves(pr))).toEqual([[], []]);
    expect(outcome.effects('land').map(({ members }) => members.map(({ pr }) => pr))).toEqual([[1, 2]]);
  });

  test('a bisection ends at the limit of test runs, and then each member is tested alone', () => {
    const spent = { parts: defaultPace.bisectionRunLimit };
    const outcome = decided(given(4, spent));

    expect(outcome.closed(100)).toBe('isolation_limit');
    expect(outcome.pr(2).alone).toBe(true);
    expect(decided(given(4, spent, [part([1, 2])])).closed(100)).toBeNull();
    expect(decided(given(4, spent, [part([1, 2], [], passedBy())])).closed(100)).toBe('isolation_limit');
  });

  test('a bisection never uses more test runs than the limit', () => {
    const queue = queueOf({ bisectionConcurrency: 3 });

    expect(built(decided(given(8, { parts: defaultPace.bisectionRunLimit - 1 }, [], { queue })))).toEqual([
      '1+2+3+4',
    ]);
  });

  test('a bisection does not end while the base is broken, and fails no pull request until the queue is set running', () => {
    const statusReason = {
      code: 'BASE_BROKEN',
      sentence: '',
      actor: waiting(1).submittedBy,
      at: NOW,
    } as const;
    const found = (override: Partial<Queue>) =>
      decided(
        given(
          2,
          { failedBy: runIdOf(2), passed: 1 },
          [part([1], [], passedBy()), part([2], [1], failedBy())],
          {
            queue: queueOf({}, override),
          },
        ),
      );

    expect(found({ wanted: 'paused', statusReason }).pr(2).state).toBe('pending');
    expect(found({}).pr(2).state).toBe('failed');
  });

  test('a bisection ends when the tip is not the base of the bisection any more', () => {
    const queue = queueOf({}, { target: aTarget({ head: OTHER_TIP }) });
    const outcome = decided(given(4, {}, [], { queue }));

    expect(outcome.closed(100)).toBe('target_moved');
    expect(outcome.moves(1)).toEqual(['pending>testing CAPACITY_AVAILABLE']);
    expect(built(outcome)).toEqual(['1+2+3+4']);
    expect(outcome.pr(1)).toMatchObject({ alone: false });
  });

  test('a bisection ends when the merge method has changed', () => {
    const outcome = decided(given(4, {}, [], { queue: queueOf({ mergeMethod: 'rebase' }) }));

    expect(outcome.closed(100)).toBe('superseded');
  });

  test('a bisection ends when a member has left, and the others are tested without it', () => {
    const outcome = decided(given(4, {}, [], { submissions: members(4).slice(1) }));

    expect(built(outcome)).toEqual(['2+3+4']);
    expect(outcome.pr(2)).toMatchObject({ reason: 'CAPACITY_AVAILABLE', place: 2, alone: false });
  });

  test('a bisection ends when a member is not ready any more or conflicts with another pull request', () => {
    const aside = waiting(2, {
      asideSince: NOW,
      pull: { ...waiting(2).pull, mergeability: 'not_mergeable' },
    });
    const stood = decided(given(3, {}, [], { submissions: [waiting(1), aside, waiting(3)] }));

    expect(stood.closed(100)).toBe('superseded');
    expect(built(stood)).toEqual(['1+3']);
    expect(stood.pr(2)).toMatchObject({ reason: 'READINESS_LOST', reasonDetail: null });

    const why = { reason: 'CONFLICT_WITH_SUBMISSION_AHEAD', reasonDetail: '#1' } as const;
    const inConflict = waiting(2, { heldBy: waiting(1).id, ...why });
    const held = decided(given(3, {}, [], { submissions: [waiting(1), inConflict, waiting(3)] }));
    expect(held.closed(100)).toBe('superseded');
    expect(built(held)).toEqual(['1+3']);
    expect(held.pr(2)).toMatchObject(why);
    for (const one of [aside, inConflict]) {
      const queue = queueOf({}, { wanted: 'paused' });
      const stopped = decided(given(3, {}, [], { queue, submissions: [waiting(1), one, waiting(3)] }));
      expect(stopped.pr(3)).toMatchObject({ reason: 'PREREQUISITE_MERGE_ITEM_PENDING', reasonDetail: '#2' });
    }
  });

  test('a bisection ends when its old base is known to fail the check by itself, but not once members have passed it there', () => {
    const trust = { ...noTrust(OTHER_TIP), fails: ['build'] };
    const onOld = { base: OTHER_TIP, beside: [{ head: TIP, prs: [7] }] };
    const closed = (passed: number, successes: readonly string[] = []) =>
      decided({
        queue: queueOf({}, { groundTrust: [trust] }),
        submissions: members(4),
        runs: [failedBatch(4, { base: OTHER_TIP, passed, successes }, onOld)],
      }).closed(100);

    expect([closed(0), closed(2, ['test']), closed(2, ['build', 'test'])]).toEqual([
      'superseded',
      'superseded',
      null,
    ]);
  });

  test('a bisection ends when a check is required that passed prefixes did not show, but not while nothing has passed', () => {
    const closed = (passed: number, requiredStatuses: string[]) => {
      const failed = anEndedCheck('failure');
      const run = failedBatch(4, { passed }, { ...failedBy(failed), checks: [failed] });
      return decided({
        queue: queueOf({ requiredStatuses }),
        submissions: members(4),
        runs: [run],
      }).closed(100);
    };

    expect(closed(2, ['build', 'audit'])).toBe('superseded');
    expect([closed(0, ['build', 'audit']), closed(2, ['build'])]).toEqual([null, null]);
  });

  test('a bisection does not end for a run that a landing depends on', () => {
    const cleared = part([1], [], passedBy());
    const queue = queueOf({ mergeMethod: 'rebase' }, { landing: aLanding(cleared) });
    const submissions = [waiting(1, { state: 'tests_passed' }), waiting(2), waiting(3)];
    const ended = (runs: readonly TestRun[], underWay: readonly EffectId[]) =>
      decided({ queue, submissions, runs, underWay }).closed(1);
    const looking = [failedBatch(3, { passed: 1 }), cleared];

    expect(ended(looking, [effectIdOf(1)])).toBeNull();
    expect(ended([cleared], [effectIdOf(1)])).toBeNull();
    expect(ended([cleared], [])).toBe('isolated');
  });

  test('a bisection keeps the members that have been cleared by then', () => {
    const outcome = decided(
      given(4, { passed: 2 }, [part([1, 2], [], passedBy())], {
        submissions: [
          waiting(1, { state: 'tests_passed' }),
          waiting(2, { state: 'tests_passed' }),
          waiting(4),
        ],
      }),
    );

    expect([1, 2].map((pr) => outcome.pr(pr).state)).toEqual(['tests_passed', 'tests_passed']);
    expect(outcome.closed(1)).toBeNull();
  });
});
