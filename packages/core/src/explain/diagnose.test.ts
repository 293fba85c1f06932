import { aQueue, BUILT_AT as NOW } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Queue } from '../model/queue.js';
import { defaultSettings, type QueueSettings } from '../model/settings.js';
import { diagnoseQueue } from './diagnose.js';

const required = { requiredStatuses: ['build'] };
const codesOf = (settings: Partial<QueueSettings>, queue: Partial<Queue> = {}) => {
  const all = { ...defaultSettings, ...required, ...settings };
  const one = aQueue({ settings: all, reportedChecks: ['build'], ...queue });
  return diagnoseQueue({ queue: one, now: NOW, sources: [] }).map(({ code }) => code);
};
const minutes = (...all: readonly number[]) => all.map((one) => one * 60_000);

test('a queue with the default settings and reported checks has no finding', () => {
  expect(codesOf({})).toEqual([]);
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

    expect(diagnoseQueue({ queue, now: NOW, sources: [e2e] })).toMatchObject([
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
        queue: aQueue({
          settings: { ...defaultSettings, ...required },
          reportedChecks: ['build'],
          hostTrouble,
        }),
        now: NOW,
        sources: [],
      });
    expect(found(trouble)).toMatchObject([{ code: 'HOST_FAILING', severity: 'warning' }]);
    expect(found({ ...trouble, reach: 'access' })).toMatchObject([
      { code: 'HOST_REFUSES', severity: 'error', sentence: 'For 2 min: The token was revoked.' },
    ]);
  });
});
