import { aCandidate, aCheck, runIdOf, shaOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { aRunOn, aState, aTestedSubmission, NOW } from '../../test/rules.js';
import { runRow } from '../decide/draft/history-rows.js';
import type { HistoryRow } from '../model/history.js';
import type { TestRun } from '../model/run.js';
import { Passes, repeatableRuns } from './recorded-passes.js';

const passed = (pr: number, override: Partial<TestRun> = {}): TestRun =>
  aRunOn([pr], { state: 'ended', outcome: 'passed', endedAt: NOW, checks: [aCheck()], ...override });

const closed = (run: TestRun): HistoryRow => ({
  ...runRow(run, 'closed'),
  sequence: 1,
  at: NOW,
  settingsVersion: 1,
});

test('repeatable test runs passed without landing, and have a pull request still in the queue', () => {
  const live = { submissions: [aTestedSubmission(1)], runs: [passed(1, { id: runIdOf(9) })] };
  const rows = [
    passed(1, { id: runIdOf(1), closedBecause: 'not_landed' }),
    passed(1, { id: runIdOf(2), closedBecause: 'landed' }),
    passed(1, { id: runIdOf(3), outcome: 'failed', closedBecause: 'judged' }),
    passed(2, { id: runIdOf(4), closedBecause: 'not_landed' }),
    passed(1, { id: runIdOf(9), closedBecause: 'not_landed' }),
  ].map(closed);

  expect(repeatableRuns(rows, aState(live))).toEqual([runIdOf(1)]);
});

test('a passed batch is repeatable while one of its pull requests is in the queue', () => {
  const batch = aRunOn([1, 2], { state: 'ended', outcome: 'passed', closedBecause: 'not_landed' });
  const together = { ...batch, stack: [], batch: [...batch.stack, ...batch.batch] };

  expect(repeatableRuns([closed(together)], aState({ submissions: [aTestedSubmission(2)] }))).toEqual([
    batch.id,
  ]);
});

test('the newest repeatable test runs are read, up to the limit', () => {
  const rows = Array.from({ length: 30 }, (_, index) =>
    closed(passed(1, { id: runIdOf(100 + index), closedBecause: 'not_landed' })),
  );

  const ids = repeatableRuns(rows, aState({ submissions: [aTestedSubmission(1)] }));
  expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => runIdOf(100 + index)));
});

test('content has the passes that any test run showed', () => {
  const candidate = { ...aCandidate([1]), tree: shaOf(7) };
  const shown = [aCheck({ name: 'unit' }), aCheck({ name: 'lint', conclusion: 'failure' })];
  const passes = new Passes([
    passed(1, { candidate, checks: shown, known: [aCheck({ name: 'build' })] }),
    passed(2, { outcome: 'failed', checks: [aCheck({ name: 'e2e' })], candidate }),
  ]);

  expect(passes.of(candidate.tree).map(({ name }) => name)).toEqual(['build', 'unit', 'e2e']);
  expect(passes.of(shaOf(8))).toEqual([]);
});
