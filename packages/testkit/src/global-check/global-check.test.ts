import type { Check, HistoryItem, Sha, TestRun, TestRunId } from '@mq/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { BUILT_AT } from '../builders.js';
import { story } from '../story/story.js';
import { type Evidence, fakeHostEvidence, gatherEvidence } from './evidence.js';
import { globalCheck } from './global-check.js';

/** #1 landed, #2 was failed on top of it, #3 is under test. */
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
  test('finds nothing in a queue where all is well', () => {
    expect(globalCheck(evidence)).toEqual([]);
  });

  test('finds a candidate that nobody needs any more', () => {
    const host = { ...evidence.host, candidates: ['gone' as TestRunId] };
    expect(faultsOf({ host })).toContain('A candidate of gone is kept');
  });

  test('finds a check that runs for nobody', () => {
    const host = { ...evidence.host, runningChecks: [{ runId: 'gone' as TestRunId, name: 'test' }] };
    expect(faultsOf({ host })).toContain('Check test of gone runs on');
  });

  test.each([
    ['is still running', null, null],
    ['has failed', 'failure', 1],
  ] as const)(
    'finds a landing on a stale pass, where the check was run again and %s',
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
        '#1 attempt 1 landed on a stale pass: test was run again',
      );
    },
  );

  test('finds one that landed on a skipped check of a run that did not test it', () => {
    const skipped = (run: TestRun): TestRun => ({
      ...run,
      stack: [...run.stack, ...run.batch],
      batch: [],
      known: [],
      checks: run.checks.map((check) => ({ ...check, conclusion: 'skipped' as const })),
    });
    expect(faultsOf({ runs: withRuns((run) => (isOf(1)(run) ? skipped(run) : run)) })).toContain(
      'which did not test it and skipped test',
    );
  });

  test('finds one that is failed without a verdict on top of one that had not landed', () => {
    const history = withRow(movedTo(2, 'failed'), { reason: 'TEST_RUN_INFRASTRUCTURE' }).filter(
      (row) => !movedTo(1, 'merged')(row),
    );
    expect(faultsOf({ history })).toContain('#2 attempt 1 is failed without a verdict on top of #1');
  });

  test('finds facts that were left in the inbox', () => {
    expect(faultsOf({ inboxCount: 2 })).toContain('2 facts wait');
  });

  test('finds an illegal move, and one that does not follow from the one before', () => {
    const history = withRow(movedTo(1, 'tests_passed'), { to: 'failed' });
    expect(faultsOf({ history })).toContain('#1 attempt 1 moves from failed to merged');
  });

  test('finds a submission whose row and history disagree', () => {
    const history = evidence.history.filter((row) => !movedTo(2, 'failed')(row));
    expect(faultsOf({ history })).toContain('#2 attempt 1 is failed, and its history says otherwise');
  });

  test('finds one that waits and does not know what for', () => {
    const submissions = evidence.submissions.map((view) => ({ ...view, waiting: null }));
    expect(faultsOf({ submissions })).toContain('nobody knows what it waits for');
  });

  test('finds one under test without a deadline', () => {
    const runs = withRuns((run) => ({ ...run, deadlineAt: null }));
    expect(faultsOf({ runs })).toContain(
      '#3 attempt 1 is testing and has neither an open run with a deadline',
    );
  });

  test('finds a tree on the target that was not tested', () => {
    const host = { ...evidence.host, treeOnTarget: () => 'another tree' };
    expect(faultsOf({ host })).toContain('landed with the tree another tree');
  });

  test('finds a merged one that the target never held', () => {
    const host = { ...evidence.host, treeOnTarget: () => null };
    expect(faultsOf({ host })).toContain('which the target never held');
  });

  test('finds a commit on the target that fails in truth', () => {
    const host = { ...evidence.host, isGood: () => false };
    expect(faultsOf({ host })).toMatch(/#1 is on the target as \w+ and fails test/);
  });

  test('finds a landing of something else than the candidate', () => {
    const landings = (evidence.host.landings ?? []).map((landing) => ({ ...landing, to: 'else' as Sha }));
    expect(faultsOf({ host: { ...evidence.host, landings } })).toContain('its candidate was');
  });

  test('finds a landing that nobody is told of', () => {
    const history = evidence.history.filter((row) => !movedTo(1, 'merged')(row));
    expect(faultsOf({ history })).toContain('#1 was landed by');
  });

  test('finds a landing that happened twice', () => {
    const landings = evidence.host.landings ?? [];
    expect(faultsOf({ host: { ...evidence.host, landings: [...landings, ...landings] } })).toContain(
      'landed twice',
    );
  });

  test('finds one merged by a run that did not pass', () => {
    const runs = withRuns((run) => (isOf(1)(run) ? { ...run, outcome: 'failed' } : run));
    expect(faultsOf({ runs })).toContain('which ended with failed');
  });

  test('finds blame for a run on top of one that had not landed', () => {
    const history = evidence.history.filter((row) => !movedTo(1, 'merged')(row));
    expect(faultsOf({ history })).toContain(
      '#2 attempt 1 is failed for a run on top of #1, which had not landed',
    );
  });

  test('finds blame for a run without one that had landed', () => {
    const [landed] = [...evidence.runs.values()].filter(isOf(1)).flatMap(({ batch }) => batch);
    const runs = withRuns((run) =>
      isOf(2)(run) ? { ...run, stack: [], without: landed ? [landed] : [] } : run,
    );
    expect(faultsOf({ runs })).toContain('#2 attempt 1 is failed for a run without #1, which had landed');
  });

  test('finds one that landed after another without which it was tested, where both touch the same', async () => {
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

  test('finds a landing without a receipt, and a chain that does not hold', () => {
    expect(faultsOf({ receipts: [] })).toContain('#1 attempt 1 landed and has no receipt');
    expect(faultsOf({ receipts: [] })).toContain('The queue counts 1 receipts and has 0');
    const forged = evidence.receipts.map((receipt) => ({ ...receipt, settingsVersion: 9 }));
    expect(faultsOf({ receipts: forged })).toContain('Receipt 1 (#1): it carries the hash');
  });

  test('finds a receipt of something that did not land, and of a tree that is not there', () => {
    const other = evidence.receipts.map((receipt) => ({ ...receipt, pr: 2 }));
    expect(faultsOf({ receipts: other })).toContain('Receipt 1 is of #2 attempt 1, which was not merged');
    const host = { ...evidence.host, treeOnTarget: () => null };
    expect(faultsOf({ host })).toContain('tells of a tree that is not there');
  });

  test('finds more runs at once than were allowed', () => {
    const queue = { ...evidence.queue, settings: { ...evidence.queue.settings, concurrency: 1 } };
    const history = evidence.history.filter((row) => row.type !== 'configured');
    expect(faultsOf({ queue, history })).toContain('2 runs at once');
  });
});
