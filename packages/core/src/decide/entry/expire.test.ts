import { aCheck, anActor, aPullRequest, aSubmission, effectIdOf, inputIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aDraft,
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  configureOf,
  decided,
  NOW,
  touching,
} from '../../../test/rules.js';
import type { PullRequest } from '../../model/pull-request.js';
import type { TestRun } from '../../model/run.js';
import { defaultPace } from '../draft/context.js';
import { deadlineOf, expire, isQueuedOnly, readyByOf } from './expire.js';

const HOUR = 3_600_000;
const running = aCheck({ status: 'running', conclusion: null, runId: aRunOn([1]).id });
const tested = (override: Partial<TestRun>, queue = aQuietQueue()) =>
  decided({
    queue,
    submissions: [aTestedSubmission(1)],
    runs: [aRunOn([1], { checks: [running], ...override })],
  });

describe('deadlines', () => {
  test('the queue asks to decide again at the deadline of a run', () => {
    const outcome = tested({ deadlineAt: NOW + 1_000 });

    expect(outcome.decision.wakeAt).toBe(NOW + 1_000);
    expect(outcome.run(1).expired).toBeNull();
  });

  test('the queue asks to decide again at a deadline that is shortened in the same decision', () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1)], runs: [aRunOn([1], { checks: [running] })] });
    expire(draft);

    draft.changeRun(aRunOn([1], { checks: [running] }), { deadlineAt: NOW + 1_000 });
    expire(draft);

    expect(draft.nextWakeAt).toBe(NOW + 1_000);
  });

  test('the queue reads the checks once more at the deadline before a run times out', () => {
    const outcome = tested({ deadlineAt: NOW, checksReadAt: NOW - 1 });

    expect(outcome.effects('read_checks')).toHaveLength(1);
    expect(outcome.pr(1).state).toBe('testing');
  });

  test('the queue repeats a read that was requested before the deadline, and awaits one that was requested after it', () => {
    const asked = (askedAt: number) => {
      const queue = aQuietQueue();
      const checks = { asked: effectIdOf(1), upTo: null, askedAt, again: false, dueAt: NOW };
      return tested({ deadlineAt: NOW - 10 }, { ...queue, polls: { ...queue.polls, checks } }).queue.polls
        .checks.again;
    };

    expect([asked(NOW - 11), asked(NOW - 10)]).toEqual([true, false]);
  });

  test('a run without a verdict after its deadline times out', () => {
    const outcome = tested({ deadlineAt: NOW - 10, checksReadAt: NOW - 10 });

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_TIMEOUT']);
    expect(outcome.run(1)).toMatchObject({ expired: 'no_verdict', outcome: 'timed_out' });
    expect(outcome.effects('cancel_checks')).toHaveLength(1);
  });

  test('one run times out while others continue to their own deadlines, or without end', () => {
    const run = (pr: number, override: Partial<TestRun>) =>
      aRunOn([pr], { checks: [{ ...running, runId: runIdOf(pr) }], checksReadAt: NOW, ...override });
    const outcome = decided({
      queue: aQuietQueue({ mode: 'parallel', concurrency: 3 }),
      submissions: [1, 2, 3].map((pr) => aTestedSubmission(pr)),
      runs: [
        run(1, { deadlineAt: NOW - 10 }),
        run(2, { deadlineAt: NOW + 1_000 }),
        run(3, { deadlineAt: null }),
      ],
      targets: [1, 2, 3].map((pr) => touching(pr, [`//${pr}`])),
    });

    expect([1, 2, 3].map((pr) => outcome.run(pr).expired)).toEqual(['no_verdict', null, null]);
    expect(outcome.decision.wakeAt).toBe(NOW + 1_000);
    expect(outcome.effects('read_checks')).toEqual([]);
  });

  test('a result that came in time counts, however late it is read', () => {
    const passed = aCheck({ runId: aRunOn([1]).id });
    const outcome = tested({ deadlineAt: NOW - 10, checksReadAt: NOW - 10, checks: [passed] });

    expect(outcome.pr(1).state).toBe('tests_passed');
  });

  test('a CI that shows no check in time is an infrastructure failure, and the test is repeated', () => {
    const silent = { checks: [], testingSince: NOW - 600_000 };

    expect(tested({ ...silent, testingSince: NOW - 599_000 }).decision.wakeAt).toBe(NOW + 1_000);
    expect(tested(silent).effects('read_checks')).toHaveLength(1);
    const outcome = tested({ ...silent, checksReadAt: NOW });
    expect(outcome.run(1)).toMatchObject({
      expired: 'not_begun',
      outcome: 'infrastructure',
      closedBecause: 'judged',
    });
    expect(outcome.pr(1)).toMatchObject({
      state: 'testing',
      retries: 1,
      reasonDetail: 'The CI did not start.',
    });
  });

  test('a CI that shows no check by an earlier testing timeout is an infrastructure failure too', () => {
    const outcome = tested({ deadlineAt: NOW - 10, checksReadAt: NOW - 10, checks: [] });

    expect(outcome.run(1)).toMatchObject({ expired: 'not_begun', outcome: 'infrastructure' });
    expect(outcome.pr(1)).toMatchObject({ state: 'testing', retries: 1 });
  });

  test('a CI that has started none of its checks is an infrastructure failure too', () => {
    const inLine = aCheck({ runId: aRunOn([1]).id, status: 'queued', conclusion: null, completedAt: null });
    const outcome = tested({ deadlineAt: NOW - 10, checksReadAt: NOW - 10, checks: [inLine] });

    expect(outcome.run(1)).toMatchObject({ expired: 'not_begun', outcome: 'infrastructure' });
    expect(outcome.pr(1)).toMatchObject({ state: 'testing', retries: 1 });
  });

  test('checks that ended on the same commit for an earlier run do not show that the CI has started', () => {
    const before = aCheck({ runId: runIdOf(9), conclusion: 'failure' });
    const outcome = tested({ deadlineAt: NOW - 10, checksReadAt: NOW - 10, checks: [before] });

    expect(outcome.run(1)).toMatchObject({ expired: 'not_begun', outcome: 'infrastructure' });
    expect(outcome.pr(1)).toMatchObject({ state: 'testing', retries: 1 });
  });

  test('without a timeout a run that has started is awaited without end', () => {
    const outcome = tested({ deadlineAt: null, checksReadAt: NOW, testingSince: NOW - 999 * HOUR });

    expect(outcome.pr(1).state).toBe('testing');
    expect(outcome.decision.wakeAt).toBe(NOW + HOUR);
  });

  test('a changed testing timeout applies to running tests, from their start', () => {
    const minutes = 60_000;
    const configure = {
      id: inputIdOf(1),
      actor: anActor,
      digest: null,
      type: 'configure',
      wanted: null,
      stateReason: null,
      cancelPending: null,
      requiredStatusesSource: null,
      allowNoRequiredStatuses: false,
    } as const;
    const given = {
      queue: aQuietQueue({ testingTimeoutMinutes: 300 }),
      submissions: [aTestedSubmission(1), aTestedSubmission(2)],
      runs: [
        aRunOn([1], { testingSince: NOW - 10 * minutes, deadlineAt: NOW + 290 * minutes }),
        aRunOn([1, 2], { state: 'building', candidate: null, testingSince: null, deadlineAt: null }),
      ],
    };
    const deadlines = (testingTimeoutMinutes: number) => {
      const outcome = decided(given, [{ ...configure, settings: { testingTimeoutMinutes } }]);
      return [outcome.run(1).deadlineAt, outcome.run(2).deadlineAt];
    };

    expect(deadlines(30)).toEqual([NOW + 20 * minutes, null]);
    expect(deadlines(400)).toEqual([NOW + 390 * minutes, null]);
    expect(deadlines(5)).toEqual([NOW - 5 * minutes, null]);
    expect(deadlines(0)).toEqual([null, null]);
  });

  test('a changed testing timeout does not change a run that has ended', () => {
    const [one, run] = aPassed([1]);
    const paused = aQuietQueue({}, { wanted: 'paused' });
    const outcome = decided({ queue: paused, submissions: [one], runs: [run] }, [
      configureOf({ settings: { testingTimeoutMinutes: 30 } }),
    ]);

    expect(outcome.queue.settings.testingTimeoutMinutes).toBe(30);
    expect(outcome.run(1).deadlineAt).toBe(run.deadlineAt);
  });

  test('a run has no deadline before its tests start, and without a timeout only the one for the CI to start', () => {
    const silent = { checks: [], deadlineAt: null };

    expect(deadlineOf(aDraft(), aRunOn([1], { ...silent, testingSince: null }))).toBeNull();
    expect(deadlineOf(aDraft(), aRunOn([1], { ...silent, testingSince: NOW }))).toBe(
      NOW + defaultPace.ciStartMs,
    );
  });

  test('a run counts as queued only, whatever ended on the same commit for an earlier run', () => {
    const before = aCheck({ runId: runIdOf(9), conclusion: 'failure' });
    const inLine = aCheck({ runId: aRunOn([1]).id, status: 'queued', conclusion: null, completedAt: null });

    expect(isQueuedOnly(aRunOn([1], { checks: [before, inLine] }))).toBe(true);
    expect(isQueuedOnly(aRunOn([1], { checks: [inLine, running] }))).toBe(false);
  });

  const draft = (stateSince: number) =>
    aSubmission(1, {
      state: 'not_ready',
      admittedAt: null,
      stateSince,
      pull: aPullRequest(1, { draft: true }),
    });

  test('a pull request that is not ready leaves at its timeout, and the queue asks to decide then', () => {
    const queue = aQuietQueue({ notReadyTimeoutHours: 2 }, { polls: { ...aQuietQueue().polls } });

    expect(decided({ queue, submissions: [draft(NOW - 2 * HOUR + 1)] }).decision.wakeAt).toBe(NOW + 1);
    const outcome = decided({ queue, submissions: [draft(NOW - 2 * HOUR)] });
    expect(outcome.moves(1)).toEqual(['not_ready>cancelled NOT_READY_TIMEOUT_EXPIRED']);
  });

  test('a pull request that leaves at its timeout shows what it lacked, in the words of the host if there are any', () => {
    const detailOf = (pull: Partial<PullRequest>) =>
      decided({
        queue: aQuietQueue({ notReadyTimeoutHours: 1 }),
        submissions: [{ ...draft(0), pull: aPullRequest(1, pull) }],
      }).pr(1).reasonDetail;
    const mergeability = 'not_mergeable';

    expect(detailOf({ mergeability, mergeabilityReason: 'Two reviews.' })).toBe(
      'the code host said that it could not be merged: Two reviews.',
    );
    expect(detailOf({ mergeability, mergeabilityReason: null })).toBe(
      'the code host said that it could not be merged',
    );
    expect(detailOf({ draft: true, mergeabilityReason: 'Two reviews.' })).toBe('it was a draft');
    expect(detailOf({})).toBeNull();
  });

  test('a ready pull request has no timeout for its readiness', () => {
    expect(readyByOf(aDraft({ queue: aQuietQueue({ notReadyTimeoutHours: 1 }) }), aSubmission(1))).toBeNull();
  });

  test('no pull request leaves when the queue has no such timeout', () => {
    const outcome = decided({ queue: aQuietQueue({ notReadyTimeoutHours: 0 }), submissions: [draft(0)] });

    expect(outcome.pr(1).state).toBe('not_ready');
  });

  test('an admitted pull request that lost its readiness leaves too, counted from that time', () => {
    const pull = aPullRequest(1, { mergeability: 'not_mergeable' });
    const aside = (asideSince: number) =>
      decided({
        queue: aQuietQueue({ notReadyTimeoutHours: 1 }),
        submissions: [aSubmission(1, { asideSince, stateSince: 0, pull })],
      }).pr(1).state;

    expect([aside(NOW - HOUR + 1), aside(NOW - HOUR)]).toEqual(['pending', 'cancelled']);
  });

  test('an admitted pull request that is ready has no such timeout', () => {
    const outcome = decided({
      queue: aQuietQueue({ notReadyTimeoutHours: 1 }, { wanted: 'paused' }),
      submissions: [aSubmission(1, { stateSince: 0 })],
    });

    expect(outcome.pr(1).state).toBe('pending');
  });

  test('the queue does not take a pull request out of a landing that may be under way', () => {
    const [one, run] = aPassed([1]);
    const aside = { ...one, asideSince: 0, pull: aPullRequest(1, { mergeability: 'not_mergeable' }) };
    const landing = aLanding(run);
    const given = { queue: aQuietQueue({}, { landing }), submissions: [aside], runs: [run] };

    expect(decided({ ...given, underWay: [landing.effectId] }).pr(1).state).toBe('tests_passed');
    expect(decided(given).pr(1).state).toBe('cancelled');
    expect(decided(given).decision.withdraw).toEqual([landing.effectId]);
  });
});
