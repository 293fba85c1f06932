import { aCheck, aSubmission, aTargetBook, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aPassed,
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
const control = (override: Partial<TestRun> = {}) =>
  aRunOn([], {
    ...running,
    id: runIdOf(9),
    purpose: { kind: 'control', isFresh: false },
    batch: [],
    ...override,
  });

describe('pull requests behind a failure', () => {
  const [one, two, three] = [heldBack(1), aTestedSubmission(2), aTestedSubmission(3)];
  const queue = aQuietQueue({ pendingFailureDepth: 2, concurrency: 3 });

  test('only witnesses that can still pass are awaited', () => {
    const gone = { ...three, state: 'not_ready', admittedAt: null, place: null } as const;
    const runs = [failed([1], [two, three]), aRunOn([1, 2], running)];

    expect(waitOf(1, { queue, submissions: [one, two, gone], runs }).sentence).toMatch(
      /, and its verdict waits for the tests of #2 behind it, which include #1\.$/,
    );
  });

  test('a witness that is tested without it is shown as no longer behind it', () => {
    const given = { queue, submissions: [one, two], runs: [failed([1], [two]), aRunOn([2], running)] };

    expect(waitOf(1, given).sentence).toMatch(/the tests of #2, which is no longer behind it\.$/);
    expect(waitOf(1, given).remedy).toMatch(/^When these tests have ended, #1 is failed\. The test run /);
  });

  test('a witness that is still to be tested on top of it is shown as including it', () => {
    const waiting = aSubmission(2);
    const given = { queue, submissions: [one, waiting], runs: [failed([1], [waiting])] };

    expect(waitOf(1, given).sentence).toMatch(/the tests of #2 behind it, which include #1/);
  });

  test('a pull request that overtook it causes a new test by landing, one of another lane does not', () => {
    const remedyOf = (ahead: Submission, targets: readonly string[]) =>
      waitOf(1, {
        queue: aQuietQueue({ mode: 'parallel', pendingFailureDepth: 2, concurrency: 3 }),
        submissions: [one, ahead],
        runs: [failed([1], [ahead]), aRunOn([2], running)],
        targets: [aTargetBook(1, ['//api']), aTargetBook(2, targets)],
      }).remedy;
    const ahead = { ...two, place: 0 };

    expect(remedyOf(ahead, ['//api'])).toMatch(/; if #2 merges before it, #1 is tested again/);
    expect(remedyOf(ahead, ['//web'])).not.toMatch(/tested again/);
  });

  test('the wait for witnesses suggests canOptimisticallyMerge only if it is off', () => {
    const remedyOf = (canOptimisticallyMerge: boolean, landsSingly: boolean) =>
      waitOf(1, {
        queue: aQuietQueue({ pendingFailureDepth: 1, canOptimisticallyMerge }, { landsSingly }),
        submissions: [one, two],
        runs: [failed([1], [two]), aRunOn([1, 2], running)],
      }).remedy;

    expect(remedyOf(false, false)).toMatch(
      /with canOptimisticallyMerge a pass of one of them would clear it/,
    );
    expect(remedyOf(true, true)).toMatch(/^When these tests have ended, #1 is failed\. The test run /);
  });

  test('the wait for witnesses names the witness whose pass would land it, if the queue lands on such a pass', () => {
    const ahead = aTestedSubmission(1);
    const remedyOf = (canOptimisticallyMerge: boolean, behind: TestRun) =>
      waitOf(2, {
        queue: aQuietQueue({ pendingFailureDepth: 1, concurrency: 3, canOptimisticallyMerge }),
        submissions: [ahead, heldBack(2), three],
        runs: [aRunOn([1], running), failed([1, 2], [three]), behind],
      }).remedy;

    expect(remedyOf(true, aRunOn([1, 2, 3], running))).toMatch(
      /; #2 also merges with #1 if #3 behind it passes\./,
    );
    expect(remedyOf(false, aRunOn([1, 2, 3], running))).toMatch(/then\. The test run /);
    expect(remedyOf(true, aRunOn([1, 3], running))).toMatch(/then\. The test run /);
  });
});

test('behind a failure, shows what the failed pull request waits for before the waits of passed ones', () => {
  const [passed, run] = aPassed([1]);
  const given = {
    queue: aQuietQueue({ pendingFailureDepth: 2, concurrency: 3 }, { wanted: 'paused' }),
    submissions: [passed, heldBack(2), heldBack(3)],
    runs: [run, failed([1, 2], []), failed([1, 2, 3], [])],
  };

  expect(waitOf(3, given).causes.map(({ code, pr }) => [code, pr])).toEqual([
    ['verdicts_ahead', 2],
    ['verdicts_ahead', 1],
    ['queue_paused', null],
  ]);
});

describe('the target before a verdict', () => {
  const asked = [{ check: 'unit', failedBy: runIdOf(1) }];
  const present = aQuietQueue({}, { tipTrust: { ...noTrust(TIP), asked } });
  const before = aQuietQueue({}, { groundTrust: [{ ...noTrust(OTHER_TIP), asked }] });
  const submissions = [heldBack(1)];

  test('the wait for a baseline run shows what follows if the baseline run fails, on the current tip and on an old one', () => {
    const onTip = waitOf(1, { queue: present, submissions, runs: [failed([1], []), control()] });
    expect(onTip.remedy).toMatch(
      /; if main fails, it is tested once more, and if it fails again, the queue is paused and no pull request is failed/,
    );
    expect(onTip.causes[0]).toMatchObject({ code: 'control', runId: runIdOf(9), checks: ['unit'] });

    const runs = [failed([1], [], { base: OTHER_TIP, onto: TIP }), control({ base: OTHER_TIP })];
    const onGround = waitOf(1, { queue: before, submissions, runs });
    expect(onGround.remedy).toMatch(
      /; if main fails, it is tested once more, and if it fails again, no pull request is failed, and what failed on it is tested again/,
    );
  });

  test('a baseline run of another tip is not taken for that of this tip', () => {
    const runs = [failed([1], []), control({ base: OTHER_TIP })];
    const waiting = waitOf(1, { queue: present, submissions, runs });

    expect(codesOf(waiting)).toEqual(['control', 'isolation_slot', 'checks']);
    expect(waiting.causes[0]?.runId).toBe(runIdOf(1));
  });

  test('a target that is not in doubt is not shown', () => {
    expect(codesOf(waitOf(1, { submissions, runs: [failed([1], [])] }))).toEqual(['decision']);
  });

  test('the wait for a baseline run shows that the target is read first if it may have moved', () => {
    const queue = { ...present, isTipInDoubt: true };

    const waiting = waitOf(1, { queue, submissions, runs: [failed([1], [])] });
    expect(codesOf(waiting)).toEqual(['target_unread']);
    expect(waiting.sentence).toMatch(
      /^Waiting for a fresh read of main: it may have changed since the last read/,
    );
    expect(waiting.remedy).toBe('main is read at 2026-01-01 02:00:00 UTC.');
  });
});

describe('of a failed batch', () => {
  const members = [1, 2, 3, 4].map((pr) => aSubmission(pr, { place: pr, batch: 1 }));
  const bisection: Bisection = {
    base: TIP,
    passed: 0,
    failed: 4,
    failedBy: runIdOf(4),
    parts: 1,
    retries: 0,
    retryAt: null,
  };
  const batch = (override: Partial<Bisection> = {}, ofRun: Partial<TestRun> = {}) =>
    failed([4], [], {
      batch: members.map(memberOf),
      stack: [],
      bisection: { ...bisection, successes: ['unit'], ...override },
      ...ofRun,
    });
  const part = (prs: readonly number[], override: Partial<TestRun> = {}) =>
    aRunOn(prs.slice(-1), {
      ...running,
      purpose: { kind: 'isolate', failed: runIdOf(4) },
      batch: members.filter(({ pr }) => prs.includes(pr)).map(memberOf),
      ...override,
    });

  test('a bisection test that has ended is not shown as tested now', () => {
    const runs = [batch(), part([1, 2], failedBy(failure)), part([1])];

    expect(waitOf(3, { submissions: members, runs }).sentence).toMatch(/, tested now: #1\.$/);
  });

  test('each member shows its own bisection test, the others the first one', () => {
    const runs = [batch(), part([1]), part([2, 3])];
    const partOf = (pr: number) => waitOf(pr, { submissions: members, runs }).causes[1]?.runId;

    expect([1, 2, 3, 4].map(partOf)).toEqual([1, 3, 3, 1].map(runIdOf));
  });

  test('a timeout is shown as such, a check that failed in time by its name', () => {
    const sentenceOf = (decidedBy: TestRun['decidedBy']) =>
      waitOf(1, { submissions: members, runs: [batch({}, { outcome: 'timed_out', decidedBy })] }).sentence;

    expect(sentenceOf(null)).toMatch(/\) timed out in test run/);
    expect(sentenceOf(failure)).toMatch(/\) failed check unit in test run/);
  });

  test('the target is read when one suspect is left, not earlier', () => {
    const queue = aQuietQueue({}, { isTipInDoubt: true });
    const codes = (passed: number) =>
      codesOf(waitOf(1, { queue, submissions: members, runs: [batch({ passed })] }));

    expect(codes(3)).toEqual(['isolation', 'target_unread']);
    expect(codes(2)).toEqual(['isolation', 'decision']);
  });

  test('the next bisection test follows at once if its retry time is over', () => {
    const runs = [batch({ retryAt: NOW })];

    expect(causeAt(waitOf(1, { submissions: members, runs }), 1)).toBe('Nothing blocks #1 any more.');
  });
});
