import { aMove, anActor, BUILT_AT, inputIdOf, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Commanded, HistoryRow, RunChanged } from '../model/history.js';
import { storiesOf } from './story.js';

const at = (seconds: number) => BUILT_AT + seconds * 1_000;
const moved = (sequence: number, override: Parameters<typeof aMove>[1]) =>
  aMove(sequence, { at: at(sequence * 60), since: at((sequence - 1) * 60), ...override });
const ran = (
  sequence: number,
  change: RunChanged['change'],
  override: Partial<RunChanged> = {},
): RunChanged => ({
  type: 'run',
  sequence,
  at: at(sequence * 60),
  settingsVersion: 1,
  runId: runIdOf(1),
  change,
  purpose: 'test',
  prs: [1],
  attempts: [1],
  outcome: null,
  cause: null,
  testingSince: null,
  isTested: true,
  trial: null,
  ...override,
});
const asked = (sequence: number, command: string): Commanded => ({
  type: 'commanded',
  sequence,
  at: at(sequence * 60),
  settingsVersion: 1,
  actor: anActor,
  command,
  inputId: inputIdOf(sequence),
  pr: 1,
});
const told = (rows: readonly HistoryRow[], attempt = 1) =>
  storiesOf(rows, 1).find((story) => story.attempt === attempt)!;
const sentences = (rows: readonly HistoryRow[], attempt = 1) =>
  told(rows, attempt).turnings.map(({ sentence }) => sentence);

const begun = [moved(1, { from: null, to: 'not_ready', since: at(0) }), moved(2, {})];
const merged = [
  moved(3, { from: 'pending', to: 'testing', runId: runIdOf(1) }),
  moved(4, { from: 'testing', to: 'tests_passed' }),
  moved(5, { from: 'tests_passed', to: 'merged', reason: 'MERGE_GRAPH_MERGE' }),
];

describe('the story of an attempt', () => {
  test('is that of this pull request alone', () => {
    const other = moved(6, { pr: 2, submissionId: submissionIdOf(2), from: 'pending', to: 'cancelled' });

    expect(told([...begun, other])).toMatchObject({ state: 'pending', endedAt: null });
  });

  test('ends when it came to its last state, and nothing has to be done about one that was merged', () => {
    const whole = told([...begun, ...merged]);

    expect(whole).toMatchObject({ state: 'merged', endedAt: at(300) });
    expect(whole.remedy).toBe('Nothing has to be done: it is merged.');
    expect(whole.spentMs).toEqual({
      not_ready: 60_000,
      pending: 60_000,
      testing: 60_000,
      tests_passed: 60_000,
    });
    expect(whole.sentence).toMatch(/^Attempt 1 of #1 was merged after 4 min: /);
  });

  test('counts of what is on record only the stays whose beginning is on record too', () => {
    const { spentMs } = told([moved(9, { since: at(0) }), moved(10, { from: 'pending', to: 'testing' })]);

    expect(spentMs).toEqual({ pending: 60_000 });
  });

  test('tells what people asked for besides, in the attempt in which they did, and not the submit itself', () => {
    const again = [
      moved(5, { attempt: 2, from: 'cancelled', to: 'not_ready' }),
      moved(6, { attempt: 2, from: 'not_ready', to: 'pending' }),
    ];
    const rows = [...begun, moved(3, { from: 'pending', to: 'cancelled' }), asked(4, 'submit'), ...again];

    const restarted = [...rows, asked(7, 'restart_tests')];
    const asking = (attempt: number) =>
      sentences(restarted, attempt).filter((sentence) => sentence.startsWith('Asked for by'));
    expect(asking(1)).toEqual([]);
    expect(asking(2)).toHaveLength(1);
  });

  test('holds the runs of its own attempt, also where that of a mate in the batch is another', () => {
    const rows = [...begun, ran(3, 'created', { prs: [2, 1], attempts: [7, 1] })];

    expect(storiesOf(rows, 1).map(({ attempt }) => attempt)).toEqual([1]);
    expect(sentences(rows).at(-1)).toMatch(/was begun to test #2 and #1\.$/);
  });

  test('tells of a run that ended only its end, unless its search came to nothing', () => {
    const ended = ran(4, 'ended', { outcome: 'failed', testingSince: at(180) });
    const closed = (cause: RunChanged['cause']) => ran(5, 'closed', { outcome: 'failed', cause });
    const letGo = (cause: RunChanged['cause']) =>
      sentences([...begun, ended, closed(cause)]).filter((sentence) => sentence.includes('let go of'));

    expect(letGo('superseded')).toEqual([]);
    expect(letGo('isolation_inconclusive')).toHaveLength(1);
  });

  test('tells of a run that needed no test what it was begun for, and of one that only looks for a cause that', () => {
    const pass = { outcome: 'passed', isTested: false } as const;
    const begunFor = (purpose: RunChanged['purpose']) =>
      sentences([...begun, ran(3, 'created', { purpose }), ran(4, 'ended', { purpose, ...pass })])[2];

    expect(begunFor('test')).toMatch(/to see what of #1 is left to be tested\.$/);
    expect(begunFor('isolate')).toMatch(/a part of a failed batch/);
  });

  test('that begins in line was not sent back there, and one that comes back from its tests was', () => {
    const direct = moved(1, { from: null, to: 'pending', since: at(0) });
    const under = moved(2, { from: 'pending', to: 'testing' });

    expect(told([direct, under]).sentence).not.toMatch(/sent back/);
    expect(told([direct, under, moved(3, { from: 'testing', to: 'pending' })]).sentence).toMatch(
      /was sent back 1 time/,
    );
  });

  test('tells that nothing had to be tested when it came under test, and its pass as any other', () => {
    const run = (isTested: boolean) => ran(5, 'ended', { outcome: 'passed', isTested });
    const moves = merged.map((row) => ({ ...row, runId: runIdOf(1) }));
    const of = (isTested: boolean) =>
      told([...begun, ...moves, run(isTested)]).turnings.flatMap(({ state, sentence }) =>
        state === null ? [] : sentence,
      );
    const [tested, untested] = [of(true), of(false)];

    expect(untested[2]).not.toBe(tested[2]);
    expect([untested[3], untested[4]]).toEqual([tested[3], tested[4]]);
  });

  test('names who ended it only where somebody took it out', () => {
    expect(told([...begun, ...merged]).sentence).toMatch(/^Attempt 1 of #1 was merged after/);
    expect(told([...begun, moved(3, { from: 'pending', to: 'cancelled' })]).sentence).toMatch(
      new RegExp(`was cancelled by ${anActor.name} after`),
    );
  });
});
