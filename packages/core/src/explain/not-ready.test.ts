import { aPullRequest, aSubmission, aTargetBook, effectIdOf, shaOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aPassed, aQuietQueue, aTarget, type Given, NOW } from '../../test/rules.js';
import { codesOf, waitOf } from '../../test/waits.js';
import type { Poll } from '../model/polls.js';
import type { PullRequest } from '../model/pull-request.js';

const DAY_MS = 24 * 3_600_000;
const byTomorrow = 'by 2026-01-02 01:00:00 UTC, or it is cancelled';

const notReady = (pull: Partial<PullRequest>, given: Given = {}) =>
  waitOf(1, {
    ...given,
    submissions: [
      aSubmission(1, {
        state: 'not_ready',
        stateSince: NOW,
        admittedAt: null,
        pull: aPullRequest(1, pull),
      }),
    ],
  });

describe('the wait of a pull request that is not ready', () => {
  test.each<[string, Partial<PullRequest>, string, string]>([
    ['reopening', { state: 'closed' }, '#1 is closed.', `Reopen #1 ${byTomorrow}.`],
    ['ready_for_review', { draft: true }, '#1 is a draft.', `Mark #1 as ready for review ${byTomorrow}.`],
    [
      'base_branch',
      { base: 'next' },
      'The base branch of #1 is next, but this queue merges into main.',
      `Change the base branch of #1 to main ${byTomorrow}.`,
    ],
    [
      'mergeability_unknown',
      { mergeability: 'in_progress' },
      'The code host has not reported yet whether #1 can be merged (it is still computing).',
      `#1 is read again at 2026-01-01 02:00:00 UTC; if that is still unknown at 2026-01-02 01:00:00 UTC, #1 is cancelled.`,
    ],
    [
      'mergeable',
      { mergeability: 'not_mergeable', mergeabilityReason: 'A review is missing.' },
      'The code host reports that #1 cannot be merged: A review is missing.',
      `Fix what the code host reports ${byTomorrow}.`,
    ],
  ])('%s', (code, pull, sentence, remedy) => {
    const waiting = notReady(pull);

    expect(waiting).toMatchObject({ code, sentence, remedy, behindPr: null, untilAt: NOW + DAY_MS });
    expect(codesOf(waiting)).toEqual([code]);
  });

  test('the wait of a pull request that is not ready lists everything that is missing, each with its remedy', () => {
    const waiting = notReady({ draft: true, base: 'next' }, { queue: aQuietQueue({ mode: 'parallel' }) });

    expect(codesOf(waiting)).toEqual(['base_branch', 'ready_for_review', 'impacted_targets']);
  });

  test('the wait of a pull request that is not ready names the head of the uploaded impacted targets if it is another one', () => {
    const queue = aQuietQueue({ mode: 'parallel' });
    const targets = [{ pr: 1, sets: aTargetBook(1).sets.map((set) => ({ ...set, head: shaOf(7, 'd') })) }];

    expect(notReady({}, { queue, targets }).sentence).toBe(
      '#1 has no impacted targets for its head c0000000 (the last upload is for d0000000), and a queue in parallel mode needs them.',
    );
  });

  test('the wait of a pull request that is not ready names the last of several uploads for other heads', () => {
    const queue = aQuietQueue({ mode: 'parallel' });
    const sets = ['e', 'd'].flatMap((letter) =>
      aTargetBook(1).sets.map((set) => ({ ...set, head: shaOf(7, letter) })),
    );

    expect(notReady({}, { queue, targets: [{ pr: 1, sets }] }).sentence).toContain(
      '(the last upload is for e0000000)',
    );
  });

  test('the wait of a pull request that is not ready names the head that has no impacted targets', () => {
    const queue = aQuietQueue({ mode: 'parallel' });

    expect(notReady({}, { queue })).toMatchObject({
      code: 'impacted_targets',
      sentence: '#1 has no impacted targets for its head c0000000, and a queue in parallel mode needs them.',
      remedy: `Upload the impacted targets of c0000000 with setImpactedTargets ${byTomorrow}.`,
    });
    expect(codesOf(notReady({}, { queue }))).toEqual(['impacted_targets']);
  });

  test('the wait of a pull request that is not ready waits for the next decision if nothing is missing', () => {
    const queue = aQuietQueue({ mode: 'parallel' });

    expect(notReady({}, { queue, targets: [aTargetBook(1)] }).causes).toEqual([
      {
        code: 'decision',
        sentence: 'Nothing blocks #1 any more.',
        pr: 1,
        runId: null,
        checks: [],
        untilAt: null,
      },
    ]);
  });

  test('the wait of a pull request that is not ready says that targets are not needed soon if the queue is changing to single mode', () => {
    const queue = aQuietQueue({ mode: 'parallel' }, { nextMode: 'single' });
    const waiting = notReady({}, { queue });

    expect(codesOf(waiting)).toEqual(['impacted_targets', 'queue_switching_modes']);
    expect(waiting.remedy).toBe(
      `Upload the impacted targets of c0000000 with setImpactedTargets ${byTomorrow}; they are not needed once the queue has changed to single mode.`,
    );
  });

  test('the wait of a pull request that is not ready mentions the change of mode only if nothing else is missing', () => {
    const queue = aQuietQueue({ mode: 'parallel' }, { nextMode: 'single' });

    expect(codesOf(notReady({ draft: true }, { queue }))).toEqual(['ready_for_review', 'impacted_targets']);
  });

  const settled = aQuietQueue().polls.pullRequests;
  test.each<[string, Partial<Poll>]>([
    ['now', { asked: effectIdOf(1) }],
    ['with the next decision', { dueAt: NOW }],
    ['with the next decision', { dueAt: NOW - 1 }],
    ['at 2026-01-01 01:00:01 UTC', { dueAt: NOW + 1_000 }],
  ])(
    'the wait of a pull request that is not ready says that its mergeability is read again %s',
    (when, poll) => {
      const { polls } = aQuietQueue();
      const queue = aQuietQueue(
        { notReadyTimeoutHours: 0 },
        { polls: { ...polls, pullRequests: { ...settled, ...poll } } },
      );

      expect(notReady({ mergeability: 'unspecified' }, { queue })).toMatchObject({
        sentence: 'The code host has not reported yet whether #1 can be merged.',
        remedy: `#1 is read again ${when}.`,
        untilAt: null,
      });
    },
  );

  test('the wait of a pull request that is not ready says that the target branch does not exist', () => {
    const queue = aQuietQueue({}, { target: aTarget({ exists: false, head: null, readAt: NOW - 90_000 }) });

    expect(notReady({}, { queue })).toMatchObject({
      code: 'target_branch',
      sentence: 'The target branch main does not exist (read 1 min ago).',
      remedy: `Create or restore main ${byTomorrow}.`,
      untilAt: NOW + DAY_MS,
    });
  });

  test('the wait of a pull request that is not ready shows no deadline if the queue sets none', () => {
    expect(notReady({ draft: true }, { queue: aQuietQueue({ notReadyTimeoutHours: 0 }) })).toMatchObject({
      remedy: 'Mark #1 as ready for review.',
      untilAt: null,
    });
  });
});

test('the remedy asks to submit again after a push if an admitted pull request lost its readiness', () => {
  const pull = aPullRequest(1, { mergeability: 'not_mergeable' });
  const given = { submissions: [aSubmission(1, { asideSince: NOW - 5_000, pull })] };

  expect(waitOf(1, given)).toMatchObject({
    code: 'mergeable',
    sentence: 'The code host reports that #1 cannot be merged: no reason was given.',
    remedy:
      'Fix what the code host reports (after a push, submit it again) by 2026-01-02 00:59:55 UTC, or it is cancelled.',
    untilAt: NOW - 5_000 + DAY_MS,
  });
});

test('a pull request on hold that lacks nothing any more waits only for the next decision', () => {
  const waiting = waitOf(1, { submissions: [aSubmission(1, { asideSince: NOW - 5_000 })] });

  expect(codesOf(waiting)).toEqual(['decision']);
});

test('a pull request that the host no longer finds shows for how long, and when it is cancelled', () => {
  const waiting = waitOf(1, { submissions: [aSubmission(1, { missingSince: NOW - 60_000 })] });

  expect(waiting).toMatchObject({
    code: 'missing',
    sentence: 'The code host has not found #1 for 1 min.',
    remedy: 'Restore #1 at the code host by 2026-01-01 01:09:00 UTC, or it is cancelled.',
    untilAt: NOW + 540_000,
  });
  expect(codesOf(waiting)).toEqual(['missing']);
});

test('a missing pull request shows that before everything else, also after it has passed', () => {
  const [submission, run] = aPassed([1]);
  const given = { submissions: [{ ...submission, missingSince: NOW - 60_000 }], runs: [run] };

  expect(codesOf(waitOf(1, given))).toEqual(['missing']);
});

test('a missing pull request whose grace period is over shows that it is read once more', () => {
  const waiting = waitOf(1, { submissions: [aSubmission(1, { missingSince: NOW - 600_000 })] });

  expect(waiting).toMatchObject({
    remedy: 'Restore #1 at the code host before the next read, or it is cancelled.',
    untilAt: null,
  });
});
