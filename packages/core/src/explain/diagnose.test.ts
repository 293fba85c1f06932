import { aMember, aQueue, aWebhook, BUILT_AT as NOW } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { ExpectedCheck, ReportedExecution } from '../model/external-check.js';
import type { Sha, TestRunId } from '../model/ids.js';
import { TARGET_BYTES_LIMIT } from '../model/impacted-targets.js';
import type { Queue } from '../model/queue.js';
import { REPORTED_CHECKS_LIMIT } from '../model/required-checks.js';
import { defaultSettings, type QueueSettings } from '../model/settings.js';
import type { Webhook, WebhookProgress } from '../model/webhook.js';
import { type DiagnosedQueue, diagnoseQueue } from './diagnose.js';
import { diagnoseWebhook } from './diagnose-webhook.js';

const required = { requiredStatuses: ['build'] };
const quiet: Omit<DiagnosedQueue, 'queue'> = {
  ...{ now: NOW, sources: [], expected: [], presences: [], testing: [] },
  targets: { bytes: 0, limitBytes: TARGET_BYTES_LIMIT },
};
const codesOf = (settings: Partial<QueueSettings>, queue: Partial<Queue> = {}) => {
  const all = { ...defaultSettings, ...required, ...settings };
  const one = aQueue({ settings: all, reportedChecks: ['build'], ...queue });
  return diagnoseQueue({ ...quiet, queue: one }).map(({ code }) => code);
};
const minutes = (...all: readonly number[]) => all.map((one) => one * 60_000);

test('a queue with the default settings and reported checks has no finding', () => {
  expect(codesOf({})).toEqual([]);
});

test('pull requests at which nothing can be shown are found after three failures', () => {
  const queue = aQueue({ settings: { ...defaultSettings, ...required }, reportedChecks: ['build'] });
  const found = (failures: number) =>
    diagnoseQueue({
      ...{ ...quiet, queue },
      presences: [{ pr: 7, failures, failure: 'Comments are locked.' }],
    });

  expect(found(2)).toEqual([]);
  expect(found(3)).toMatchObject([
    {
      code: 'PRESENCE_FAILING',
      severity: 'warning',
      sentence: 'What #7 should show cannot be written: Comments are locked.',
    },
  ]);
});

describe('findings about settings', () => {
  test('optimistic merging with a pending failure depth is found in parallel mode only', () => {
    const both = { canOptimisticallyMerge: true, pendingFailureDepth: 2 };
    expect(codesOf({ ...both, mode: 'parallel' })).toEqual(['OPTIMISTIC_WITH_DEPTH']);
    expect(codesOf({ ...both, mode: 'single' })).toEqual([]);
  });

  test('bisection slots below a quarter of the concurrency are found', () => {
    expect(codesOf({ concurrency: 20, bisectionConcurrency: 4 })).toEqual(['BISECTION_SLOTS_LOW']);
    expect(codesOf({ concurrency: 20, bisectionConcurrency: 5 })).toEqual([]);
    expect(codesOf({ concurrency: 20, bisectionConcurrency: null })).toEqual([]);
  });

  test('a timeout below the slowest twentieth of ten or more test runs is found', () => {
    const slow = minutes(10, 10, 10, 10, 10, 10, 10, 10, 10, 31);
    expect(codesOf({ testingTimeoutMinutes: 30 }, { testDurations: slow })).toEqual(['TIMEOUT_SHORT']);
    expect(codesOf({ testingTimeoutMinutes: 31 }, { testDurations: slow })).toEqual([]);
    expect(codesOf({ testingTimeoutMinutes: 30 }, { testDurations: slow.slice(1) })).toEqual([]);
  });

  test('a freeze that has ended is found', () => {
    expect(codesOf({ freezeUntil: NOW })).toEqual(['FREEZE_ENDED']);
    expect(codesOf({ freezeUntil: NOW + 1 })).toEqual([]);
  });
});

describe('findings about checks', () => {
  test('a required check that was never reported is found by name', () => {
    const queue = aQueue({
      settings: { ...defaultSettings, requiredStatuses: ['build', 'lint', 'e2e'] },
      reportedChecks: ['build'],
    });
    const e2e = { name: 'e2e', source: 'external', reporters: ['jenkins'], startTimeoutMs: null } as const;

    expect(diagnoseQueue({ ...quiet, queue, sources: [e2e] })).toMatchObject([
      { code: 'CHECK_NEVER_REPORTED', sentence: 'lint is required and was never reported.' },
      {
        code: 'REPORTER_NEVER_REPORTED',
        sentence: 'e2e was never reported; it may be reported by jenkins.',
      },
    ]);
  });

  test('a queue without required checks is found', () => {
    expect(
      codesOf({ requiredStatuses: null }, { target: { ...aQueue().target, requiredChecks: null } }),
    ).toEqual(['NO_REQUIRED_CHECKS']);
  });
});

describe('findings about the host and the state', () => {
  const trouble = { effectId: 'e' as never, message: 'The token was revoked.', since: NOW - 120_000 };

  test('a host that fails and one that refuses are distinguished, with the time since when', () => {
    const found = (hostTrouble: Queue['hostTrouble']) =>
      diagnoseQueue({
        ...quiet,
        queue: aQueue({
          settings: { ...defaultSettings, ...required },
          reportedChecks: ['build'],
          hostTrouble,
        }),
      });
    expect(found(trouble)).toMatchObject([{ code: 'HOST_FAILING', severity: 'warning' }]);
    expect(found({ ...trouble, reach: 'access' })).toMatchObject([
      { code: 'HOST_REFUSES', severity: 'error', sentence: 'For 2 min: The token was revoked.' },
    ]);
  });
});

describe('findings about reporters', () => {
  const source = { name: 'e2e', source: 'external', reporters: ['lab'], startTimeoutMs: null } as const;
  const queue = aQueue({
    settings: { ...defaultSettings, requiredStatuses: ['e2e'] },
    reportedChecks: ['e2e'],
  });
  const expected = (override: Partial<ExpectedCheck>): ExpectedCheck => ({
    ...{ repo: queue.repo, runId: 'run' as TestRunId, commit: 'c' as Sha, name: 'e2e' },
    ...{ askedAt: NOW - 7 * 60_000, closedAt: null, executions: [], version: 1 },
    ...override,
  });
  const landed = expected({
    closedAt: NOW - 3 * 3_600_000,
    executions: [{ reporter: 'lab', reportedAt: NOW - 3 * 3_600_000 } as ReportedExecution],
  });
  const sentencesOf = (...all: readonly ExpectedCheck[]) =>
    diagnoseQueue({ ...quiet, queue, sources: [source], expected: all }).map(
      ({ code, sentence }) => `${code} ${sentence}`,
    );

  test('a check that no reporter takes up is found, with the last report', () => {
    expect(sentencesOf(expected({}), landed)).toEqual([
      'REPORTER_SILENT e2e was requested 7 min ago and not taken up. It was last reported 3 h ago, by lab.',
    ]);
    expect(sentencesOf(expected({}))).toEqual([expect.stringContaining('too old to be on record')]);
  });

  test('a check that was requested just now, taken up, or is no longer needed is no finding', () => {
    expect(sentencesOf(expected({ askedAt: NOW - 60_000 }))).toEqual([]);
    expect(sentencesOf(expected({ executions: landed.executions }))).toEqual([]);
    expect(sentencesOf(expected({ closedAt: NOW }))).toEqual([]);
  });

  /** The last test runs of a check of two reporters, each reported by one of these. */
  const reportedBy = (...reporters: readonly string[]) => {
    const all = reporters.map((reporter, index) =>
      expected({
        ...{ runId: `run-${index}` as TestRunId, askedAt: NOW - index, closedAt: NOW },
        executions: [{ reporter, reportedAt: NOW } as ReportedExecution],
      }),
    );
    const sources = [{ ...source, reporters: ['lab', 'jenkins'] }];
    return diagnoseQueue({ ...quiet, queue, sources, expected: all }).map(
      ({ code, sentence }) => `${code} ${sentence}`,
    );
  };
  const lab = (count: number) => Array.from({ length: count }, () => 'lab');

  test('one of two reporters that has reported none of the last ten test runs is found', () => {
    expect(reportedBy(...lab(10), 'jenkins')).toEqual([
      'REPORTER_OF_SEVERAL_SILENT e2e: jenkins reported none of its last 10 test runs, lab 10.',
    ]);
  });

  test('a reporter with one of the last ten test runs, or with fewer than ten on record, is not silent', () => {
    expect(reportedBy(...lab(9), 'jenkins')).toEqual([]);
    expect(reportedBy(...lab(9))).toEqual([]);
  });

  test('a reporter that a check does not name any more does not count for the others', () => {
    expect(reportedBy(...lab(9), 'retired')).toEqual([]);
  });
});

describe('findings about test runs', () => {
  const usual = minutes(4, 5, 5, 5, 6, 6, 6, 6, 6, 10);
  const queue = aQueue({ settings: { ...defaultSettings, ...required }, testDurations: usual });
  const found = (testing: DiagnosedQueue['testing'], row = queue) =>
    diagnoseQueue({ ...quiet, queue: row, testing }).map(({ code, sentence }) => `${code} ${sentence}`);
  const since = (ms: number, ...prs: readonly number[]) => ({
    batch: prs.map((pr) => aMember(pr)),
    testingSince: NOW - ms,
  });
  const limitMs = 20 * 60_000;

  test('a test run that takes more than twice as long as the slowest passed one is found', () => {
    expect(found([since(limitMs + 1, 7, 8)])).toEqual([
      'TEST_RUN_SLOW The test run of #7 and #8 has taken 20 min so far. The slowest of the last 10 passed ones took 10 min; more than 20 min is far longer than usual.',
    ]);
    expect(found([since(limitMs, 7)])).toEqual([]);
  });

  test('several of them are one finding that names the longest', () => {
    const [sentence] = found([since(limitMs + 1, 7), since(2 * limitMs), since(limitMs + 2, 9)]);
    expect(sentence).toContain('The test run of the bare main has taken 40 min so far.');
    expect(sentence).toContain('2 more take longer than that, too.');
  });

  test('no test run is slow within a minute, however short the others were', () => {
    const short = { ...queue, testDurations: usual.map(() => 2_000) };
    expect(found([since(60_000, 7)], short)).toEqual([]);
    expect(found([since(60_001, 7)], short)[0]).toContain('more than 1 min is far longer than usual');
  });

  test('no test run is slow before ten have passed', () => {
    expect(found([since(limitMs + 1, 7)], { ...queue, testDurations: usual.slice(1) })).toEqual([]);
  });
});

describe('findings about limits', () => {
  test('nine tenths of the names of required checks on record are found', () => {
    const names = (count: number) => [
      'build',
      ...Array.from({ length: count - 1 }, (_, index) => `check-${index}`),
    ];
    const near = 0.9 * REPORTED_CHECKS_LIMIT;
    expect(codesOf({}, { reportedChecks: names(near) })).toEqual(['CHECKS_NEAR_LIMIT']);
    expect(codesOf({}, { reportedChecks: names(near - 1) })).toEqual([]);
  });

  test('nine tenths of the bytes of targets are found, with both numbers', () => {
    const queue = aQueue({ settings: { ...defaultSettings, ...required } });
    const found = (bytes: number) =>
      diagnoseQueue({ ...quiet, queue, targets: { bytes, limitBytes: 1_000 } });
    expect(found(900)).toMatchObject([
      {
        code: 'TARGETS_NEAR_LIMIT',
        sentence: expect.stringContaining('900 of 1000 bytes of impacted targets'),
      },
    ]);
    expect(found(899)).toEqual([]);
  });
});

describe('findings about a webhook', () => {
  const progress = { lastSuccessAt: null, failingSince: null, lastFailure: null };
  const of = (webhook: Partial<Webhook>, seen: Partial<WebhookProgress> = {}) =>
    diagnoseWebhook(aWebhook(1, webhook), { ...progress, ...seen }, NOW).map(
      ({ code, sentence }) => `${code} ${sentence}`,
    );

  test('one that delivers, and one that its owner disabled, have none', () => {
    expect(of({}, { lastSuccessAt: NOW })).toEqual([]);
    expect(of({ disabled: { at: NOW, reason: 'owner' } })).toEqual([]);
  });

  test('one that fails is found, with the last failure and without the path of its address', () => {
    const seen = { failingSince: NOW - 60_000, lastSuccessAt: NOW - 3_600_000, lastFailure: 'HTTP 500' };
    expect(of({ url: 'https://hooks.example/secret' }, seen)).toEqual([
      'WEBHOOK_FAILING Deliveries to hooks.example began to fail 1 min ago (last success 1 h ago): HTTP 500.',
    ]);
  });

  test('one that was stopped is found with the reason', () => {
    expect(of({ disabled: { at: NOW - 60_000, reason: 'gone' } })).toEqual([
      'WEBHOOK_STOPPED Stopped 1 min ago (receiver-1.example): its receiver answered 410 Gone.',
    ]);
  });
});
