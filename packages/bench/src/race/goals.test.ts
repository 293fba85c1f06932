import { expect, test } from 'vitest';
import { flakeRows, goalRows, peerRows } from './goals.js';
import type { Result } from './race.js';
import type { Summary } from './report.js';

const summary = (load: string, policy: string, p50: number, runsPerChange: number): Summary => ({
  ...{ load, policy, seeds: [1], runners: 1, flakeRate: 0, changes: 100 },
  ...{ minutes: { p50, p95: 1, p99: 1 }, multiples: { p50, p95: 1, p99: 1 }, runsPerChange },
  ...{ ciMinutesPerChange: 20, ciMultiple: 1.25, innocents: 90, innocentsRejected: 0, redMain: 0 },
  ...{ undecided: 0, culpritsStayed: 0, pauses: 0, cpuSeconds: 1, runsByCause: {} },
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

const seeded = (given: Partial<Result>): Result => ({
  ...summary('E2a', 'engine(confirmBeforeFailing=true)', 1, 1),
  ...{ seed: 1, innocents: 10_000 },
  ...given,
});

test('with flakes the goal is a share of innocents, its interval, and test runs on the seeds of both', () => {
  const reached = (innocentsRejected: number, runsPerChange: number) =>
    flakeRows([
      seeded({ flakeRate: 0.05, innocentsRejected, runsPerChange }),
      seeded({ flakeRate: 0.05, seed: 2, innocents: 0, runsPerChange: 100 }),
      seeded({ runsPerChange: 2 }),
    ])[0];

  expect(reached(20, 2.5)?.slice(3)).toEqual(['0.20 % (0.13 % to 0.31 %), 1.25 ×', 'no']);
  expect([reached(19, 2.5), reached(19, 2.6), reached(21, 2)].map((row) => row?.at(-1))).toEqual([
    ...['yes', 'no', 'no'],
  ]);
  expect(flakeRows([seeded({ flakeRate: 0.05 })])).toEqual([]);
});

test('with other targets the goal is to be no worse than either line', () => {
  const rows = (p95: number, ciMinutesPerChange: number) => {
    const minutes = { p50: 1, p95, p99: 1 };
    const own = { ...summary('E2a/all', 'engine', 1, 1), minutes, ciMinutesPerChange };
    const lines = [summary('E2a/all', 'zuul', 1, 1), summary('E2a/all', 'github(W)', 1, 1)];
    return peerRows([own, ...lines]);
  };

  expect(rows(1.05, 21).map((row) => row.slice(3))).toEqual([
    ['P95 1.05 × and 1.05 ×, CI min 1.05 ×', 'yes'],
  ]);
  expect([rows(1.06, 20), rows(1, 21.1)].map(([row]) => row?.at(-1))).toEqual(['no', 'no']);
  expect(peerRows([summary('E2a/all', 'engine', 1, 1)])).toEqual([]);
});
