import { expect, test } from 'vitest';
import { goalRows } from './goals.js';
import type { Summary } from './report.js';

const summary = (load: string, policy: string, p50: number, runsPerChange: number): Summary => ({
  ...{ load, policy, seeds: [1], runners: 1, flakeRate: 0, changes: 100 },
  ...{ minutes: { p50, p95: 1, p99: 1 }, multiples: { p50, p95: 1, p99: 1 }, runsPerChange },
  ...{ ciMinutesPerChange: 20, ciMultiple: 1.25, innocentsRejected: 0, redMain: 0 },
  ...{ undecided: 0, culpritsStayed: 0, pauses: 0, cpuSeconds: 1 },
});

test('a goal is reached by waits and test runs together', () => {
  const reached = (p50: number, runs: number) => goalRows([summary('E2a', 'engine', p50, runs)])[0]?.at(-1);

  expect([reached(1.15, 1.45), reached(1.16, 1.45), reached(1.15, 1.46)]).toEqual(['yes', 'no', 'no']);
  expect(goalRows([summary('E2a', 'zuul', 1, 1)])).toEqual([]);
});

test('with few runners the goal is a multiple of the bound and of bors', () => {
  const few = [summary('E4', 'bound', Number.NaN, 0.25), summary('E4', 'bors(16)', 200, 0.3)];
  const rows = goalRows([summary('E4', 'engine', 120, 0.27), summary('E4', 'engine(x)', 121, 0.25), ...few]);

  expect(rows.map((row) => row.slice(3))).toEqual([
    ['1.08 × H(p), P50 0.60 × bors(16)', 'yes'],
    ['1.00 × H(p), P50 0.60 × bors(16)', 'no'],
  ]);
  expect(goalRows([summary('E4', 'engine', 120, 0.27)])).toEqual([]);
});
