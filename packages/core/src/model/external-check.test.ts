import { describe, expect, test } from 'vitest';
import { judgeChecks } from './checks.js';
import {
  type CheckReport,
  EXECUTIONS_LIMIT,
  type ExpectedCheck,
  type ExternalCheckSource,
  isAwaited,
  shownChecks,
  sourceDigest,
  withReport,
} from './external-check.js';
import type { Sha, TestRunId } from './ids.js';

const ASKED = 1_000_000;
const source: ExternalCheckSource = {
  ...{ name: 'unit', source: 'external', reporters: ['jenkins', 'arm'] },
  startTimeoutMs: null,
};
const expected: ExpectedCheck = {
  repo: { host: 'git.test', owner: 'acme', name: 'widgets' },
  runId: 'run' as TestRunId,
  commit: 'a'.repeat(40) as Sha,
  name: 'unit',
  askedAt: ASKED,
  closedAt: null,
  executions: [],
  version: 1,
};
const report = (part: Partial<CheckReport> = {}): CheckReport => ({
  ...{ reporter: 'jenkins', status: 'running', conclusion: null, failing: false, sequence: null },
  ...{ startedAt: null, completedAt: null, url: null, summary: null, namesRun: true, key: null },
  ...part,
});
const ended = (conclusion: CheckReport['conclusion'], part: Partial<CheckReport> = {}) =>
  report({ status: 'completed', conclusion, ...part });

/** Takes in reports, one each second. */
const after = (reports: readonly CheckReport[], check = expected): ExpectedCheck =>
  reports.reduce((known, one, index) => {
    const outcome = withReport(known, one, ASKED + (index + 1) * 1_000);
    if (outcome.kind !== 'applied') throw new Error(outcome.kind);
    return outcome.check;
  }, check);
const startDue = { since: ASKED, by: ASKED + 60_000 };
const shown = (check: ExpectedCheck) => shownChecks(check, { source, startDue });
const outcomeOf = (check: ExpectedCheck) =>
  judgeChecks(['unit'], shown(check), {
    ...{ runId: check.runId, since: ASKED, accepted: [], reused: [] },
    digests: { unit: sourceDigest(source) },
  }).outcome;

describe('the executions of an expected check', () => {
  test('the executions of an expected check of one reporter are distinguished by their end, and the one started last decides', () => {
    const rerun = after([ended('success'), report()]);

    expect(rerun.executions.map(({ ordinal, status }) => [ordinal, status])).toEqual([
      [1, 'completed'],
      [2, 'running'],
    ]);
    expect(outcomeOf(rerun)).toBe('undecided');
    expect(outcomeOf(after([ended('failure')], rerun))).toBe('failed');
    expect(outcomeOf(after([ended('failure'), ended('success')]))).toBe('passed');
  });

  test('the executions of an expected check count in the order of their sequences when the clock of the reporter goes back', () => {
    const clockWentBack = [
      ended('success', { startedAt: ASKED + 500 }),
      ended('failure', { startedAt: ASKED + 100 }),
    ];

    expect(outcomeOf(after(clockWentBack))).toBe('failed');
  });

  test('the executions of an expected check of two reporters must all pass', () => {
    expect(outcomeOf(after([ended('success'), report({ reporter: 'arm' })]))).toBe('undecided');
    expect(outcomeOf(after([ended('success'), ended('success', { reporter: 'arm' })]))).toBe('passed');
  });

  test('the executions of an expected check of a reporter that the source names no more do not count', () => {
    const [only] = shownChecks(after([ended('success', { reporter: 'stranger' })]), {
      source,
      startDue,
    });

    expect(only).toMatchObject({ source: 'external', status: 'queued' });
  });

  test('the executions of an expected check are bounded, and what still runs is kept', () => {
    const running = after([report({ reporter: 'arm' })]);
    const many = after(
      Array.from({ length: EXECUTIONS_LIMIT + 10 }, () =>
        ended('failure', { summary: String(Math.random()) }),
      ),
      running,
    );

    expect(many.executions).toHaveLength(EXECUTIONS_LIMIT);
    expect(many.executions.some(({ reporter }) => reporter === 'arm')).toBe(true);
  });
});

describe('a report that names only a commit', () => {
  const byCommit = (one: CheckReport) => withReport(expected, { ...one, namesRun: false }, ASKED + 1);

  test('a report that names only a commit is refused as a failure when it began before the test run, or does not say when', () => {
    expect(byCommit(ended('failure')).kind).toBe('too_old');
    expect(byCommit(ended('timed_out', { startedAt: ASKED - 1 })).kind).toBe('too_old');
    expect(byCommit(ended('failure', { startedAt: ASKED })).kind).toBe('applied');
  });

  test('a report that names only a commit counts as a success of the commit, and not as one of the test run, unless it began after it', () => {
    const runIdsOf = (one: CheckReport) => {
      const outcome = byCommit(one);
      return outcome.kind === 'applied' ? shown(outcome.check).map(({ runId }) => runId) : outcome.kind;
    };

    expect(runIdsOf(ended('success'))).toEqual([null]);
    expect(runIdsOf(ended('success', { startedAt: ASKED - 1 }))).toEqual([null]);
    expect(runIdsOf(ended('success', { startedAt: ASKED }))).toEqual(['run']);
  });
});

describe('an expected check', () => {
  test('an expected check without a report is queued, and names its start timeout until a reporter starts', () => {
    const lateSummary = 'CI did not start: none of jenkins, arm has taken up this check.';

    expect(shown(expected)).toMatchObject([
      { status: 'queued', conclusion: null, summary: null, startDue: { ...startDue, lateSummary } },
    ]);
    expect(shown(after([report()]))[0]).not.toHaveProperty('startDue');
  });

  test('an expected check that is closed takes no report, and shows only what had ended', () => {
    const closed = { ...after([ended('success'), report({ reporter: 'arm' })]), closedAt: ASKED + 5_000 };

    expect(withReport(closed, ended('success', { reporter: 'arm' }), ASKED + 6_000).kind).toBe('closed');
    expect(shown(closed).map((check) => check.source)).toEqual(['jenkins']);
    expect(shown({ ...expected, closedAt: ASKED })).toEqual([]);
    expect(isAwaited(closed, 'arm')).toBe(false);
  });

  test('an expected check says nothing once its source names other reporters', () => {
    const other = sourceDigest({ ...source, reporters: ['jenkins'] });

    expect(other).not.toBe(sourceDigest(source));
    expect(sourceDigest({ ...source, reporters: ['arm', 'jenkins', 'arm'] })).toBe(sourceDigest(source));
  });
});
