import { aCheck, aMember, aSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aQuietQueue, aRunOn, aTestedSubmission, NOW, TIP } from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import { memberOf } from '../decide/line/placement-input.js';
import type { TestRunId } from '../model/ids.js';
import type { Bisection, TestRun } from '../model/run.js';

const failure = aCheck({ name: 'unit', conclusion: 'failure' });
const failed = (prs: readonly number[], override: Partial<TestRun> = {}): TestRun =>
  aRunOn(prs, { state: 'ended', outcome: 'failed', decidedBy: failure, endedAt: NOW - 1_000, ...override });
const heldBack = (pr: number) =>
  aTestedSubmission(pr, { state: 'pending_failure', failedRunId: runIdOf(pr) });
const running = { checks: [aCheck({ status: 'running', conclusion: null, startedAt: NOW - 360_000 })] };
const asked = {
  head: TIP,
  fails: [],
  passes: [],
  confirmed: [],
  failedFor: {},
  asked: [{ check: 'unit', failedBy: runIdOf(1) }],
  tries: 0,
} as const;
const control = aRunOn([], {
  ...running,
  id: runIdOf(9),
  purpose: { kind: 'control', isFresh: false },
  batch: [],
});

describe('the wait of a pull request whose tests failed', () => {
  test('the wait of a pull request whose tests failed names the undecided pull requests that the failed test was on top of, and what the first of them waits for', () => {
    const waiting = waitOf(3, {
      submissions: [aTestedSubmission(1), aTestedSubmission(2), heldBack(3)],
      runs: [aRunOn([1], running), aRunOn([1, 2], running), failed([1, 2, 3])],
    });

    expect(codesOf(waiting)).toEqual(['verdicts_ahead', 'checks']);
    expect(waiting).toMatchObject({
      sentence:
        'The tests of #3 failed (check unit, test run 00000003-0000-4000-8000-000000000003) on top of #1 and #2, ahead of it and not decided yet; the culprit is known after that.',
      remedy:
        'If all ahead of it merge as they were tested, #3 is failed; if one of them leaves the queue, or one behind it merges before it, #3 is tested again on what is there then. The test run that it waits for times out at 2026-01-01 02:00:00 UTC.',
      behindPr: 2,
      untilAt: NOW + 3_600_000,
    });
    expect(waiting.causes[0]).toMatchObject({ runId: runIdOf(3), checks: ['unit'] });
    expect(waiting.causes[1]).toMatchObject({ pr: 1, runId: runIdOf(1) });
  });

  test('the wait of a pull request whose tests failed continues with the wait of the first pull request below the failure that has not passed yet', () => {
    const waiting = waitOf(3, {
      submissions: [aTestedSubmission(1, { state: 'tests_passed' }), aTestedSubmission(2), heldBack(3)],
      runs: [aRunOn([1], { state: 'ended', outcome: 'passed' }), aRunOn([1, 2], running), failed([1, 2, 3])],
    });

    expect(codesOf(waiting)).toEqual(['verdicts_ahead', 'checks']);
    expect(waiting.causes[1]).toMatchObject({ pr: 2, runId: runIdOf(2) });
  });

  test('the wait of a pull request whose tests failed names the pull requests behind it whose tests are awaited before the verdict', () => {
    const queue = aQuietQueue({ pendingFailureDepth: 1, concurrency: 2 });
    const second = aTestedSubmission(2);
    const given = {
      submissions: [heldBack(1), second],
      runs: [failed([1], { witnesses: [memberOf(second)] }), aRunOn([1, 2], running)],
    };
    const waiting = waitOf(1, { ...given, queue });

    expect(codesOf(waiting)).toEqual(['witnesses', 'checks']);
    expect(waiting).toMatchObject({
      sentence:
        'The tests of #1 failed (check unit, test run 00000003-0000-4000-8000-000000000001), and its verdict waits for the tests of #2 behind it, which include #1.',
      behindPr: 2,
    });
    expect(waiting.remedy).toMatch(
      /with canOptimisticallyMerge a pass of one of them would clear it\. The test run that it waits for times out at 2026-01-01 02:00:00 UTC\.$/,
    );
    const optimistic = aQuietQueue({ pendingFailureDepth: 1, canOptimisticallyMerge: true });
    expect(waitOf(1, { ...given, queue: optimistic }).remedy).toMatch(
      /#1 merges if #2 passes together with it; if it does not, /,
    );
  });

  test('the wait of a pull request whose tests failed announces one more test run if confirmBeforeFailing is on and it has not been made', () => {
    const queue = aQuietQueue({ confirmBeforeFailing: true }, { tipTrust: asked });
    const runs = [failed([1]), control];
    const remedyOf = (suspectedBy: TestRunId | null) =>
      waitOf(1, { queue, submissions: [{ ...heldBack(1), suspectedBy }], runs }).remedy;

    expect(remedyOf(null)).toMatch(
      /If main passes, #1 is tested once more before it is failed; if main fails/,
    );
    expect(remedyOf(runIdOf(4))).toMatch(/If main passes, #1 is failed; if main fails/);
  });

  test('the wait of a pull request whose tests failed announces a search for the culprit if the pull request failed in a batch', () => {
    const run = failed([1, 2, 3], { id: runIdOf(2), batch: [aMember(2), aMember(3)], stack: [aMember(1)] });
    const waiting = waitOf(3, {
      submissions: [aTestedSubmission(1), heldBack(2), { ...heldBack(3), failedRunId: run.id }],
      runs: [aRunOn([1], running), run],
    });

    expect(waiting.remedy).toMatch(
      /If all ahead of it merge as they were tested, the queue searches its batch for the culprit; if/,
    );
  });

  test('the wait of a pull request whose tests failed says that the target itself is tested before the pull request is failed', () => {
    const queue = aQuietQueue({}, { tipTrust: asked });
    const given = { queue, submissions: [heldBack(1)] };
    const waiting = waitOf(1, { ...given, runs: [failed([1]), control] });

    expect(codesOf(waiting)).toEqual(['control', 'checks']);
    expect(waiting.sentence).toBe(
      'The tests of #1 failed (check unit, test run 00000003-0000-4000-8000-000000000001); before a pull request is failed for that, main itself is tested for unit at c0000000.',
    );
    expect(causeAt(waiting, 1)).toMatch(/^main is in test run 00000003-0000-4000-8000-000000000009/);
  });

  test('the wait of a pull request whose tests failed names the bisection slots that the baseline run waits for, and what is in them', () => {
    const queue = aQuietQueue({ bisectionConcurrency: 1 }, { tipTrust: asked });
    const part = aRunOn([5], { ...running, purpose: { kind: 'isolate', failed: runIdOf(8) } });
    const waiting = waitOf(1, {
      queue,
      submissions: [heldBack(1), aTestedSubmission(5)],
      runs: [failed([1]), part],
    });

    expect(codesOf(waiting)).toEqual(['control', 'isolation_slot', 'checks']);
    expect(causeAt(waiting, 1)).toBe(
      'The test that is to find the culprit waits for a bisection slot: 1 of 1 in use, by #5.',
    );
  });

  test('the wait of a pull request whose tests failed says that the target is broken if that has paused the queue', () => {
    const statusReason = {
      code: 'BASE_BROKEN',
      sentence: 'main itself fails unit.',
      actor: { kind: 'queue', id: null, name: 'the merge queue' },
      at: NOW,
    } as const;
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason });
    const waiting = waitOf(1, { queue, submissions: [heldBack(1)], runs: [failed([1])] });

    expect(codesOf(waiting)).toEqual(['queue_paused']);
    expect(waiting.sentence).toMatch(/\(by the merge queue, since .+\): main itself fails unit\.$/);
    expect(waiting.remedy).toMatch(/^Fix the target branch/);
  });
});

test('the wait shows which failure is being confirmed, and by when, if a failed pull request is tested once more', () => {
  const one = aTestedSubmission(1, { suspectedBy: runIdOf(4), suspectedDetail: 'unit: 3 failed' });
  const given = { submissions: [one], runs: [aRunOn([1], running)] };
  const waiting = waitOf(1, given);

  expect(codesOf(waiting)).toEqual(['confirmation', 'checks']);
  expect(waiting).toMatchObject({
    sentence:
      'The tests of #1 failed (unit: 3 failed, test run 00000003-0000-4000-8000-000000000004), and run once more to confirm that before it is failed.',
    remedy:
      '#1 merges if they pass now; if they fail again, #1 is failed unless another test clears it. The test run that it waits for times out at 2026-01-01 02:00:00 UTC.',
    untilAt: NOW + 3_600_000,
  });
  const unsaid = { ...given, submissions: [{ ...one, suspectedDetail: null }] };
  expect(waitOf(1, unsaid).sentence).toMatch(
    /^The tests of #1 failed \(test run 00000003-0000-4000-8000-000000000004\), /,
  );
});

describe('the wait of a pull request of a failed batch', () => {
  const members = [1, 2, 3, 4].map((pr) => aSubmission(pr, { place: pr, batch: 1 }));
  const bisection: Bisection = {
    base: TIP,
    passed: 1,
    failed: 3,
    failedBy: runIdOf(4),
    parts: 1,
    retries: 0,
    retryAt: null,
  };
  const batch = (override: Partial<Bisection> = {}) =>
    failed([4], {
      batch: members.map(memberOf),
      stack: [],
      bisection: { ...bisection, successes: ['unit'], ...override },
    });
  const part = aRunOn([2], {
    ...running,
    purpose: { kind: 'isolate', failed: runIdOf(4) },
    batch: members.slice(1, 2).map(memberOf),
  });

  test('the wait of a pull request of a failed batch shows what failed, which members are cleared, which are left, and which are tested now', () => {
    const given = { submissions: members, runs: [batch(), part] };
    const waiting = waitOf(2, given);

    expect(codesOf(waiting)).toEqual(['isolation', 'checks']);
    expect(waiting).toMatchObject({
      sentence:
        'The batch of #2 (#1, #2, #3 and #4) failed check unit in test run 00000003-0000-4000-8000-000000000004, and the queue searches for the culprit: #1 is cleared, it is among #2 and #3, tested now: #2.',
      behindPr: null,
    });
    expect(causeAt(waiting, 1)).toMatch(
      /^#2 is in test run 00000003-0000-4000-8000-000000000002: check build has been running/,
    );
    expect(codesOf(waitOf(3, given))).toEqual(['isolation', 'checks']);
    expect(waitOf(3, given).causes[1]).toMatchObject({ pr: 2 });
  });

  test('the wait of a pull request of a failed batch shows when the next bisection test starts after one without a verdict', () => {
    const waiting = waitOf(2, { submissions: members, runs: [batch({ retryAt: NOW + 9_000, retries: 1 })] });

    expect(codesOf(waiting)).toEqual(['isolation', 'isolation_retry']);
    expect(waiting.causes[1]).toMatchObject({
      sentence:
        'The last bisection test of the batch of #2 ended without a verdict; 1 of 2 retries of the bisection are used.',
      untilAt: NOW + 9_000,
    });
  });

  test('the wait of a pull request of a failed batch says that the target itself is tested before the last suspect is failed', () => {
    const failedBatch = batch({ passed: 2 });
    const tipTrust = { ...asked, asked: [{ check: 'unit', failedBy: failedBatch.id }] };
    const queue = aQuietQueue({}, { tipTrust });
    const runs = [failedBatch, control];

    for (const pr of [3, 4]) {
      const waiting = waitOf(pr, { queue, submissions: members, runs });
      expect(codesOf(waiting)).toEqual(['isolation', 'control', 'checks']);
      expect(causeAt(waiting, 1)).toMatch(
        /^The tests of #3 failed .*; before a pull request is failed for that, main itself/,
      );
    }
  });

  test('the wait of a pull request of a failed batch says that the queue is paused if no bisection test may start', () => {
    const queue = aQuietQueue({}, { wanted: 'paused' });

    expect(codesOf(waitOf(2, { queue, submissions: members, runs: [batch()] }))).toEqual([
      'isolation',
      'queue_paused',
    ]);
  });
});
