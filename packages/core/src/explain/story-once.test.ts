import { aMove, BUILT_AT, runIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import type { HistoryRow, RunChanged } from '../model/history.js';
import { runOf } from './phrases.js';
import { storiesOf } from './story.js';

const at = (seconds: number) => BUILT_AT + seconds * 1_000;
const moved = (sequence: number, override: Parameters<typeof aMove>[1]) =>
  aMove(sequence, { at: at(sequence * 60), since: at((sequence - 1) * 60), ...override });
const ran = (sequence: number, change: RunChanged['change'], override: Partial<RunChanged>): RunChanged => ({
  ...{ type: 'run', sequence, at: at(sequence * 60), settingsVersion: 1, runId: runIdOf(1), change },
  ...{ purpose: 'test', prs: [1], attempts: [1], outcome: null, cause: null, testingSince: null },
  ...{ isTested: true, candidate: null },
  ...override,
});
const sentences = (rows: readonly HistoryRow[]) =>
  storiesOf(rows, 1)[0]!.events.map(({ sentence }) => sentence);

test('the story of an attempt tells the start and the end of a test run once, without a reason that repeats them', () => {
  const run = runIdOf(1);
  const start = { from: 'pending', to: 'testing', reason: 'CAPACITY_AVAILABLE', runId: run } as const;
  const pass = { from: 'testing', to: 'tests_passed', reason: null, runId: run } as const;
  const land = { from: 'tests_passed', to: 'merged', reason: 'MERGE_GRAPH_MERGE', runId: run } as const;
  const rows = (prs: readonly number[]) => [
    moved(1, { from: null, to: 'not_ready', since: at(0) }),
    moved(2, { from: 'not_ready', to: 'pending', reason: 'MERGE_ITEM_NOW_READY' }),
    moved(3, { ...start, at: at(180) }),
    ran(4, 'created', { at: at(180), prs }),
    ran(5, 'ended', { at: at(240), outcome: 'passed', testingSince: at(180), prs }),
    moved(6, { ...pass, at: at(240) }),
    moved(7, land),
  ];

  expect(sentences(rows([1])).map((sentence) => sentence.replace(/ after .*? of \w+/, ''))).toEqual([
    '#1 was submitted by Ada.',
    '#1 joined the queue after 1 min.',
    `The tests of #1 started, test run ${runOf(run)}.`,
    `#1 passed: no reason is recorded, test run ${runOf(run)}.`,
    `#1 was merged after 1 min, test run ${runOf(run)}.`,
  ]);
  expect(sentences(rows([1, 2])).filter((sentence) => sentence.startsWith('Test run'))).toHaveLength(2);
});
