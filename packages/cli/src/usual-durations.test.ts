import { MqError } from '@mq/client';
import { describe, expect, test } from 'vitest';
import { NOW } from '../test/answers.js';
import type { Schemas } from './command.js';
import type { Style } from './text/style.js';
import { durationLines } from './text/usual-durations.js';
import { passedDurations, spreadOf, usualDurations } from './usual-durations.js';

const style: Style = { width: 200, hasColours: false, now: NOW };
const MINUTE_MS = 60_000;
const { signal } = new AbortController();
const name = { repo: { host: 'local', owner: 'acme', name: 'widgets' }, targetBranch: 'main' };
const since = new Date(NOW).toISOString();

const result = (given: Partial<Schemas['TestingResult']>): Schemas['TestingResult'] => ({
  ...{ testRunId: 'run-1', isBisection: false, prNumber: 1, attempt: 1 },
  ...{ outcome: 'passed', cycleConclusion: 'passed', startedAt: since, endedAt: since },
  testingDurationMs: MINUTE_MS,
  ...given,
});

describe('usual durations', () => {
  test('usual durations count a test run of a batch once, and only those that passed', () => {
    expect(
      passedDurations([
        result({ testRunId: 'run-1', prNumber: 1 }),
        result({ testRunId: 'run-1', prNumber: 2 }),
        result({ testRunId: 'run-2', testingDurationMs: 2 * MINUTE_MS }),
        result({ testRunId: 'run-3', outcome: 'failed' }),
        result({ testRunId: 'run-4', testingDurationMs: null }),
      ]),
    ).toEqual([MINUTE_MS, 2 * MINUTE_MS]);
  });

  test('usual durations are the median and the 95th percentile of the given durations', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

    expect(spreadOf(hundred)).toEqual({ count: 100, medianMs: 50, p95Ms: 95 });
    expect(spreadOf([7])).toEqual({ count: 1, medianMs: 7, p95Ms: 7 });
    expect(spreadOf([])).toBeNull();
  });

  test('usual durations are shown for test runs and for merges, with how many they are made from', () => {
    const testRun = { count: 50, medianMs: 6 * MINUTE_MS, p95Ms: 12 * MINUTE_MS };
    const timeToMerge = { count: 120, medianMs: 14 * MINUTE_MS, p95Ms: 95 * MINUTE_MS };

    expect(durationLines({ since, testRun, timeToMerge }, style)).toEqual([
      'Tests: median 6 min, P95 12 min (last 50 that passed). Time to merge: median 14 min, P95 1 h 35 min (120 merged in 7 days).',
    ]);
    expect(durationLines({ since, testRun, timeToMerge: null }, style)).toEqual([
      'Tests: median 6 min, P95 12 min (last 50 that passed).',
    ]);
  });

  test('usual durations are those of seven days of UTC, today included', async () => {
    const asked: unknown[] = [];
    const client = {
      listMergeQueueTestingResults: async (request: unknown) => {
        asked.push(request);
        return { testingResults: [result({})], totalItems: 1 };
      },
      getQueueStatistics: async (request: unknown) => {
        asked.push(request);
        return { bucket: 'day', total: { landed: 3, timeInQueue: { medianMs: 5, p95Ms: 9 } }, buckets: [] };
      },
    } as unknown as Parameters<typeof usualDurations>[0];

    expect(await usualDurations(client, name, NOW, signal)).toEqual({
      since: '2026-04-28T00:00:00.000Z',
      testRun: { count: 1, medianMs: MINUTE_MS, p95Ms: MINUTE_MS },
      timeToMerge: { count: 3, medianMs: 5, p95Ms: 9 },
    });
    expect(asked).toEqual([
      { ...name, since: '2026-04-28T00:00:00.000Z', take: 100 },
      { ...name, since: '2026-04-28T00:00:00.000Z', bucket: 'day' },
    ]);
  });

  test('usual durations are null if the server refuses them, and an interrupt ends the command', async () => {
    const refusing = (error: Error) => ({
      listMergeQueueTestingResults: () => Promise.reject(error),
      getQueueStatistics: () => Promise.reject(error),
    });
    const refused = new MqError('There is no operation.', { code: 'PATH_NOT_FOUND', status: 404 });
    const interrupt = new DOMException('Interrupted.', 'AbortError');

    expect(await usualDurations(refusing(refused), name, NOW, signal)).toBeNull();
    await expect(usualDurations(refusing(interrupt), name, NOW, signal)).rejects.toBe(interrupt);
  });

  test('usual durations are left out of a queue without any, and if the server does not answer them', () => {
    expect(durationLines({ since, testRun: null, timeToMerge: null }, style)).toEqual([]);
    expect(durationLines(null, style)).toEqual([]);
  });
});
