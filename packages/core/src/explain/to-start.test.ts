import { aSubmission, aTargetBook, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aTarget, aTestedSubmission, NOW } from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import type { Submission } from '../model/submission.js';

const running = (prs: readonly number[], check = 'build') =>
  aRunOn(prs, {
    checks: [
      {
        id: `${check}-${prs}`,
        runId: null,
        name: check,
        source: 'ci',
        digest: null,
        status: 'running',
        conclusion: null,
        startedAt: NOW - 360_000,
        completedAt: null,
        url: null,
        summary: null,
      },
    ],
  });

describe('the wait for a slot', () => {
  const two = {
    submissions: [aTestedSubmission(1), aTestedSubmission(2), aSubmission(3)],
    runs: [running([1]), running([1, 2])],
  };

  test('the wait for a slot shows the slots with their holders, the pull requests ahead, and what the first of them waits for', () => {
    const waiting = waitOf(3, { ...two, queue: aQuietQueue({ concurrency: 2 }) });

    expect(codesOf(waiting)).toEqual(['turn', 'lane_ahead', 'checks']);
    expect(waiting).toMatchObject({
      sentence: '#3 waits for a test slot (2 of 2 in use, by #1 and #2); it is next.',
      behindPr: 2,
      untilAt: NOW + 3_600_000,
      remedy:
        '#3 starts when its turn comes. To start it sooner, raise concurrency (now 2) or set skipTheLine. The test run that it waits for times out at 2026-01-01 02:00:00 UTC.',
    });
    expect(causeAt(waiting, 1)).toBe(
      '#3 is behind #2 and 1 more in its lane: in single mode all pull requests are in one lane.',
    );
    expect(waiting.causes[2]).toMatchObject({
      sentence:
        '#1 is in test run 00000003-0000-4000-8000-000000000001: check build has been running for 6 min.',
      pr: 1,
      runId: runIdOf(1),
      checks: ['build'],
      untilAt: NOW + 3_600_000,
    });
  });

  test('the wait for a slot counts the pull requests that wait for a slot before it', () => {
    const given = { ...two, submissions: [...two.submissions, aSubmission(4), aSubmission(5)] };
    const queue = aQuietQueue({ concurrency: 2 });

    expect(waitOf(4, { ...given, queue }).sentence).toMatch(/; 1 is ahead of it/);
    expect(waitOf(5, { ...given, queue }).sentence).toMatch(/; 2 are ahead of it/);
  });

  test('the wait for a slot in parallel mode names the shared target, or continues with the oldest slot if nothing is shared', () => {
    const queue = aQuietQueue({ mode: 'parallel' });
    const targets = [aTargetBook(1, ['//api', '//app', '//db']), aTargetBook(2, ['//api', '//db'])];
    const given = { queue, runs: [running([1])], submissions: [aTestedSubmission(1), aSubmission(2)] };

    expect(causeAt(waitOf(2, { ...given, targets }), 1)).toBe(
      '#2 is behind #1 in its lane: both touch //api and 1 more targets.',
    );
    const apart = waitOf(2, { ...given, targets: [aTargetBook(1, ['//web']), aTargetBook(2)] });
    expect(codesOf(apart)).toEqual(['turn', 'checks']);
    expect(apart).toMatchObject({ behindPr: null });
    const unknown = [aTargetBook(1, ['//web'])];
    expect(causeAt(waitOf(2, { ...given, targets: unknown }), 1)).toBe(
      '#2 is behind #1 in its lane: #2 counts as touching everything (ALL).',
    );
  });

  test('the wait for a slot names the urgent pull request that preempted it', () => {
    const stopped = aSubmission(1, { place: 1, reason: 'SKIP_THE_LINE_INTERRUPTED', reasonDetail: '#9' });
    const urgent = aTestedSubmission(9, { skipTheLine: true });
    const waiting = waitOf(1, { submissions: [stopped, urgent], runs: [running([9])] });

    expect(codesOf(waiting)).toEqual(['turn', 'interrupted', 'checks']);
    expect(causeAt(waiting, 1)).toBe('The tests of #1 were preempted by #9, which is urgent.');
    expect(waiting.behindPr).toBe(9);
  });

  test('the wait for a slot names only the urgent pull request that preempted it, as long as that is in the queue', () => {
    const interrupted = { place: 1, reason: 'SKIP_THE_LINE_INTERRUPTED', reasonDetail: '#8' } as const;
    const stopped = aSubmission(1, interrupted);
    const urgent = [8, 9].map((pr) => aTestedSubmission(pr, { skipTheLine: true }));
    const queue = aQuietQueue({ concurrency: 2 });
    const named = (submissions: readonly Submission[]) =>
      waitOf(1, { queue, submissions: [stopped, ...submissions], runs: [running([9]), running([9, 8])] });

    expect(named(urgent.toReversed()).behindPr).toBe(8);
    expect(codesOf(named(urgent.slice(1)))).not.toContain('interrupted');
  });
});

test('with a free slot, names the pull request ahead that has not started, and why', () => {
  const queue = aQuietQueue({ concurrency: 3 });
  const waiting = waitOf(2, {
    queue,
    submissions: [aSubmission(1, { retryAt: NOW + 9_000 }), aSubmission(2)],
  });

  expect(codesOf(waiting)).toEqual(['lane_ahead', 'retry']);
  expect(waiting).toMatchObject({
    sentence: '#2 is behind #1 in its lane: in single mode all pull requests are in one lane.',
    behindPr: 1,
  });
});

describe('the stack limit', () => {
  const many = Array.from({ length: 102 }, (_, index) => aTestedSubmission(index + 1));

  test('the wait for a slot shows the limit if more pull requests are ahead than a test run includes', () => {
    const queue = aQuietQueue({ concurrency: 1000 });
    const given = { queue, submissions: [...many, aSubmission(200)], runs: [running([1])] };
    const waiting = waitOf(200, given);

    expect(codesOf(waiting)).toEqual(['stack_limit', 'checks']);
    expect(waiting.sentence).toBe(
      '#200 has at least 100 undecided pull requests ahead of it in its lane, and a test run includes at most 100.',
    );
  });

  test('the wait for a slot shows the stack limit after the slots if all slots are taken', () => {
    const given = { submissions: [...many, aSubmission(200)], runs: [running([1])] };

    expect(codesOf(waitOf(200, given))).toEqual(['turn', 'stack_limit', 'checks']);
  });
});

test('a filling batch shows its size, its members, and when it starts at the latest', () => {
  const queue = aQuietQueue({ batch: true, batchingMinSize: 4, concurrency: 2 });
  const since = { admittedAt: NOW - 60_000 };
  const waiting = waitOf(2, { queue, submissions: [aSubmission(1, since), aSubmission(2, since)] });

  expect(codesOf(waiting)).toEqual(['batch']);
  expect(waiting).toMatchObject({
    sentence: '#2 waits for its batch to fill: 2 of 4 (#1 and #2).',
    remedy:
      'The batch starts when it is full, or at 2026-01-01 01:04:00 UTC at the latest; to test #2 alone now, set noBatch.',
    untilAt: NOW + 240_000,
  });
});

describe('a pull request that waits for its retry', () => {
  test('a pull request that waits for its retry after a test without a verdict shows why, the retries used, and the time of the retry', () => {
    const one = aTestedSubmission(1, { retries: 1, retryAt: NOW + 9_000, reasonDetail: 'build: no space' });

    expect(waitOf(1, { submissions: [one] })).toMatchObject({
      code: 'retry',
      sentence:
        'The last test of #1 ended without a verdict: build: no space; 1 of 2 retries of this attempt are used.',
      remedy: '#1 is tested again in its place at 2026-01-01 01:00:09 UTC.',
      untilAt: NOW + 9_000,
    });
  });

  test('a pull request that waits for its retry names the pull requests that a general infrastructure failure hit', () => {
    const infrastructureFailure = {
      runId: runIdOf(7),
      prs: [1],
      at: NOW - 1_000,
      rounds: 2,
      charged: [],
      earlier: [],
    };
    const one = aTestedSubmission(1, { retryAt: NOW + 9_000, reasonDetail: 'runner lost' });

    expect(
      waitOf(1, { queue: aQuietQueue({}, { infrastructureFailure }), submissions: [one] }),
    ).toMatchObject({
      code: 'machinery',
      sentence:
        'The CI is failing: 3 tests in a row, of unrelated pull requests, ended without a verdict, the last of them for #1: runner lost; this uses up no retries.',
      untilAt: NOW + 9_000,
    });
  });
});

describe('a target that has not been read', () => {
  const waiting = (target: Parameters<typeof aTarget>[0]) =>
    waitOf(1, { queue: aQuietQueue({}, { target: aTarget(target) }), submissions: [aSubmission(1)] });

  test('an unread target is shown with the time of its next read', () => {
    expect(waiting({ head: null, readAt: null })).toMatchObject({
      code: 'target_unread',
      sentence: 'Waiting for a fresh read of main: it has not been read yet.',
      remedy: 'main is read at 2026-01-01 02:00:00 UTC.',
    });
  });

  test('a target that was not read for long is shown with the age of the last read', () => {
    expect(waiting({ readAt: NOW - 600_000 }).sentence).toBe(
      'Waiting for a fresh read of main: it was last read 10 min ago.',
    );
  });

  test('a target that is gone is shown as missing', () => {
    expect(waiting({ exists: false, head: null, readAt: NOW - 1_000 })).toMatchObject({
      code: 'target_branch',
      sentence: 'The target branch main does not exist (read 1 s ago).',
    });
  });
});

test.each([
  [
    'CONFLICT_WITH_SUBMISSION_AHEAD',
    'conflict_ahead',
    '#2 conflicts with #1, which is ahead of it and not decided yet.',
  ],
  [
    'CHANGE_ALREADY_AHEAD',
    'change_ahead',
    '#1, which is ahead of #2 and not decided yet, already contains the change of #2.',
  ],
] as const)(
  '%s is shown with the pull request ahead, and with what that one waits for',
  (reason, code, sentence) => {
    const held = aSubmission(2, { heldBy: submissionIdOf(1), reason });
    const waiting = waitOf(2, { submissions: [aTestedSubmission(1), held], runs: [running([1])] });

    expect(waiting).toMatchObject({ code, sentence, behindPr: 1, untilAt: NOW + 3_600_000 });
    expect(codesOf(waiting)).toEqual([code, 'checks']);
    expect(waiting.remedy).toMatch(/once #1 is decided/);
  },
);

test('a chain of pull requests that wait for each other ends with the pause that blocks all, shown once', () => {
  const heldBy = (pr: number) =>
    ({ heldBy: submissionIdOf(pr), reason: 'CONFLICT_WITH_SUBMISSION_AHEAD' }) as const;
  const submissions = [aSubmission(1), aSubmission(2, heldBy(1)), aSubmission(3, heldBy(2))];
  const waiting = waitOf(3, { queue: aQuietQueue({}, { wanted: 'paused' }), submissions });

  expect(codesOf(waiting)).toEqual(['conflict_ahead', 'conflict_ahead', 'queue_paused']);
});
