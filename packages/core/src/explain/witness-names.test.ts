import { aCheck, aMember, aSubmission, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBisection,
  aControl,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  failedBy,
  NOW,
  OTHER_TIP,
  TIP,
} from '../../test/rules.js';
import { causeAt, codesOf, waitOf } from '../../test/waits.js';
import { memberOf } from '../decide/line/placement-input.js';
import { noTrust } from '../model/queue.js';
import type { Bisection, TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';

const failure = aCheck({ name: 'unit', conclusion: 'failure' });
const running = { checks: [aCheck({ status: 'running', conclusion: null, startedAt: NOW - 360_000 })] };
const heldBack = (pr: number, override: Partial<Submission> = {}) =>
  aTestedSubmission(pr, { state: 'pending_failure', failedRunId: runIdOf(pr), ...override });
const failed = (prs: readonly number[], witnesses: readonly Submission[], override: Partial<TestRun> = {}) =>
  aRunOn(prs, { ...failedBy(failure), witnesses: witnesses.map(memberOf), ...override });

describe('several witnesses', () => {
  const [one, two, three, four] = [
    heldBack(1),
    aTestedSubmission(2),
    aTestedSubmission(3),
    aTestedSubmission(4),
  ];
  const queueWith = (canOptimisticallyMerge: boolean, depth = 3) =>
    aQuietQueue({ pendingFailureDepth: depth, concurrency: 4, canOptimisticallyMerge });

  test('the wait for several witnesses shows that a pass of one witness is enough, and what follows if none passes', () => {
    const given = {
      submissions: [one, two, three],
      runs: [failed([1], [two, three]), aRunOn([1, 2], running), aRunOn([1, 2, 3], running)],
    };
    const waiting = waitOf(1, { ...given, queue: queueWith(true) });

    expect(waiting.remedy).toMatch(
      /^#1 merges if one of #2 and #3 passes together with it; if none does, #1 is failed/,
    );
    expect(waiting.causes[0]).toMatchObject({
      code: 'witnesses',
      pr: 2,
      runId: runIdOf(1),
      checks: ['unit'],
    });
    expect(waiting.sentence).toMatch(/ waits for the tests of #2 and #3 behind it, which include #1\./);
  });

  test('the wait for several witnesses distinguishes witnesses whose tests include it from those tested without it', () => {
    const apart = {
      submissions: [one, two, three, four],
      runs: [
        failed([1], [two, three, four]),
        aRunOn([1, 2], running),
        aRunOn([3], running),
        aRunOn([3, 4], running),
      ],
    };

    expect(waitOf(1, { ...apart, queue: queueWith(true) }).sentence).toMatch(
      /, and its verdict waits for the tests of #2 behind it, which include #1, and the tests of #3 and #4, which are no longer behind it\.$/,
    );
    expect(waitOf(1, { ...apart, queue: queueWith(false) }).remedy).not.toMatch(/is tested again/);
  });

  test('a pull request under test that would land without it causes a new test of it', () => {
    const remedyOf = (past: TestRun, optimistically = true) =>
      waitOf(1, {
        queue: queueWith(optimistically, 1),
        submissions: [one, two, three],
        runs: [failed([1], [two]), aRunOn([1, 2], running), past],
      }).remedy;

    expect(remedyOf(aRunOn([2, 3], running))).toMatch(/; if #3 merges before it, #1 is tested again/);
    expect(remedyOf(aRunOn([2, 3], running), false)).not.toMatch(/tested again/);
    expect(remedyOf(aRunOn([1, 2, 3], running))).not.toMatch(/tested again/);
    expect(remedyOf(aRunOn([2, 3], failedBy(failure)))).not.toMatch(/tested again/);
    expect(remedyOf(aRunOn([2, 3], { ...running, purpose: { kind: 'compose', vouchers: [] } }))).not.toMatch(
      /tested again/,
    );
  });

  test('a witness that is no longer awaited is not named as one that would clear it', () => {
    const remedyOf = (witness: Submission) =>
      waitOf(2, {
        queue: queueWith(true, 1),
        submissions: [aTestedSubmission(1), heldBack(2), witness],
        runs: [aRunOn([1], running), failed([1, 2], [three]), aRunOn([1, 2, 3], running)],
      }).remedy;

    expect(remedyOf(three)).toMatch(/; #2 also merges with #1 if #3 behind it passes\./);
    expect(remedyOf({ ...three, state: 'not_ready', admittedAt: null, place: null })).not.toMatch(
      /also merges with/,
    );
  });

  test('the wait for several witnesses names for each witness the pull requests that it would land with and without', () => {
    const remedy = waitOf(2, {
      queue: queueWith(true, 2),
      submissions: [aTestedSubmission(1), heldBack(2), three, four],
      runs: [
        aRunOn([1], running),
        failed([1, 2], [three, four]),
        aRunOn([1, 2, 3], running),
        aRunOn([1, 2, 3, 4], running),
      ],
    }).remedy;

    expect(remedy).toMatch(/; #2 also merges with #1 if one of #3 and #4 behind it passes\./);
  });
});

describe('details of a failure', () => {
  test('a failure without a deciding check shows a timeout or that a required check failed', () => {
    const sentenceOf = (outcome: 'failed' | 'timed_out') =>
      waitOf(2, {
        submissions: [aTestedSubmission(1), heldBack(2)],
        runs: [aRunOn([1], running), failed([1, 2], [], { outcome, decidedBy: null })],
      });

    expect(sentenceOf('timed_out').sentence).toMatch(/^The tests of #2 failed \(a timeout, test run /);
    expect(sentenceOf('failed').sentence).toMatch(/^The tests of #2 failed \(a required check, test run /);
    expect(sentenceOf('failed').causes[0]?.checks).toEqual([]);
  });

  test('the failure points at the last pull request ahead', () => {
    const waiting = waitOf(3, {
      submissions: [aTestedSubmission(1), aTestedSubmission(2), heldBack(3)],
      runs: [aRunOn([1], running), aRunOn([1, 2], running), failed([1, 2, 3], [])],
    });

    expect(waiting.causes[0]).toMatchObject({ code: 'verdicts_ahead', pr: 2 });
  });

  test('a confirmation points at the failed test run', () => {
    const suspected = aTestedSubmission(1, { suspectedBy: runIdOf(4) });
    const waiting = waitOf(1, { submissions: [suspected], runs: [aRunOn([1], running)] });

    expect(waiting.causes[0]).toMatchObject({ code: 'confirmation', pr: 1, runId: runIdOf(4) });
  });
});

describe('holders of bisection slots', () => {
  const asked = [{ check: 'unit', failedBy: runIdOf(1) }];

  test('a baseline run is named by the branch, a bisection test by its pull requests', () => {
    const queue = aQuietQueue({ bisectionConcurrency: 2 }, { tipTrust: { ...noTrust(TIP), asked } });
    const part = aRunOn([5], { ...running, purpose: { kind: 'isolate', failed: runIdOf(8) } });
    const elsewhere = aControl({ ...running, base: OTHER_TIP });
    const waiting = waitOf(1, {
      queue,
      submissions: [heldBack(1), aTestedSubmission(5)],
      runs: [failed([1], []), elsewhere, part],
    });

    expect(codesOf(waiting)).toEqual(['control', 'isolation_slot', 'checks']);
    expect(causeAt(waiting, 1)).toMatch(/: 2 of 2 in use, by main and #5\.$/);
  });
});

describe('the bisection of a failed batch', () => {
  const members = [1, 2, 3, 4].map((pr) => aSubmission(pr, { place: pr, batch: 1 }));
  const batch = (override: Partial<Bisection> = {}, ofRun: Partial<TestRun> = {}) =>
    failed([4], [], {
      batch: members.map(memberOf),
      stack: [],
      bisection: aBisection({
        ...{ base: TIP, failed: 4, failedBy: runIdOf(4), parts: 1, successes: ['unit'] },
        ...override,
      }),
      ...ofRun,
    });
  const part = (prs: readonly number[], override: Partial<TestRun> = {}) =>
    aRunOn(prs.slice(-1), {
      ...running,
      purpose: { kind: 'isolate', failed: runIdOf(4) },
      batch: prs.map((pr) => aMember(pr)),
      ...override,
    });
  const red = {
    code: 'BASE_BROKEN',
    sentence: 'main itself fails unit.',
    actor: { kind: 'queue', id: null, name: 'the merge queue' },
    at: NOW,
  } as const;

  test('a bisection points at the failed test run and its check', () => {
    const waiting = waitOf(2, { submissions: members, runs: [batch()] });

    expect(waiting.causes[0]).toMatchObject({
      code: 'isolation',
      pr: 2,
      runId: runIdOf(4),
      checks: ['unit'],
    });
  });

  test('the progress of a bisection leaves out empty parts', () => {
    const progressOf = (override: Partial<Bisection>, runs: readonly TestRun[] = []) =>
      /searches for the culprit: (.*)\.$/.exec(
        waitOf(4, { submissions: members, runs: [batch(override), ...runs] }).causes[0]?.sentence ?? '',
      )?.[1];

    expect(progressOf({})).toBe('it is among #1, #2, #3 and #4');
    expect(progressOf({ passed: 2 })).toBe('#1 and #2 are cleared, it is among #3 and #4');
    expect(progressOf({ passed: 3 })).toBe('#1, #2 and #3 are cleared, only #4 is left');
    expect(progressOf({}, [part([1, 2]), part([1])])).toBe(
      'it is among #1, #2, #3 and #4, tested now: #1 and #2; #1',
    );
  });

  test('a cleared member shows that it is tested again, others that members that pass merge', () => {
    const remedyOf = (pr: number) =>
      waitOf(pr, { submissions: members, runs: [batch({ passed: 2 })] }).remedy;

    expect(remedyOf(2)).toMatch(
      /The culprit is failed, and the others, including those that passed, are tested again/,
    );
    expect(remedyOf(3)).toMatch(
      /Pull requests of the batch that pass merge, the culprit is failed, and the others are tested again/,
    );
  });

  test('a broken target is shown before other causes of the wait', () => {
    const queue = aQuietQueue({}, { wanted: 'paused', statusReason: red, isTipInDoubt: true });
    const codes = (override: Partial<Bisection>) =>
      codesOf(waitOf(1, { queue, submissions: members, runs: [batch(override)] }));

    expect(codes({ passed: 3 })).toEqual(['isolation', 'queue_paused']);
    expect(codes({ retryAt: NOW + 9_000, retries: 1 })).toEqual(['isolation', 'queue_paused']);
  });

  test('a baseline run is awaited when one suspect is left, not while several are', () => {
    const evidence = part([1, 2, 3], { ...failedBy(failure), id: runIdOf(7), base: OTHER_TIP });
    const trust = (failedByRun: number) => ({
      ...noTrust(OTHER_TIP),
      asked: [{ check: 'unit', failedBy: runIdOf(failedByRun) }],
    });
    const codes = (override: Partial<Bisection>) =>
      codesOf(
        waitOf(1, {
          queue: aQuietQueue({}, { groundTrust: [trust(7)] }),
          submissions: members,
          runs: [batch(override), evidence],
        }),
      );

    expect(codes({ failedBy: runIdOf(7), passed: 2, failed: 3 })).toEqual([
      'isolation',
      'control',
      'decision',
    ]);
    expect(codes({ failedBy: runIdOf(7), passed: 1, failed: 3 })).toEqual(['isolation', 'decision']);
    expect(codes({ failedBy: runIdOf(4), passed: 3 })).toEqual(['isolation', 'decision']);
  });
});
