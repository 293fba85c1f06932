import { aCheck, aMember, aTargetBook, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aBisection,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  failedBy,
  passedBy,
  TIP,
} from '../../test/rules.js';
import { waitOf } from '../../test/waits.js';
import { memberOf } from '../decide/line/placement-input.js';
import { noTrust } from '../model/queue.js';
import type { TestRun } from '../model/run.js';
import type { Submission } from '../model/submission.js';

const failure = aCheck({ name: 'unit', conclusion: 'failure' });
const failed = (prs: readonly number[], override: Partial<TestRun> = {}) =>
  aRunOn(prs, { ...failedBy(failure), ...override });
const heldBack = (pr: number, override: Partial<Submission> = {}) =>
  aTestedSubmission(pr, { state: 'pending_failure', failedRunId: runIdOf(pr), ...override });
const tested = (...prs: readonly number[]) => prs.map((pr) => aTestedSubmission(pr));

describe('a failure that is being confirmed', () => {
  const suspected = aTestedSubmission(3, { suspectedBy: runIdOf(4) });
  const remedyOf = (runs: readonly TestRun[]) =>
    waitOf(3, { submissions: [...tested(1, 2), suspected], runs }).remedy;

  test('a failure that is being confirmed depends on the pull requests below the confirming test run too', () => {
    expect(remedyOf([aRunOn([1]), aRunOn([1, 2]), aRunOn([1, 2, 3])])).toMatch(
      /^#3 merges if they pass now and #1 and #2 ahead of it merge; if they fail again, /,
    );
    expect(remedyOf([aRunOn([1]), aRunOn([1, 3])])).toMatch(/ pass now and #1 ahead of it merges; /);
  });

  test('a failure that is being confirmed depends on no other pull request before the confirming test run has started', () => {
    expect(remedyOf([])).toMatch(/^#3 merges if they pass now; if they fail again, /);
  });
});

describe('an urgent pull request that is tested once more', () => {
  const waiting = (prs: readonly number[]) => {
    const passed = prs.map((_, index) => aPassed(prs.slice(0, index + 1)));
    return waitOf(1, {
      queue: aQuietQueue({ confirmBeforeFailing: true, concurrency: 3 }),
      submissions: [heldBack(1, { skipTheLine: true }), ...passed.map(([submission]) => submission)],
      runs: [failed([1]), ...passed.map(([, run]) => run)],
    });
  };

  test('an urgent pull request that is tested once more names the pull requests that passed without it and merge first', () => {
    expect(waiting([2]).sentence).toMatch(
      /^The tests of #1 failed \(check unit, test run \S+\), and #2, which passed without it, merges before it is tested/,
    );
    expect(waiting([2, 3]).sentence).toMatch(/, and #2 and #3, which passed without it, merge before it is/);
  });

  test('an urgent pull request that is tested once more points at the first of those that merge first, at the failed test run and at its check', () => {
    expect(waiting([2, 3]).causes[0]).toMatchObject({
      ...{ code: 'passed_without', pr: 2 },
      ...{ runId: runIdOf(1), checks: ['unit'] },
    });
  });
});

test('a pull request that overlaps with a tested one makes the failure stale by landing', () => {
  const targets = [aTargetBook(1, ['//a']), aTargetBook(2, ['//a', '//b']), aTargetBook(9, ['//b'])];
  const waiting = waitOf(2, {
    queue: aQuietQueue({ mode: 'parallel', concurrency: 3 }),
    submissions: [aTestedSubmission(9, { place: 0 }), aTestedSubmission(1), heldBack(2)],
    runs: [aRunOn([9]), aRunOn([1]), failed([1, 2])],
    targets,
  });

  expect(waiting.remedy).toMatch(/, or one behind it or #9 ahead of it, which it was tested without, merges/);
});

describe('the wait for a baseline run', () => {
  const asked = [{ check: 'unit', failedBy: runIdOf(1) }];
  const remedyOf = (other: TestRun, submissions = tested(2)) =>
    waitOf(1, {
      queue: aQuietQueue({ concurrency: 3 }, { tipTrust: { ...noTrust(TIP), asked } }),
      submissions: [heldBack(1), ...submissions],
      runs: [failed([1]), other],
    }).remedy;
  const isNamed = /; if #2 merges before that, #1 is tested again\.$/;

  test('the wait for a baseline run names a pull request that is tested, or has passed, without the failed one', () => {
    expect(remedyOf(aRunOn([2]))).toMatch(isNamed);
    expect(remedyOf(aRunOn([2], passedBy()))).toMatch(isNamed);
    expect(remedyOf(aRunOn([2], { purpose: { kind: 'isolate', failed: runIdOf(7) } }))).toMatch(isNamed);
  });

  test('the wait for a baseline run leaves out pull requests that are tested on the failed one, have failed too, or are only combined', () => {
    expect(remedyOf(aRunOn([1, 2]))).not.toMatch(/merges before that/);
    expect(remedyOf(aRunOn([3, 1, 2]), tested(2, 3))).not.toMatch(/merges before that/);
    expect(remedyOf(failed([2]))).not.toMatch(/merges before that/);
    expect(remedyOf(failed([1, 2]))).not.toMatch(/merges before that/);
    expect(remedyOf(aRunOn([2], { purpose: { kind: 'compose', vouchers: [] } }))).not.toMatch(
      /merges before that/,
    );
  });

  test('the wait for a baseline run leaves out a batch under bisection', () => {
    const isolated = aBatchRun([2, 3], [], { ...failedBy(failure), bisection: aBisection() });

    expect(remedyOf(isolated, tested(2, 3))).not.toMatch(/merges before that/);
  });
});

describe('a witness in several test runs', () => {
  const queue = aQuietQueue({ pendingFailureDepth: 1, concurrency: 4, canOptimisticallyMerge: true });

  test('a witness in several test runs includes the failed change if one of its test runs does', () => {
    const [witness] = tested(2);
    const waiting = waitOf(1, {
      queue,
      submissions: [heldBack(1), ...tested(2)],
      runs: [failed([1], { witnesses: [aMember(2)] }), aRunOn([1, 2]), aRunOn([2], { id: runIdOf(12) })],
    });

    expect(witness && memberOf(witness)).toEqual(aMember(2));
    expect(waiting.sentence).toMatch(
      /, and its verdict waits for the tests of #2 behind it, which include #1\./,
    );
  });

  test('a witness in several test runs lands together with all pull requests that one of its test runs includes', () => {
    const waiting = waitOf(2, {
      queue,
      submissions: [...tested(1), heldBack(2), ...tested(3)],
      runs: [
        aRunOn([1]),
        failed([1, 2], { witnesses: [aMember(3)] }),
        aRunOn([1, 2, 3]),
        aRunOn([2, 3], { id: runIdOf(13) }),
      ],
    });

    expect(waiting.remedy).toMatch(/; #2 also merges with #1 if #3 behind it passes\./);
  });
});

test('no pass is said to clear the failure if no awaited test run includes the failed change', () => {
  const waiting = waitOf(1, {
    queue: aQuietQueue({ pendingFailureDepth: 1 }),
    submissions: [heldBack(1), ...tested(2)],
    runs: [failed([1], { witnesses: [aMember(2)] }), aRunOn([2])],
  });

  expect(waiting.sentence).toBe(
    'The tests of #1 failed (check unit, test run 00000003-0000-4000-8000-000000000001), and its verdict waits for the tests of #2, which is no longer behind it.',
  );
});
