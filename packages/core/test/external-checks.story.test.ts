// Checks whose results are reported from outside: by Jenkins, by a shell script, by any CI.
import { type CheckSource, HostError, type ReportCheckRequest, type Sha, type TestRunId } from '@mq/core';
import { memoryCheckStore } from '@mq/store-memory';
import { type Story, stories } from '@mq/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { expectedOf, externalStory, refusalOf, reporting, unit } from './external.js';

const story = stories(afterEach);

const underTest = externalStory(story);

describe('a check that is reported from outside', () => {
  test('a check that is reported from outside is offered to its reporter with the commit, the ref and a deadline', async () => {
    const { q, expected, first } = await underTest({ testingTimeoutMinutes: 60 });
    const now = q.world.clock.now();

    expect(expected).toHaveLength(1);
    expect(first).toMatchObject({
      ...{ targetBranch: 'main', check: 'unit', status: 'queued', sequence: 0, reportedAt: null },
      ...{ askedAt: now, startBy: now + 600_000, deadlineAt: now + 3_600_000 },
    });
    expect(first.ref).toContain(first.testRunId);
  });

  test('a check that is reported from outside merges the pull request when its reporter reports success', async () => {
    const { q, first } = await underTest();
    const report = reporting(q, first);
    await report({ status: 'running', url: 'https://ci.example/1' });
    q.isIn({ 1: 'testing' });
    q.waitsFor(1, 'checks');
    expect(await report({ status: 'completed', conclusion: 'success' })).toMatchObject({
      ...{ applied: true, status: 'completed', conclusion: 'success', sequence: 2 },
    });

    q.isIn({ 1: 'merged' });
    expect(await q.world.mq.listExpectedChecks({ reporter: 'jenkins' })).toEqual([]);
  });

  test('a check that is reported from outside fails the pull request when its reporter reports a failure', async () => {
    const { q, first } = await underTest();
    await reporting(q, first)({ status: 'completed', conclusion: 'failure', summary: '3 tests failed' });
    const base = await expectedOf(q);
    await reporting(q, base.first)({ status: 'completed', conclusion: 'success' });

    q.isIn({ 1: 'failed' });
    q.hasReason(1, 'TEST_RUN_REQUIRED_STATUS_FAILED');
  });

  test('a check that is reported from outside is waited for beside a check of the code host', async () => {
    const { q, first } = await underTest({}, { checks: ['lint'] });
    await q.passes('main+1', 'lint');
    q.isIn({ 1: 'testing' });
    await reporting(q, first)({ status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'merged' });
  });

  test('a check that is reported from outside does not count when the code host shows one of the same name', async () => {
    const externalChecks = { store: memoryCheckStore(), sources: () => [unit] };
    const q = await story(
      { directMergeMode: 'always' },
      { checks: ['unit'], showsTip: false, externalChecks },
    );
    await q.opens(1);
    q.world.repository.reportHeadChecks(1, { unit: 'success' });
    await q.submit(1);
    await q.after('5m');

    q.isIn({ 1: 'testing' });
    await reporting(q, (await expectedOf(q)).first)({ status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'merged' });
  });

  test('a check that is reported from outside is shown as failing early, and the verdict waits for the end', async () => {
    const { q, first } = await underTest();
    const report = reporting(q, first);
    await report({ status: 'running', failing: true });
    q.isIn({ 1: 'testing' });
    q.explains(1, /unit is failing already/);

    await report({ status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'merged' });
  });

  test('a check that is reported from outside ends as an infrastructure failure when no reporter begins within its start timeout', async () => {
    const { q } = await underTest(
      {},
      { sources: [{ ...unit, startTimeoutMs: 60_000 }], pace: { retryLimit: 0, ciStartMs: 3_600_000 } },
    );
    await q.after('59s');
    q.isIn({ 1: 'testing' });
    await q.after('31s');
    q.isIn({ 1: 'failed' });
    q.explains(1, /CI did not start/);
  });

  test('a check that is reported from outside is waited for beyond its start timeout once a reporter has begun', async () => {
    const { q, first } = await underTest({}, { sources: [{ ...unit, startTimeoutMs: 60_000 }] });
    await reporting(q, first)({ status: 'running' });
    await q.after('2h');
    q.isIn({ 1: 'testing' });
    await reporting(q, first)({ status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'merged' });
  });

  test('a check that is reported from outside is reported to one engine and decided by another', async () => {
    const { q, first } = await underTest({}, { engines: 2 });
    await reporting(q, first)({ status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'merged' });
  });

  test('a check that is reported from outside keeps its reports when the engine crashes', async () => {
    const { q, first } = await underTest();
    await reporting(q, first)({ status: 'running', sequence: 7 });
    await q.world.crash();

    expect((await expectedOf(q)).first).toMatchObject({ status: 'running', sequence: 7 });
    await q.after('2h');
    q.isIn({ 1: 'testing' });
  });
});

describe('the start timeout of a check that is reported from outside', () => {
  const HOUR_MS = 3_600_000;
  const retriesOf = (q: Story) => q.world.seen.submissions.get(1)?.submission.retries;
  const standstills: [string, (q: Story) => Promise<void>][] = [
    [
      'the host refuses access',
      async (q) => {
        q.world.host.refuseAll(new HostError('Bad credentials', 'never', null, { reach: 'access' }));
        await q.after('1h');
        q.world.host.refuseAll(null);
      },
    ],
    [
      'the clock jumps',
      async (q) => {
        await q.world.clock.advance(HOUR_MS);
        await q.world.settle();
      },
    ],
  ];

  test.each(standstills)(
    'the start timeout of a check that is reported from outside stands still while %s',
    async (_, standsStill) => {
      const { q, first } = await underTest();
      await q.after('1m');
      await standsStill(q);
      await q.after('2m');

      expect(retriesOf(q)).toBe(0);
      const { testRunId, startBy } = (await expectedOf(q)).first;
      expect(testRunId).toBe(first.testRunId);
      const movedMs = (startBy ?? 0) - (first.startBy ?? 0);
      expect(movedMs).toBeGreaterThan(HOUR_MS - 120_000);
      expect(movedMs).toBeLessThanOrEqual(HOUR_MS + 120_000);
      await q.after('10m');
      expect(retriesOf(q)).toBe(1);
    },
  );

  test('the start timeout of a check that is reported from outside begins again when the service was down', async () => {
    const { q, first } = await underTest();
    await q.after('1m');
    await q.isDownFor('6h');
    await q.after('1m');

    expect(retriesOf(q)).toBe(0);
    const { testRunId, startBy } = (await expectedOf(q)).first;
    expect(testRunId).toBe(first.testRunId);
    expect((startBy ?? 0) - q.world.clock.now()).toBeLessThanOrEqual(600_000);
    await q.after('10m');
    expect(retriesOf(q)).toBe(1);
  });
});

describe('a report', () => {
  test('a report is refused for a check of another source, and from another reporter', async () => {
    const { q, first } = await underTest({}, { checks: ['lint'] });
    const report = reporting(q, first);
    const pass = { status: 'completed', conclusion: 'success' } as const;

    expect(await refusalOf(report({ ...pass, check: 'lint' }))).toBe('CHECK_NOT_REPORTABLE');
    expect(await refusalOf(report({ ...pass, reporter: 'buildkite' }))).toBe('CHECK_NOT_REPORTABLE');
    expect(await refusalOf(report({ ...pass, testRunId: 'other' as TestRunId }))).toBe('RUN_NOT_FOUND');
    q.isIn({ 1: 'testing' });
    expect(await expectedOf(q)).toMatchObject({ first: { sequence: 0 } });
  });

  test('a report changes nothing when a later one of its reporter is known', async () => {
    const { q, first } = await underTest();
    const report = reporting(q, first);
    await report({ status: 'running', sequence: 5 });

    expect(await report({ status: 'completed', conclusion: 'failure', sequence: 4 })).toMatchObject({
      ...{ applied: false, status: 'running', sequence: 5 },
    });
    expect(await report({ status: 'running', sequence: 5 })).toMatchObject({ applied: true });
    q.isIn({ 1: 'testing' });
  });

  test('a report is refused when its time is more than five minutes ahead', async () => {
    const { q, first } = await underTest();
    const report = reporting(q, first);
    const now = q.world.clock.now();

    expect(await refusalOf(report({ startedAt: now + 300_001 }))).toBe('INVALID_REQUEST');
    expect(await report({ startedAt: now + 300_000 })).toMatchObject({ applied: true });
  });

  test('a report is refused once the test run is over', async () => {
    const { q, first } = await underTest();
    await q.cancel(1);

    expect(await refusalOf(reporting(q, first)({ status: 'completed', conclusion: 'success' }))).toBe(
      'TEST_RUN_CLOSED',
    );
  });

  test('a report by commit alone counts for the test run of that commit', async () => {
    const { q, first } = await underTest();
    const { repo } = q.world.ref;
    const byCommit = (report: Partial<ReportCheckRequest>) =>
      q.world.act(() =>
        q.world.mq.reportCheck({
          ...{ repo, reporter: 'jenkins', check: 'unit', commit: first.commit, status: 'completed' },
          ...report,
        }),
      );
    const other = 'f'.repeat(40) as Sha;

    expect(await refusalOf(byCommit({ conclusion: 'failure' }))).toBe('REPORT_REFUSED');
    expect(await refusalOf(byCommit({ conclusion: 'failure', startedAt: first.askedAt - 1 }))).toBe(
      'REPORT_REFUSED',
    );
    expect(await refusalOf(byCommit({ conclusion: 'success', commit: other }))).toBe('RUN_NOT_FOUND');
    q.isIn({ 1: 'testing' });
    expect(await byCommit({ conclusion: 'success' })).toMatchObject({ testRunId: first.testRunId });
    q.isIn({ 1: 'merged' });
  });

  test('a report of another commit than that of the test run is refused', async () => {
    const { q, first } = await underTest();

    expect(await refusalOf(reporting(q, first)({ commit: 'f'.repeat(40) as Sha }))).toBe('REPORT_REFUSED');
  });

  test('a report waits for every reporter that has begun', async () => {
    const { q, first } = await underTest({}, { sources: [{ ...unit, reporters: ['jenkins', 'arm'] }] });
    const report = reporting(q, first);
    await report({ reporter: 'arm' });
    await report({ status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'testing' });
    await report({ reporter: 'arm', status: 'completed', conclusion: 'success' });
    q.isIn({ 1: 'merged' });
  });
});

describe('a report token', () => {
  test('a report token is good for one check of one test run, in the name of its reporter', async () => {
    const lint: CheckSource = { ...unit, name: 'lint' };
    const { q, expected } = await underTest({}, { sources: [unit, lint] });
    const { repo } = q.world.ref;
    const [one, other] = expected;
    if (one === undefined || other === undefined) throw new Error('Two checks are expected.');
    const grant = q.world.mq.readReportToken(one.reportToken);

    expect(grant).toMatchObject({ testRunId: one.testRunId, reporter: 'jenkins' });
    expect(grant?.covers({ repo, testRunId: one.testRunId, check: one.check })).toBe(true);
    expect(grant?.covers({ repo, testRunId: one.testRunId, check: other.check })).toBe(false);
    expect(grant?.covers({ repo, testRunId: 'other' as TestRunId, check: one.check })).toBe(false);
    expect(grant?.covers({ repo: { ...repo, name: 'x' }, testRunId: one.testRunId, check: one.check })).toBe(
      false,
    );
    for (const forged of [`${one.reportToken}x`, one.reportToken.slice(0, -1), 'mqr_', `mqr_x.y`, ''])
      expect(q.world.mq.readReportToken(forged)).toBeNull();
  });
});
