import { aCheck, aRun } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { ciMsOf } from './ci-time.js';

describe('CI time of a test run', () => {
  const run = aRun(9, { createdAt: 1_000 });
  const own = (startedAt: number, completedAt: number | null) =>
    aCheck({
      id: `check ${startedAt}`,
      runId: run.id,
      startedAt,
      completedAt,
      status: completedAt === null ? 'running' : 'completed',
    });

  test('the CI time of a test run is the sum over its own checks', () => {
    expect(ciMsOf({ ...run, checks: [own(2_000, 5_000), own(2_500, 3_500)] })).toBe(4_000);
  });

  test('a check that was still running when its test run was closed counts until then', () => {
    expect(ciMsOf({ ...run, closedAt: 9_000, checks: [own(2_000, null)] })).toBe(7_000);
  });

  test('checks of other test runs, and those from before it, cost this test run nothing', () => {
    const reused = aCheck({ name: 'lint', runId: null, startedAt: 500, completedAt: 900 });
    expect(ciMsOf({ ...run, known: [own(1, 5_000)], checks: [reused] })).toBe(0);
  });
});
