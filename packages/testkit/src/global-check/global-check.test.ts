import type { Check, HistoryItem, Sha, TestRun, TestRunId } from '@mq/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { BUILT_AT } from '../builders.js';
import { Said } from '../story/said.js';
import { story } from '../story/story.js';
import { type Evidence, fakeHostEvidence, gatherEvidence } from './evidence.js';
import { globalCheck } from './global-check.js';

/** #1 landed, #2 failed on top of it, #3 is under test. */
const evidenceOfAStory = async (): Promise<Evidence> => {
  const q = await story({ concurrency: 2 });
  await q.submit(1, 2, 3);
  await q.passes('main+1');
  await q.fails('main+1+2');
  q.isIn({ 1: 'merged', 2: 'failed', 3: 'testing' });
  const { mq, store, host, ref, queue } = q.world;
  if (queue === null) throw new Error('There is no queue.');
  return gatherEvidence({ mq, store, queue, host: fakeHostEvidence(host, ref) });
};

let evidence: Evidence;
beforeAll(async () => {
  evidence = await evidenceOfAStory();
});

const faultsOf = (part: Partial<Evidence>): string => globalCheck({ ...evidence, ...part }).join('\n');
const withRow = (is: (row: HistoryItem) => boolean, patch: object): readonly HistoryItem[] =>
  evidence.history.map((row) => (is(row) ? ({ ...row, ...patch } as HistoryItem) : row));
const withRuns = (patch: (run: TestRun) => TestRun): ReadonlyMap<TestRunId, TestRun> =>
  new Map([...evidence.runs].map(([id, run]) => [id, patch(run)]));
const movedTo = (pr: number, to: string) => (row: HistoryItem) =>
  row.type === 'moved' && row.pr === pr && row.to === to;
const isOf = (pr: number) => (run: TestRun) => run.batch.some((member) => member.pr === pr);

describe('the global check', () => {
  test('the global check finds no fault in a sound queue', () => {
    expect(globalCheck(evidence)).toEqual([]);
  });

  test('the global check finds a candidate of a test run that is closed', () => {
    const host = { ...evidence.host, candidates: ['gone' as TestRunId] };
    expect(faultsOf({ host })).toContain('The candidate of test run gone is still stored');
  });

  test('the global check finds a running check of a test run that is closed', () => {
    const host = { ...evidence.host, runningChecks: [{ runId: 'gone' as TestRunId, name: 'test' }] };
    expect(faultsOf({ host })).toContain('Check test of test run gone is still running');
  });

  test.each([
    ['is still running', null, null],
    ['has failed', 'failure', 1],
  ] as const)(
    'the global check finds a landing on a stale pass: the check was rerun and %s',
    (_, conclusion, after) => {
      const landings = (evidence.host.landings ?? []).map((landing) => ({
        ...landing,
        at: BUILT_AT + 10_000,
      }));
      const again = (check: Check): Check => ({
        ...check,
        id: 'again',
        startedAt: BUILT_AT + 5_000,
        status: conclusion === null ? 'running' : 'completed',
        conclusion,
        completedAt: after === null ? null : BUILT_AT + 5_000 + after,
      });
      const checksOf = (commit: Sha) =>
        evidence.host.checksOf(commit).flatMap((check) => [check, again(check)]);
      const runs = withRuns((run) => ({ ...run, createdAt: BUILT_AT }));
      expect(faultsOf({ runs, host: { ...evidence.host, landings } })).not.toContain('stale');
      expect(faultsOf({ runs, host: { ...evidence.host, landings, checksOf } })).toContain(
        '#1 attempt 1 landed on a stale pass: test was rerun',
      );
    },
  );

  test('the global check finds a pull request that landed on a skipped check of a test run that did not test it', () => {
    const skipped = (run: TestRun): TestRun => ({
      ...run,
      stack: [...run.stack, ...run.batch],
      batch: [],
      known: [],
      checks: run.checks.map((check) => ({ ...check, conclusion: 'skipped' as const })),
    });
    expect(faultsOf({ runs: withRuns((run) => (isOf(1)(run) ? skipped(run) : run)) })).toContain(
      'which did not test it and skipped check test',
    );
  });

  test('the global check finds a pull request that failed without a verdict on top of one that had not landed', () => {
    const history = withRow(movedTo(2, 'failed'), { reason: 'TEST_RUN_INFRASTRUCTURE' }).filter(
      (row) => !movedTo(1, 'merged')(row),
    );
    expect(faultsOf({ history })).toContain('#2 attempt 1 failed without a verdict on top of #1');
  });

  test('the global check finds a report token in the history, in a log line and in an error', () => {
    const token = `mqr_${'a'.repeat(40)}.${'b'.repeat(43)}`;
    const history = withRow(movedTo(1, 'merged'), { detail: `reported with ${token}` });
    const said = new Said();
    said.logger.warn({ error: new Error('refused', { cause: new Error(token) }) }, 'a call failed');
    expect(faultsOf({ history })).toBe(`The history contains the report token ${token}.`);
    expect(faultsOf({ said: said.lines })).toBe(`A log line or an error contains the report token ${token}.`);
    expect(faultsOf({ said: [`mqr_ is the prefix of report tokens.`] })).toBe('');
  });

  test('the global check finds unread facts in the inbox', () => {
    expect(faultsOf({ inboxCount: 2 })).toContain('2 facts are unread');
  });

  test('the global check finds an illegal move, and one that does not start where the previous one ended', () => {
    const history = withRow(movedTo(1, 'tests_passed'), { to: 'failed' });
    expect(faultsOf({ history })).toContain('#1 attempt 1 moves from failed to merged');
  });

  test('the global check finds a submission whose row and history disagree', () => {
    const history = evidence.history.filter((row) => !movedTo(2, 'failed')(row));
    expect(faultsOf({ history })).toContain('#2 attempt 1 is failed, which disagrees with its history');
  });

  test('the global check finds a pull request without a wait reason', () => {
    const submissions = evidence.submissions.map((view) => ({ ...view, waiting: null }));
    expect(faultsOf({ submissions })).toContain('has no wait reason');
  });

  test('the global check finds a pull request under test without a deadline', () => {
    const runs = withRuns((run) => ({ ...run, deadlineAt: null }));
    expect(faultsOf({ runs })).toContain(
      '#3 attempt 1 is testing and has neither an open test run with a deadline',
    );
  });

  test('the global check finds a tree on the target that was not tested', () => {
    const host = { ...evidence.host, treeOnTarget: () => 'another tree' };
    expect(faultsOf({ host })).toContain('landed with the tree another tree');
  });

  test('the global check finds a merged commit that was never on the target', () => {
    const host = { ...evidence.host, treeOnTarget: () => null };
    expect(faultsOf({ host })).toContain('which was never on the target');
  });

  test('the global check finds a commit on the target that really fails a check', () => {
    const host = { ...evidence.host, isGood: () => false };
    expect(faultsOf({ host })).toMatch(/#1 is on the target as \w+ and fails test/);
  });

  test('the global check finds a landing of a commit that is not the candidate', () => {
    const landings = (evidence.host.landings ?? []).map((landing) => ({ ...landing, to: 'else' as Sha }));
    expect(faultsOf({ host: { ...evidence.host, landings } })).toContain('its candidate was');
  });

  test('the global check finds a landing that the history does not record', () => {
    const history = evidence.history.filter((row) => !movedTo(1, 'merged')(row));
    expect(faultsOf({ history })).toContain('#1 landed by');
  });

  test('the global check finds a landing that happened twice', () => {
    const landings = evidence.host.landings ?? [];
    expect(faultsOf({ host: { ...evidence.host, landings: [...landings, ...landings] } })).toContain(
      'landed twice',
    );
  });

  test('the global check finds a pull request that merged by a test run that did not pass', () => {
    const runs = withRuns((run) => (isOf(1)(run) ? { ...run, outcome: 'failed' } : run));
    expect(faultsOf({ runs })).toContain('which ended with failed');
  });

  test('the global check finds a culprit of a test run on top of a pull request that had not landed', () => {
    const history = evidence.history.filter((row) => !movedTo(1, 'merged')(row));
    expect(faultsOf({ history })).toContain(
      '#2 attempt 1 failed in a test run on top of #1, which had not landed',
    );
  });

  test('the global check finds a culprit of a test run without a pull request that had landed', () => {
    const [landed] = [...evidence.runs.values()].filter(isOf(1)).flatMap(({ batch }) => batch);
    const runs = withRuns((run) =>
      isOf(2)(run) ? { ...run, stack: [], without: landed ? [landed] : [] } : run,
    );
    expect(faultsOf({ runs })).toContain('#2 attempt 1 failed in a test run without #1, which had landed');
  });

  test('the global check finds a landing after another overlapping pull request that its test run did not include', async () => {
    const q = await story({ mode: 'parallel', concurrency: 2 });
    await q.touches(1, ['//a', '//b']);
    await q.touches(2, ['//b']);
    await q.submit(1, 2);
    await q.passes('main+1');
    await q.passes('main+1+2');
    const { mq, store, host, ref, queue } = q.world;
    if (queue === null) throw new Error('There is no queue.');
    const gathered = await gatherEvidence({ mq, store, queue, host: fakeHostEvidence(host, ref) });
    const [first] = [...gathered.runs.values()].find(isOf(1))?.batch ?? [];
    const runs = new Map(
      [...gathered.runs].map(([id, run]) => [
        id,
        isOf(2)(run) && first !== undefined ? { ...run, stack: [], without: [first] } : run,
      ]),
    );
    const fault = '#2 attempt 1 landed after #1, without which it was tested.';
    expect(globalCheck({ ...gathered, runs })).toContain(fault);

    const [book] = [...gathered.books.values()].filter(({ pr }) => pr === 2);
    const books = new Map(gathered.books).set(2, {
      pr: 2,
      sets: (book?.sets ?? []).map((set) => ({ ...set, targets: ['//c'] })),
    });
    expect(globalCheck({ ...gathered, runs, books })).not.toContain(fault);
    await q.ends();
  });

  test('the global check finds a landing without a receipt, and a receipt chain with a wrong hash', () => {
    expect(faultsOf({ receipts: [] })).toContain('#1 attempt 1 landed without a receipt');
    expect(faultsOf({ receipts: [] })).toContain('The queue counts 1 receipts and has 0');
    const forged = evidence.receipts.map((receipt) => ({ ...receipt, settingsVersion: 9 }));
    expect(faultsOf({ receipts: forged })).toContain('Receipt 1 (#1): its hash is');
  });

  test('the global check finds a receipt of a pull request that did not land, and one of a tree that is not on the target', () => {
    const other = evidence.receipts.map((receipt) => ({ ...receipt, pr: 2 }));
    expect(faultsOf({ receipts: other })).toContain('Receipt 1 is of #2 attempt 1, which was not merged');
    const host = { ...evidence.host, treeOnTarget: () => null };
    expect(faultsOf({ host })).toContain('names a tree that is not on the target');
  });

  test('the global check finds more concurrent test runs than the settings allow', () => {
    const queue = { ...evidence.queue, settings: { ...evidence.queue.settings, concurrency: 1 } };
    const history = evidence.history.filter((row) => row.type !== 'configured');
    expect(faultsOf({ queue, history })).toContain('2 concurrent test runs');
  });
});
