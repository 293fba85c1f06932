import { aClosedRun, anActor, aQueue, aSubmission, aTargetBook, effectIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  asked,
  aTestedSubmission,
  configureOf,
  decided,
  NOW,
} from '../../../../test/rules.js';
import { commitMessage } from '../../../model/commit-message.js';
import type { DeleteQueue, SetImpactedTargets } from '../../../model/input.js';

const upload = (override: Partial<SetImpactedTargets> = {}): SetImpactedTargets => ({
  ...asked(),
  type: 'set_impacted_targets',
  pr: 1,
  head: shaOf(0xa001),
  targets: ['b', 'a', 'b'],
  source: 'trusted',
  ...override,
});
const remove = (): DeleteQueue => ({ ...asked(), type: 'delete_queue' });

describe('configuring a queue', () => {
  test('configuring a queue changes the named settings, counts the change and records it', () => {
    const outcome = decided({}, [configureOf({ settings: { concurrency: 5, batch: false } })]);

    expect(outcome.queue).toMatchObject({
      settingsVersion: 2,
      settings: { concurrency: 5, batch: false, mergeMethod: 'squash' },
    });
    expect(outcome.decision.writes.history).toStrictEqual([
      {
        type: 'configured',
        actor: anActor,
        settings: { concurrency: 5 },
        wanted: null,
        sequence: 1,
        at: NOW,
        settingsVersion: 2,
      },
    ]);
    expect(outcome.result).toMatchObject({
      ok: true,
      submission: null,
      queue: { settings: { concurrency: 5 } },
    });
  });

  test('configuring a queue is recorded after the first row of a queue, which names its creator and all settings', () => {
    const queue = aQueue({ createdBy: anActor, wanted: 'paused' });
    const first = decided({ queue }, [configureOf({ settings: { concurrency: 5 } })]);

    expect(first.decision.writes.history).toMatchObject([
      {
        type: 'configured',
        sequence: 1,
        actor: anActor,
        settings: queue.settings,
        wanted: 'paused',
        settingsVersion: 1,
      },
      { type: 'configured', sequence: 2, settings: { concurrency: 5 }, settingsVersion: 2 },
    ]);
    expect(
      decided({ queue: first.queue }, [configureOf({ wanted: 'running' })]).decision.writes.history,
    ).toMatchObject([{ sequence: 3, settings: {}, wanted: 'running' }]);
  });

  test('configuring a queue is the first row of a queue whose creator is not known', () => {
    const outcome = decided({ queue: aQueue({ createdBy: null }) }, [
      configureOf({ settings: { concurrency: 5 } }),
    ]);
    expect(outcome.decision.writes.history).toMatchObject([{ sequence: 1, settings: { concurrency: 5 } }]);
  });

  test('configuring a queue does not count unchanged values as a change, lists included', () => {
    const queue = aQuietQueue({ requiredStatuses: ['a'] });

    expect(
      decided({ queue }, [configureOf({ settings: { requiredStatuses: ['a'], concurrency: 1 } })]).queue
        .settingsVersion,
    ).toBe(1);
    expect(
      decided({ queue }, [configureOf({ settings: { requiredStatuses: ['b'] } })]).queue.settingsVersion,
    ).toBe(2);
  });

  test.each([
    ['paused', 'No reason was given.'],
    ['draining', 'No reason was given.'],
    ['running', 'It was set running.'],
  ] as const)('configuring a queue sets the queue %s and records who asked and why', (wanted, sentence) => {
    const before = { queue: aQuietQueue({}, { wanted: wanted === 'running' ? 'paused' : 'running' }) };
    const { queue } = decided(before, [configureOf({ wanted })]);

    expect(queue).toMatchObject({
      wanted,
      statusReason: { code: 'ASKED_FOR', sentence, actor: anActor, at: NOW },
    });
    expect(decided({}, [configureOf({ wanted, stateReason: 'Release.' })]).queue.statusReason?.sentence).toBe(
      'Release.',
    );
  });

  test('configuring a queue keeps the given reason when the current status is asked for again', () => {
    const statusReason = { code: 'TREE_MISMATCH', sentence: 'Look.', actor: anActor, at: NOW - 1 } as const;
    const given = { queue: aQuietQueue({}, { wanted: 'paused', statusReason }) };

    expect(decided(given, [configureOf({ wanted: 'paused' })]).queue.statusReason).toEqual(statusReason);
    const asked = {
      queue: aQuietQueue({}, { wanted: 'paused', statusReason: { ...statusReason, code: 'ASKED_FOR' } }),
    };
    expect(decided(asked, [configureOf({ wanted: 'paused' })]).queue.statusReason?.sentence).toBe('Look.');
    expect(decided(asked, [configureOf({ stateReason: 'Seen.' })]).queue.statusReason?.sentence).toBe(
      'Seen.',
    );
    expect(decided(asked, [configureOf({ stateReason: 'Look.' })]).queue.statusReason?.at).toBe(NOW - 1);
  });

  test('configuring a queue keeps status and reason without a wanted status', () => {
    expect(decided({}, [configureOf({ settings: { concurrency: 2 } })]).queue).toMatchObject({
      wanted: 'running',
      statusReason: null,
    });
  });

  test('another mode waits for tests under way, and the current mode is no change', () => {
    const given = { submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] };

    const changing = decided(given, [configureOf({ settings: { mode: 'parallel' } })]);
    expect(changing.queue).toMatchObject({ nextMode: 'parallel', settings: { mode: 'single' } });
    expect(changing.decision.writes.history[0]).toMatchObject({ settings: { mode: 'parallel' } });
    expect(decided(given, [configureOf({ settings: { mode: 'single' } })]).queue.nextMode).toBeNull();
  });

  test('asking for the current mode cancels a pending change of mode', () => {
    const given = {
      queue: aQuietQueue({}, { nextMode: 'parallel' }),
      submissions: [aTestedSubmission(1)],
      runs: [aRunOn([1])],
    };

    const calledOff = decided(given, [configureOf({ settings: { mode: 'single' } })]);
    expect([calledOff.refusal, calledOff.queue.nextMode]).toEqual([null, null]);
    const again = decided(given, [configureOf({ settings: { mode: 'parallel' } })]);
    expect([again.refusal, again.queue.nextMode]).toEqual([null, 'parallel']);
    expect(decided(given, [configureOf({ settings: { concurrency: 2 } })]).queue.nextMode).toBe('parallel');
  });

  test('only a pause withdraws a landing that has not started', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const given = { queue: aQuietQueue({}, { landing }), submissions: [one], runs: [run] };

    expect(decided(given, [configureOf({ wanted: 'paused' })]).decision.withdraw).toEqual([effectIdOf(1)]);
    expect(decided(given, [configureOf({ wanted: 'draining' })]).decision.withdraw).toEqual([]);
    const held = decided({ ...given, underWay: [effectIdOf(1)] }, [configureOf({ wanted: 'paused' })]);
    expect(held.queue).toMatchObject({ wanted: 'paused', landing });
  });

  test('changed required checks withdraw a landing that was proven by the old ones', () => {
    const [one, run] = aPassed([1]);
    const landing = aLanding(run);
    const given = { queue: aQuietQueue({}, { landing }), submissions: [one], runs: [run] };

    const outcome = decided(given, [configureOf({ settings: { requiredStatuses: ['audit'] } })]);
    expect(outcome.decision.withdraw).toEqual([effectIdOf(1)]);
    expect(outcome.moves(1)[0]).toBe('tests_passed>pending REQUIRED_STATUSES_CHANGED');
    expect(decided(given, [configureOf({ settings: { concurrency: 2 } })]).decision.withdraw).toEqual([]);
    const pinned = configureOf({
      settings: { requiredStatuses: ['build'] },
      requiredStatusesSource: 'queue',
    });
    expect(decided(given, [pinned]).queue.landing?.terms).toMatchObject({
      settingsVersion: 2,
      required: { source: 'merge_instance' },
    });
  });

  test('a changed merge method withdraws a landing that was built by the old one', () => {
    const [one, run] = aPassed([1]);
    const given = { queue: aQuietQueue({}, { landing: aLanding(run) }), submissions: [one], runs: [run] };

    expect(decided(given, [configureOf({ settings: { mergeMethod: 'rebase' } })]).decision.withdraw).toEqual([
      effectIdOf(1),
    ]);
  });

  test('a changed merge method gives pull requests that keep their place the commit message of that method', () => {
    const waiting = aTestedSubmission(1, { retryAt: NOW });
    const [effect] = decided({ submissions: [waiting] }, [
      configureOf({ settings: { mergeMethod: 'merge_commit' } }),
    ]).effects('build_candidate');

    expect(effect).toMatchObject({ method: 'merge_commit', parts: [{ pr: 1 }] });
    expect(effect?.parts[0]?.message).toEqual(commitMessage(waiting.pull, 'merge_commit'));
    expect(effect?.parts[0]?.message).not.toEqual(waiting.message);
  });
});

describe('uploading impacted targets', () => {
  const set = { head: shaOf(0xa001), targets: ['a', 'b'], source: 'trusted', at: NOW };

  test('an upload of impacted targets stores and answers an upload also for a pull request that is not in the queue', () => {
    const outcome = decided({}, [upload()]);

    expect(outcome.decision.writes.targets).toEqual([{ pr: 1, sets: [set] }]);
    expect(outcome.result).toMatchObject({ ok: true, submission: null, targets: set });
    expect(outcome.decision.writes.history).toMatchObject([
      { type: 'commanded', command: 'set_impacted_targets', pr: 1 },
    ]);
  });

  test('an upload of impacted targets adds to earlier uploads, known or recalled', () => {
    const recalled = { submissions: [], targets: [aTargetBook(1)] };

    expect(
      decided({}, [upload({ source: 'fork' })], { recalled }).decision.writes.targets[0]?.sets,
    ).toHaveLength(2);
    const live = { submissions: [aSubmission(1)], targets: [aTargetBook(1)] };
    expect(decided(live, [upload({ source: 'fork' })]).decision.writes.targets[0]?.sets).toHaveLength(2);
  });

  test('an upload of impacted targets never removes the upload for the head that is in the queue', () => {
    const uploads = [1, 2, 3, 4, 5, 6].map((n) => upload({ head: shaOf(n) }));
    const outcome = decided(
      {
        queue: aQuietQueue({}, { wanted: 'paused' }),
        submissions: [aSubmission(1)],
        targets: [aTargetBook(1)],
      },
      uploads,
    );

    expect(outcome.decision.writes.targets[0]?.sets.map((one) => one.head)).toContain(aSubmission(1).head);
  });

  test('an upload of impacted targets for another head does not change the targets of the queued one', () => {
    const waiting = aSubmission(1, { state: 'not_ready', admittedAt: null });
    const outcome = decided({ queue: aQuietQueue({ mode: 'parallel' }), submissions: [waiting] }, [
      upload({ head: shaOf(5) }),
    ]);

    expect(outcome.decision.writes.targets[0]?.sets).toEqual([{ ...set, head: shaOf(5) }]);
    expect(outcome.pr(1).state).toBe('not_ready');
  });

  test('an upload of impacted targets admits a pull request that waited for its targets', () => {
    const waiting = aSubmission(1, { state: 'not_ready', admittedAt: null });

    expect(
      decided({ queue: aQuietQueue({ mode: 'parallel' }), submissions: [waiting] }, [upload()]).moves(1)[0],
    ).toBe('not_ready>pending MERGE_ITEM_NOW_READY');
  });
});

describe('deleting a queue', () => {
  test('deleting a queue marks the queue as deleted and closes its remaining runs', () => {
    const outcome = decided({ runs: [aRunOn([1])] }, [remove()]);

    expect(outcome.queue.deletedAt).toBe(NOW);
    expect(outcome.closed(1)).toBe('queue_deleted');
    expect(outcome.decision.writes.history[0]).toMatchObject({
      type: 'commanded',
      command: 'delete_queue',
      pr: null,
    });
    expect(outcome.decision.writes.runs).not.toContainEqual(aClosedRun(1));
  });

  test('deleting a queue is refused while pull requests are in the queue, and names a limited number of them', () => {
    const one = aSubmission(1, { state: 'not_ready' });
    const many = Array.from({ length: 21 }, (_, index) => aSubmission(index + 1));
    const paused = aQuietQueue({}, { wanted: 'paused' });

    expect(decided({ queue: paused, submissions: [one] }, [remove()]).result).toEqual({
      ok: false,
      refusal: {
        code: 'QUEUE_NOT_EMPTY',
        detail: 'Still in the queue: #1.',
        prs: { numbers: [1], count: 1 },
      },
    });
    const { result } = decided({ queue: paused, submissions: many }, [remove()]);
    expect(result).toMatchObject({ refusal: { detail: expect.stringMatching(/#19, #20 and 1 more\.$/) } });
  });

  test('deleting a queue refuses a later command in the same decision, because the queue no longer exists', () => {
    const { decision } = decided({}, [remove(), configureOf({}), remove()]);

    expect(decision.answers.map(({ result }) => result.ok || result.refusal.code)).toEqual([
      true,
      'QUEUE_NOT_FOUND',
      'QUEUE_NOT_FOUND',
    ]);
  });
});
