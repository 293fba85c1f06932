import { aCheck, effectIdOf, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aControl,
  aDraft,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  failedBy,
  NOW,
  passedBy,
  TIP,
} from '../../test/rules.js';
import { codesOf, waitOf } from '../../test/waits.js';
import type { Check } from '../model/checks.js';
import { noTrust } from '../model/queue.js';
import type { TestRun } from '../model/run.js';
import { neverShown } from './under-test.js';

const deadline = { deadlineAt: NOW + 3_600_000, testingSince: NOW - 120_000 };
const givenUp = 'times out at 2026-01-01 02:00:00 UTC';
const queue = aQuietQueue({ requiredStatuses: ['lint', 'build'] });

const inRun = (override: Partial<TestRun>, prs: readonly number[] = [1], inQueue = queue) =>
  waitOf(prs.at(-1) ?? 0, {
    queue: inQueue,
    submissions: prs.map((pr) => aTestedSubmission(pr)),
    runs: [aRunOn(prs, { ...deadline, requiredChecks: ['lint', 'build'], ...override })],
  });

const begun = (name: string, minutes: number, override: Partial<Check> = {}): Check =>
  aCheck({
    id: name,
    name,
    status: 'running',
    conclusion: null,
    completedAt: null,
    startedAt: NOW - minutes * 60_000,
    ...override,
  });

describe('the wait of a pull request under test', () => {
  test('the wait of a pull request under test shows the running check with its duration, and the timeout of the test run', () => {
    const waiting = inRun({ checks: [aCheck({ name: 'lint' }), begun('build', 6)] });

    expect(codesOf(waiting)).toEqual(['checks']);
    expect(waiting).toMatchObject({
      sentence:
        '#1 is in test run 00000003-0000-4000-8000-000000000001: check build has been running for 6 min.',
      remedy: `These checks decide; the test run ${givenUp}.`,
      untilAt: NOW + 3_600_000,
      behindPr: null,
    });
    expect(waiting.causes[0]).toMatchObject({ pr: 1, runId: runIdOf(1), checks: ['build'] });
  });

  test('the wait of a pull request under test lists all open checks by their progress', () => {
    const queued = begun('build', 0, { status: 'queued' });

    expect(inRun({ checks: [begun('lint', 3), queued] }).sentence).toBe(
      '#1 is in test run 00000003-0000-4000-8000-000000000001: check lint has been running for 3 min, and build waits for a free CI runner.',
    );
    const strict = aQuietQueue({ requiredStatuses: ['lint', 'build', 'docs'] });
    const both = ['build', 'docs'].map((name) => begun(name, 0, { status: 'queued' }));
    expect(inRun({ checks: [begun('lint', 3), ...both] }, [1], strict).sentence).toMatch(
      /, and build and docs wait for a free CI runner\.$/,
    );
    expect(inRun({ checks: [begun('lint', 3)] }).sentence).toMatch(
      /, and the CI has not reported build after 2 min\.$/,
    );
    expect(inRun({ checks: [begun('lint', 3), begun('build', 1)] }).sentence).toMatch(
      /checks lint \(for 3 min\) and build \(for 1 min\) are running\.$/,
    );
    expect(inRun({ starting: effectIdOf(1) }).sentence).toMatch(
      /: the CI is being asked to start lint and build\.$/,
    );
    expect(inRun({ checks: [aCheck({ name: 'lint' })], known: [aCheck()] }).sentence).toMatch(
      /its checks ended after 2 min, and the verdict comes next\.$/,
    );
  });

  test('the wait of a pull request under test shows that the CI has reported nothing, and until when it may', () => {
    expect(inRun({})).toMatchObject({
      code: 'checks',
      sentence:
        '#1 is in test run 00000003-0000-4000-8000-000000000001: the CI has not reported lint and build after 2 min.',
      remedy:
        'These checks decide; the test run times out at 2026-01-01 01:08:00 UTC unless a check has started by then: make sure that the CI tests what the queue builds.',
      untilAt: NOW + 480_000,
    });
  });

  test('the wait of a pull request under test names the pull requests that it is tested on top of', () => {
    expect(inRun({ checks: [begun('build', 6)] }, [1, 2, 3]).sentence).toMatch(
      /^#3 is in test run 00000003-0000-4000-8000-000000000003 on top of #1 and #2: /,
    );
  });

  test('the wait of a pull request under test shows that there is no timeout if the setting says so', () => {
    expect(inRun({ deadlineAt: null, checks: [begun('build', 6)] })).toMatchObject({
      remedy: expect.stringMatching(/has no timeout \(testingTimeoutMinutes is 0\)\.$/),
      untilAt: null,
    });
  });

  test('the wait of a pull request under test shows that its time is up and the checks are still to be read', () => {
    const checks = [begun('build', 6), begun('lint', 6)];
    expect(inRun({ deadlineAt: NOW, checks })).toMatchObject({
      remedy:
        'These checks decide; the test run was due by 2026-01-01 01:00:00 UTC and times out unless its checks have ended at the next read.',
      untilAt: null,
    });
  });

  test('the wait of a pull request under test shows that all of its checks are queued', () => {
    const checks = [begun('lint', 0, { status: 'queued' }), begun('build', 0, { status: 'queued' })];

    expect(inRun({ checks })).toMatchObject({
      code: 'queued_checks',
      sentence:
        '#1 waits for a free CI runner (test run 00000003-0000-4000-8000-000000000001, queued for 2 min): lint and build.',
      remedy: `More CI runners would start these checks earlier; the test run ${givenUp}.`,
      untilAt: NOW + 3_600_000,
    });
  });

  test('the wait of a pull request under test shows that its commit is being built, on what base, and since when', () => {
    const waiting = inRun({ state: 'building', candidate: null, createdAt: NOW - 12_000 }, [1, 2]);

    expect(waiting).toMatchObject({
      code: 'trial',
      sentence:
        'The commit to test #2 (test run 00000003-0000-4000-8000-000000000002) is being built on main at c0000000 on top of #1, started 12 s ago.',
      untilAt: null,
    });
    expect(codesOf(waiting)).toEqual(['trial']);
  });

  test('the wait of a pull request under test names a required check that no test run has ever shown, once half of the time is over', () => {
    const strict = aQuietQueue({ requiredStatuses: ['lint', 'audit'] }, { reportedChecks: ['lint'] });
    const half = { checks: [begun('lint', 6)], testingSince: NOW - 60_000, deadlineAt: NOW + 60_000 };
    const waiting = inRun(half, [1], strict);

    expect(codesOf(waiting)).toEqual(['checks', 'unreported_check']);
    expect(waiting.causes[1]).toMatchObject({
      sentence:
        'No test run of this queue has ever reported audit, which is required, and more than half of the time of test run 00000003-0000-4000-8000-000000000001 is over.',
      ...{ pr: 1, runId: runIdOf(1), checks: ['audit'] },
    });
    expect(waiting.remedy).toMatch(/^Have the CI report audit/);
    expect(codesOf(inRun({ ...half, deadlineAt: NOW + 60_001 }, [1], strict))).toEqual(['checks']);
    const known = aQuietQueue({ requiredStatuses: ['lint', 'audit'] }, { reportedChecks: ['lint', 'audit'] });
    expect(codesOf(inRun(half, [1], known))).toEqual(['checks']);
  });
});

describe('checks of a test run', () => {
  test('the newest check of a name counts, in any order of the CI', () => {
    const old = begun('build', 9, { id: 'old' });
    const newer = begun('build', 2, { id: 'newer' });

    for (const checks of [
      [old, newer],
      [newer, old],
    ])
      expect(inRun({ checks: [aCheck({ name: 'lint' }), ...checks] }).sentence).toMatch(
        /: check build has been running for 2 min\.$/,
      );
  });

  test('of two checks that started at the same time the last one counts', () => {
    const running = begun('build', 2, { id: 'first' });
    const queued = begun('build', 2, { id: 'second', status: 'queued' });

    expect(inRun({ checks: [begun('lint', 1), running, queued] }).sentence).toMatch(
      /: check lint has been running for 1 min, and build waits for a free CI runner\.$/,
    );
  });

  test('checks that are not required are named only if no required one is queued', () => {
    const extra = begun('extra', 0, { status: 'queued' });
    const passed = ['lint', 'build'].map((name) => aCheck({ id: name, name }));

    expect(inRun({ checks: [extra] })).toMatchObject({
      code: 'queued_checks',
      sentence: expect.stringMatching(/ for 2 min\): lint and build\.$/),
    });
    expect(
      inRun(
        { checks: [extra], known: passed, requiredChecks: [] },
        [1],
        aQuietQueue({ requiredStatuses: [] }),
      ),
    ).toMatchObject({
      code: 'queued_checks',
      sentence: expect.stringMatching(/ for 2 min\): extra\.$/),
    });
  });

  test('a check that the CI already shows is not listed as being requested', () => {
    const checks = [begun('lint', 3), begun('build', 1)];

    expect(inRun({ checks, starting: effectIdOf(1) }).sentence).toMatch(
      /: checks lint \(for 3 min\) and build \(for 1 min\) are running\.$/,
    );
  });

  test('unreported checks are shown only after half of the time, and never for a baseline run', () => {
    const strict = aQuietQueue({ requiredStatuses: ['lint', 'audit'] }, { reportedChecks: ['lint'] });
    const old = { testingSince: NOW - 60_000, deadlineAt: NOW + 60_000, checks: [begun('lint', 6)] };
    const codes = (override: Partial<TestRun>) => codesOf(inRun({ ...old, ...override }, [1], strict));

    expect(codes({})).toEqual(['checks', 'unreported_check']);
    expect(codes({ state: 'building', candidate: null, testingSince: null })).toEqual(['trial']);
    expect(codes({ known: [aCheck({ name: 'audit' })] })).toEqual(['checks']);
    expect(codes({ checks: [begun('lint', 6), begun('audit', 6)] })).toEqual(['checks']);
  });

  test('a check that is known to have passed counts as shown, and checks are missed only while a test runs', () => {
    const strict = aQuietQueue({ requiredStatuses: ['lint', 'audit'] }, { reportedChecks: ['lint'] });
    const old = { testingSince: NOW - 60_000, deadlineAt: NOW + 60_000, checks: [begun('lint', 6)] };
    const shown = (override: Partial<TestRun>) =>
      neverShown(aDraft({ queue: strict }), aRunOn([1], { ...old, ...override }));

    expect(shown({})).toEqual(['audit']);
    expect(shown({ known: [aCheck({ name: 'audit' })] })).toEqual([]);
    expect(shown({ state: 'building', candidate: null, testingSince: null })).toEqual([]);
    expect(shown({ ...passedBy(), checks: [] })).toEqual([]);
    expect(shown({ purpose: { kind: 'control', isFresh: false }, batch: [] })).toEqual([]);
  });
});

test('a pull request whose test run has ended waits only for the next decision', () => {
  const waiting = inRun({ ...passedBy(), checks: [] });

  expect(codesOf(waiting)).toEqual(['decision']);
  expect(waiting.causes[0]).toMatchObject({ sentence: 'Nothing blocks #1 any more.', pr: 1 });
});

test('the build of a commit points at its pull request and its test run', () => {
  const waiting = inRun({ state: 'building', candidate: null }, [1, 2]);

  expect(waiting.causes[0]).toMatchObject({ code: 'trial', pr: 2, runId: runIdOf(2) });
});

test('a baseline run waits only for the checks that it tests', () => {
  const control = aControl({ ...deadline, checks: [begun('build', 6)] });
  const waiting = waitOf(1, {
    queue: aQuietQueue(
      { requiredStatuses: ['lint', 'build'] },
      { tipTrust: { ...noTrust(TIP), asked: [{ check: 'build', failedBy: runIdOf(1) }] } },
    ),
    submissions: [aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) })],
    runs: [aRunOn([1], failedBy()), control],
  });

  expect(waiting.causes[1]).toMatchObject({ code: 'checks', pr: null, checks: ['build'] });
  expect(waiting.causes[1]?.sentence).toMatch(
    /^main is in test run \S+: check build has been running for 6 min\.$/,
  );
});
