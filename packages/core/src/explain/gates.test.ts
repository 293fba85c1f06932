import { aSubmission, effectIdOf, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aPassed, aQuietQueue, aRunOn, aTestedSubmission, NOW, OTHER_TIP } from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import { theQueue } from '../model/actor.js';
import type { StatusReason } from '../model/queue.js';

const statusReason: StatusReason = {
  code: 'ASKED_FOR',
  sentence: 'Release 1.2 is being cut.',
  actor: { kind: 'api', id: null, name: 'Ada' },
  at: NOW - 60_000,
};
const waitingOne = { submissions: [aSubmission(1)] };

describe('a queue that starts no tests', () => {
  test('a paused queue is shown with who paused it, when, and why', () => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason });
    const waiting = waitOf(1, { ...waitingOne, queue });

    expect(waiting).toMatchObject({
      code: 'queue_paused',
      sentence: 'The queue is paused (by Ada, since 2026-01-01 00:59:00 UTC): Release 1.2 is being cut.',
      remedy: 'Set the queue running when the reason for the pause is gone.',
      untilAt: null,
    });
    expect(codesOf(waiting)).toEqual(['queue_paused']);
  });

  test('a paused queue with a pending change of mode shows both: after the pause the mode changes before tests start', () => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason, nextMode: 'parallel' });
    const waiting = waitOf(2, {
      queue,
      submissions: [aTestedSubmission(1), aSubmission(2)],
      runs: [aRunOn([1])],
    });

    expect(codesOf(waiting)).toEqual(['queue_paused', 'queue_switching_modes']);
    expect(causeAt(waiting, 1)).toBe(
      'The queue is changing from single to parallel mode and starts no new tests until what has started is settled: #1.',
    );
    expect(waiting.remedy).toBe('Set the queue running when the reason for the pause is gone.');
  });

  test.each<[StatusReason['code'], RegExp]>([
    ['BASE_BROKEN', /^Fix the target branch/],
    ['HOST_REFUSED', /^Fix what the code host objects to/],
    ['TREE_MISMATCH', /^Find out why/],
    ['POISONED_INPUT', /^Report what the alarm names/],
  ])('a queue that paused by itself shows the remedy for %s', (code, remedy) => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason: { ...statusReason, code } });

    expect(waitOf(1, { ...waitingOne, queue }).remedy).toMatch(remedy);
  });

  test.each([
    [['audit'], /^Have the CI report audit [^;]+, then set the queue running/],
    [['test', 'audit'], /^Fix the target branch \([^)]+\), and have the CI report audit [^;]+, then set/],
    [['test'], /^Fix the target branch \([^)]+\), then set/],
  ])(
    'a queue paused because the target fails %j, and no test run has ever shown audit, shows the remedy',
    (fails, remedy) => {
      const { target, tipTrust, settings } = aQuietQueue();
      const queue = aQuietQueue(
        {},
        {
          wanted: 'paused',
          statusReason: { ...statusReason, code: 'BASE_BROKEN' },
          settings: { ...settings, requiredStatuses: ['test', 'audit'] },
          reportedChecks: ['test'],
          tipTrust: { ...tipTrust, head: target.head, fails },
        },
      );

      expect(waitOf(1, { ...waitingOne, queue }).remedy).toMatch(remedy);
    },
  );

  test('a queue paused for a tip that has moved since does not name the checks that the old tip failed', () => {
    const { tipTrust, settings } = aQuietQueue();
    const queue = aQuietQueue(
      {},
      {
        wanted: 'paused',
        statusReason: { ...statusReason, code: 'BASE_BROKEN' },
        settings: { ...settings, requiredStatuses: ['test', 'audit'] },
        reportedChecks: ['test'],
        tipTrust: { ...tipTrust, head: OTHER_TIP, fails: ['audit'] },
      },
    );

    expect(waitOf(1, { ...waitingOne, queue }).remedy).toMatch(/^Fix the target branch \([^)]+\), then set/);
  });

  test.each([
    [
      'paused',
      /^The queue .*by the merge queue, .*: Red\. The queue .*by Ada, .*: Release 1\.2/,
      /earlier reason for a pause is gone too/,
    ],
    [
      'draining',
      /^The queue .*by the merge queue, since [^)]*\): Red\.$/,
      /then set the queue back to draining/,
    ],
  ] as const)(
    'a queue that paused by itself also shows that its owner had asked for %s',
    (wanted, sentence, remedy) => {
      const red = { ...statusReason, code: 'BASE_BROKEN', sentence: 'Red.', actor: theQueue } as const;
      const askedFor = { wanted, statusReason };
      const queue = aQuietQueue({}, { wanted: 'paused', statusReason: red, askedFor });
      const waiting = waitOf(1, { ...waitingOne, queue });

      expect(codesOf(waiting)).toEqual(['queue_paused', `queue_${wanted}`]);
      expect(waiting.sentence).toMatch(sentence);
      expect(waiting.remedy).toMatch(remedy);
    },
  );

  test('a paused queue blocks landings and retries, but no running test', () => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason });
    const [one, run] = aPassed([1]);
    const repeated = aTestedSubmission(1, { retryAt: NOW + 9 });

    expect(waitOf(1, { queue, submissions: [one], runs: [run] }).code).toBe('queue_paused');
    expect(waitOf(1, { queue, submissions: [repeated] }).code).toBe('queue_paused');
    expect(waitOf(1, { queue, submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] }).code).toBe(
      'checks',
    );
  });

  test('a pause ends the chain of a pull request that waits for another', () => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason });
    const held = aSubmission(2, { heldBy: submissionIdOf(1) });
    const waiting = waitOf(2, { queue, submissions: [aSubmission(1), held] });

    expect(codesOf(waiting)).toEqual(['conflict_ahead', 'queue_paused']);
    expect(waiting.remedy).toMatch(/^Set the queue running/);
  });
});

test('a draining queue blocks only pull requests that have not started', () => {
  const queue = aQuietQueue({}, { wanted: 'draining', statusReason });
  const waiting = waitOf(1, { ...waitingOne, queue });

  expect(waiting).toMatchObject({
    code: 'queue_draining',
    sentence:
      'The queue is draining and starts no new tests (by Ada, since 2026-01-01 00:59:00 UTC): Release 1.2 is being cut.',
    remedy: 'Set the queue running.',
    untilAt: null,
  });
  expect(waitOf(1, { queue, submissions: [aTestedSubmission(1, { retryAt: NOW + 9 })] }).code).toBe('retry');
});

test('a change of mode names the pull requests that have to settle first, and what the first of them waits for', () => {
  const queue = aQuietQueue({}, { nextMode: 'parallel' });
  const waiting = waitOf(2, {
    queue,
    submissions: [aTestedSubmission(1), aSubmission(2)],
    runs: [aRunOn([1])],
  });

  expect(codesOf(waiting)).toEqual(['queue_switching_modes', 'checks']);
  expect(waiting).toMatchObject({
    sentence:
      'The queue is changing from single to parallel mode and starts no new tests until what has started is settled: #1.',
    remedy:
      '#2 is handled in parallel mode after that. The test run that it waits for times out at 2026-01-01 01:09:00 UTC.',
    behindPr: 1,
    untilAt: NOW + 540_000,
  });
});

test('a change of mode says if nothing is left to settle', () => {
  const waiting = waitOf(1, { ...waitingOne, queue: aQuietQueue({}, { nextMode: 'parallel' }) });

  expect(codesOf(waiting)).toEqual(['queue_switching_modes']);
  expect(waiting.sentence).toMatch(/ is settled: nothing is left\.$/);
  expect(waiting.behindPr).toBeNull();
});

describe('a failing code host', () => {
  const hostTrouble = { effectId: effectIdOf(1), message: 'connection refused.', since: NOW - 120_000 };
  const given = { submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] };

  test('the failure of the code host ends every chain, and its sentence follows the nearest cause', () => {
    const waiting = waitOf(1, { ...given, queue: aQuietQueue({}, { hostTrouble }) });

    expect(codesOf(waiting)).toEqual(['checks', 'host_trouble']);
    expect(causeAt(waiting, 1)).toBe(
      'Requests to the code host have been failing for 2 min: connection refused.',
    );
    expect(waiting.sentence).toBe(`${causeAt(waiting, 0)} ${causeAt(waiting, 1)}`);
    expect(waiting.remedy).toMatch(/^Make sure that the code host can be reached/);
  });

  test('a failing code host is a cause in a paused queue only for waits that need an answer of the host', () => {
    const queue = aQuietQueue({}, { hostTrouble, wanted: 'paused' });

    expect(codesOf(waitOf(1, { ...waitingOne, queue }))).toEqual(['queue_paused']);
    const waiting = waitOf(1, { ...given, queue });
    expect(codesOf(waiting)).toEqual(['checks', 'host_trouble', 'queue_paused']);
    expect(waiting.sentence).toBe([0, 1, 2].map((at) => causeAt(waiting, at)).join(' '));
  });

  test('a failing code host is shown in a paused queue if any cause waits for an answer', () => {
    const queue = aQuietQueue({}, { hostTrouble, wanted: 'paused' });
    const suspected = aTestedSubmission(1, { suspectedBy: runIdOf(4) });

    expect(codesOf(waitOf(1, { ...given, queue, submissions: [suspected] }))).toEqual([
      'confirmation',
      'checks',
      'host_trouble',
      'queue_paused',
    ]);
  });
});
