import { anActor, runIdOf, shaOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { HistoryRow, Moved, RunChanged } from '../model/history.js';
import { learn } from './learn.js';

let sequence = 0;
const entry = (at: number) => {
  sequence += 1;
  return { sequence, at, settingsVersion: 1 };
};
const ofRun = (run: number, change: RunChanged['change'], at: number, more: Partial<RunChanged> = {}) =>
  ({
    ...entry(at),
    ...{ type: 'run', runId: runIdOf(run), change, purpose: 'test', prs: [run], attempts: [1] },
    ...{ outcome: null, cause: null, testingSince: null, isTested: true, candidate: null },
    ...{ base: shaOf(1), stack: [], ref: null },
    ...more,
  }) satisfies HistoryRow as RunChanged;
const passed = (run: number, since: number, at: number, more: Partial<RunChanged> = {}) =>
  ofRun(run, 'ended', at, { outcome: 'passed', testingSince: since, ...more });
const merged = (pr: number, since: number, at: number, more: Partial<Moved> = {}) =>
  ({
    ...entry(at),
    ...{
      type: 'moved',
      submissionId: submissionIdOf(pr),
      pr,
      attempt: 1,
      from: 'tests_passed',
      to: 'merged',
    },
    ...{ since, admittedAt: 0, reasonBefore: null, reason: 'MERGE_GRAPH_MERGE', detail: null },
    ...{ runId: runIdOf(pr), actor: anActor, title: 'Add a feature', author: 'ada', priority: 100 },
    ...more,
  }) satisfies HistoryRow as Moved;
const typical = (...rows: HistoryRow[]) => learn(rows.toReversed()).typical;

describe('what is learnt from the history', () => {
  test('learnt durations are the median and the 90th percentile', () => {
    const rows = Array.from({ length: 10 }, (_, index) => passed(index, 0, 100 * (index + 1)));
    const learnt = learn(rows);

    expect([learnt.typical.testingMs.test, learnt.slow.testingMs.test]).toEqual([500, 900]);
    expect(learnt.basedOnRuns).toBe(10);
  });

  test('durations of candidates and landings are learnt like those of tests', () => {
    const rows = Array.from({ length: 10 }, (_, index) => [
      ofRun(index, 'created', 10_000 * index),
      ofRun(index, 'testing', 10_000 * index + 100 * (index + 1)),
      merged(index, 10_000 * index, 10_000 * index + 10 * (index + 1)),
    ]).flat();
    const learnt = learn(rows.toReversed());

    expect([learnt.typical.buildingMs, learnt.slow.buildingMs]).toEqual([500, 900]);
    expect([learnt.typical.landingMs, learnt.slow.landingMs]).toEqual([50, 90]);
  });

  test('durations are learnt from the newest hundred of each kind', () => {
    const ofEach = (index: number, ms: number) => [
      ofRun(index, 'created', 10_000 * index),
      ofRun(index, 'testing', 10_000 * index + ms),
      passed(index, 10_000 * index, 10_000 * index + ms),
      merged(index, 10_000 * index, 10_000 * index + ms),
    ];
    const rows = Array.from({ length: 250 }, (_, index) => ofEach(index + 1, index < 150 ? 900 : 7)).flat();
    const learnt = learn(rows.toReversed());

    expect(learnt.typical).toEqual({
      buildingMs: 7,
      testingMs: { test: 7, isolate: 7, control: 7 },
      landingMs: 7,
    });
    expect(learnt.slow).toEqual(learnt.typical);
    expect(learnt.basedOnRuns).toBe(100);
  });

  test('only passed test runs that tested something are learnt from', () => {
    const failed = ofRun(2, 'ended', 900, { outcome: 'failed', testingSince: 0 });
    const closed = ofRun(3, 'closed', 900, { outcome: 'passed', testingSince: 0 });

    expect(typical(passed(1, 0, 100), failed, closed, passed(4, 50, 50)).testingMs.test).toBe(100);
    expect(learn([failed, closed, passed(4, 50, 50)]).basedOnRuns).toBe(0);
  });

  test('durations are learnt per purpose of the test run, with that of a normal test run as default', () => {
    const part = passed(2, 0, 30, { purpose: 'isolate' });

    expect(typical(passed(1, 0, 100), part).testingMs).toEqual({ test: 100, isolate: 30, control: 100 });
    const control = passed(2, 0, 30, { purpose: 'control' });
    expect(typical(passed(1, 0, 100), control).testingMs).toEqual({ test: 100, isolate: 100, control: 30 });
    expect(learn([part]).basedOnRuns).toBe(0);
  });

  test('the duration of a build is from the creation of the test run to the start of its tests', () => {
    expect(typical(ofRun(1, 'created', 100), ofRun(1, 'testing', 107)).buildingMs).toBe(7);
    expect(typical(ofRun(1, 'created', 100), ofRun(2, 'testing', 107)).buildingMs).toBe(0);
  });

  test('the duration of a landing is from the last pass of its pull requests, each landing once', () => {
    const together = [merged(1, 0, 1_000), merged(2, 900, 1_000), merged(3, 500, 1_000)];

    expect(typical(...together).landingMs).toBe(100);
    expect(typical(...together, merged(4, 5_000, 5_300), merged(5, 6_000, 6_300)).landingMs).toBe(300);
    expect(typical(merged(1, 0, 1_000, { runId: null })).landingMs).toBe(0);
    expect(typical(merged(1, 0, 1_000, { to: 'pending' })).landingMs).toBe(0);
    expect(typical(merged(1, 0, 1_000, { from: 'testing' })).landingMs).toBe(0);
  });
});
