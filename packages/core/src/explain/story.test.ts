import { aMove, anActor, BUILT_AT, inputIdOf, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Commanded, HistoryRow, PutOff, PutOnHold, RunChanged } from '../model/history.js';
import { storiesOf } from './story.js';
import { runOf } from './words.js';

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
  candidate: null,
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
  told(rows, attempt).events.map(({ sentence }) => sentence);

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
    expect(whole.remedy).toBe('#1 is merged.');
    expect(whole.spentMs).toEqual({
      not_ready: 60_000,
      pending: 60_000,
      testing: 60_000,
      tests_passed: 60_000,
    });
    expect(whole.sentence).toMatch(/^#1 was merged after 4 min: /);
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
      sentences(restarted, attempt).filter((sentence) => sentence.startsWith('Requested by'));
    expect(asking(1)).toEqual([]);
    expect(asking(2)).toHaveLength(1);
  });

  test('takes of submits the last before it begins for its own, and neither those of others nor what else was asked for', () => {
    const other = (row: HistoryRow): HistoryRow => ({ ...row, pr: 2 }) as HistoryRow;
    const entering = (sequence: number, attempt: number) =>
      moved(sequence, { attempt, from: attempt === 1 ? null : 'cancelled', to: 'not_ready' });
    const rows = [
      asked(1, 'submit'),
      other(asked(2, 'submit')),
      other(entering(3, 1)),
      entering(4, 1),
      asked(5, 'submit'),
      other(entering(6, 1)),
      moved(7, { from: 'not_ready', to: 'cancelled' }),
      asked(8, 'submit'),
      asked(9, 'set_impacted_targets'),
      entering(10, 2),
    ];

    const asking = (attempt: number) =>
      told(rows, attempt)
        .events.filter(({ sentence }) => sentence.startsWith('Requested by'))
        .map((event) => (event.at - at(0)) / 60_000);
    expect([asking(1), asking(2)]).toEqual([[5, 9], []]);
  });

  test('leaves out how a search ended that went on without it, and nothing else that came after its end', () => {
    const left = moved(4, { from: 'pending', to: 'failed', reason: 'TEST_RUN_REQUIRED_STATUS_FAILED' });
    const after = [
      ran(5, 'ended', { outcome: 'failed' }),
      ran(6, 'closed', { outcome: 'failed', cause: 'isolation_limit' }),
      asked(7, 'restart_tests'),
    ];

    const sequences = told([...begun, left, ...after]).events.map((event) => (event.at - at(0)) / 60_000);
    expect(sequences).toEqual([1, 2, 4, 5, 7]);
  });

  test('tells that a landing was put off of what was put together for it, and of no test', () => {
    const closed = (purpose: RunChanged['purpose']) =>
      sentences([...begun, ran(3, 'closed', { purpose, outcome: 'passed', cause: 'not_landed' })]).length;

    expect([closed('compose'), closed('test')]).toEqual([3, 2]);
  });

  test('tells that it stood aside and why, and that it came back, and after how long', () => {
    const aside = (sequence: number, override: Partial<PutOnHold>): PutOnHold => ({
      ...{
        type: 'aside',
        sequence,
        at: at(sequence * 60),
        settingsVersion: 1,
        submissionId: submissionIdOf(1),
      },
      ...{ pr: 1, attempt: 1, lack: null, detail: null, since: null, ...override },
    });
    const rows = [
      ...begun,
      aside(3, { lack: 'mergeable', detail: 'A review is missing.' }),
      aside(5, { since: at(180) }),
      aside(6, { lack: 'target_branch' }),
      aside(7, {}),
      aside(8, { pr: 2 }),
    ];

    expect(sentences(rows).slice(2)).toEqual([
      '#1 was put on hold: the code host said that it could not be merged: A review is missing.',
      '#1 could be merged again after 2 min.',
      '#1 was put on hold: the target branch did not exist.',
      '#1 could be merged again.',
    ]);
    expect(told(rows)).toMatchObject({
      state: 'pending',
      sentence: expect.stringContaining('is waiting in the queue'),
    });
    expect(sentences([...rows, aside(9, { attempt: 2 })])).toHaveLength(6);
  });

  test('tells in which words it was put off, and of another pull request nothing', () => {
    const putOff = (sequence: number, pr: number): PutOff => ({
      ...{ type: 'put_off', sequence, at: at(sequence * 60), settingsVersion: 1 },
      ...{
        submissionId: submissionIdOf(pr),
        pr,
        attempt: 1,
        reason: 'HOST_NOT_READY',
        detail: 'Come again.',
      },
    });

    expect(told([...begun, putOff(3, 1), putOff(4, 2)]).events.slice(2)).toEqual([
      {
        at: at(180),
        state: null,
        reason: 'HOST_NOT_READY',
        runId: null,
        sentence: '#1 was delayed: The code host asked the queue to wait before merging it (Come again).',
      },
    ]);
  });

  test('holds the runs of its own attempt, also where that of a mate in the batch is another', () => {
    const rows = [...begun, ran(3, 'created', { prs: [2, 1], attempts: [7, 1] })];

    expect(storiesOf(rows, 1).map(({ attempt }) => attempt)).toEqual([1]);
    expect(sentences(rows).at(-1)).toMatch(/was started to test #2 and #1\.$/);
  });

  test('tells of a run that ended only its end, unless its search came to nothing', () => {
    const ended = ran(4, 'ended', { outcome: 'failed', testingSince: at(180) });
    const closed = (cause: RunChanged['cause']) => ran(5, 'closed', { outcome: 'failed', cause });
    const letGo = (cause: RunChanged['cause']) =>
      sentences([...begun, ended, closed(cause)]).filter((sentence) => sentence.includes(' was closed: '));

    expect(letGo('superseded')).toEqual([]);
    expect(letGo('isolation_inconclusive')).toHaveLength(1);
  });

  test('tells of a run that needed no test what it was begun for, and of one that only looks for a cause that', () => {
    const pass = { outcome: 'passed', isTested: false } as const;
    const begunFor = (purpose: RunChanged['purpose']) =>
      sentences([...begun, ran(3, 'created', { purpose }), ran(4, 'ended', { purpose, ...pass })])[2];

    expect(begunFor('test')).toMatch(/to see what is left to test of #1\.$/);
    expect(begunFor('isolate')).toMatch(/a part of a failed batch/);
  });

  test('that begins in line was not sent back there, and one that comes back from its tests was', () => {
    const direct = moved(1, { from: null, to: 'pending', since: at(0) });
    const under = moved(2, { from: 'pending', to: 'testing' });

    expect(told([direct, under]).sentence).not.toMatch(/requeued/);
    expect(told([direct, under, moved(3, { from: 'testing', to: 'pending' })]).sentence).toMatch(
      /requeued 1 time/,
    );
  });

  test('tells that nothing had to be tested when it came under test, and its pass as any other', () => {
    const run = (isTested: boolean) => ran(5, 'ended', { outcome: 'passed', isTested });
    const moves = merged.map((row) => ({ ...row, runId: runIdOf(1) }));
    const of = (isTested: boolean) =>
      told([...begun, ...moves, run(isTested)]).events.flatMap(({ state, sentence }) =>
        state === null ? [] : sentence,
      );
    const [tested, untested] = [of(true), of(false)];

    expect(untested[2]).not.toBe(tested[2]);
    expect([untested[3], untested[4]]).toEqual([tested[3], tested[4]]);
  });

  test('names who ended it only where somebody took it out', () => {
    expect(told([...begun, ...merged]).sentence).toMatch(/^#1 was merged after/);
    expect(told([...begun, moved(3, { from: 'pending', to: 'cancelled' })]).sentence).toMatch(
      new RegExp(`was cancelled by ${anActor.name} after`),
    );
  });

  test('is none where only a run of it is on record, and not what brought it into the queue', () => {
    expect(storiesOf([ran(3, 'created')], 1)).toEqual([]);
  });

  test('takes in what comes to light of a run of the attempt before, and keeps to itself what is asked for then', () => {
    const before = [...begun, moved(3, { from: 'pending', to: 'cancelled' })];
    const again = moved(4, { attempt: 2, from: 'cancelled', to: 'not_ready' });
    const rows = [...before, again, ran(5, 'closed', { cause: 'member_left' }), asked(6, 'cancel')];

    expect(sentences(rows, 1).at(-1)).toMatch(
      /^Test run .+ was cancelled: a pull request that it tested left/,
    );
    expect(sentences(rows, 2).at(-1)).toBe('Requested by Ada: cancel #1.');
  });

  test('leaves out how the search in its batch ended once it had left that itself', () => {
    const left = ran(6, 'closed', { prs: [1, 2], attempts: [1, 1], outcome: 'failed', cause: 'member_left' });

    expect(sentences([...begun, ...merged, left]).at(-1)).toMatch(/^#1 was merged/);
    expect(sentences([...begun, { ...left, sequence: 3 }, ...merged]).at(-1)).toMatch(/^#1 was merged/);
    expect(sentences([...begun, left]).at(-1)).toMatch(
      /was closed: a pull request that it tested left the queue\.$/,
    );
  });

  test.each([
    ['restart_tests', 'restart the tests of #1'],
    ['cancel', 'cancel #1'],
    ['set_impacted_targets', 'set impacted targets'],
  ])('tells who asked for %s, and not what was asked for others', (command, words) => {
    const rows = [
      ...begun,
      asked(3, command),
      { ...asked(4, command), pr: 2 },
      { ...asked(5, command), pr: null },
    ];

    expect(sentences(rows).slice(2)).toEqual([`Requested by Ada: ${words}.`]);
  });

  test('tells how long it stayed where that was a second at least', () => {
    const after = (ms: number) => told([...begun, { ...merged[0]!, since: at(180) - ms }]);

    expect(after(1_000).sentence).toMatch(/ runs?, 1 min not ready, 1 s waiting in the queue\.$/);
    expect(after(999).sentence).toMatch(/ runs?, 1 min not ready\.$/);
    expect(after(1_000).events.at(-1)!.sentence).toMatch(/ started after 1 s of waiting: /);
    expect(after(999).events.at(-1)!.sentence).toMatch(/ started: /);
  });

  test('that has only begun has spent no time, and gives the reason that is on record', () => {
    const direct = moved(1, { from: null, to: 'pending', since: at(0), reason: null });

    expect(told([direct])).toMatchObject({
      sentence: '#1 is waiting in the queue: no reason is recorded. Attempt 1: 0 test runs.',
      events: [{ sentence: '#1 joined the queue: no reason is recorded.' }],
    });
  });

  test('names with each turn of a run when it came, and which run', () => {
    const ended = ran(3, 'ended', { outcome: 'failed', testingSince: at(120) });

    expect(told([...begun, ended]).events.at(-1)).toEqual({
      at: at(180),
      state: null,
      reason: null,
      runId: runIdOf(1),
      sentence: `Test run ${runOf(runIdOf(1))} of #1 failed after 1 min.`,
    });
  });

  test('leaves out that a run was built, and how long one took that was not', () => {
    const ended = ran(4, 'ended', { outcome: 'infrastructure' });

    expect(sentences([...begun, ran(3, 'testing'), ended]).slice(2)).toEqual([
      `Test run ${runOf(runIdOf(1))} of #1 had an infrastructure failure.`,
    ]);
  });

  test.each<[RunChanged['outcome'], readonly number[], number]>([
    ['failed', [1, 2], 1],
    ['failed', [1], 0],
    ['passed', [1, 2], 0],
  ])(
    'of a run that %s, of %j, tells that it was let go of where a batch is tested anew',
    (outcome, prs, count) => {
      const run = { outcome, prs, attempts: prs.map(() => 1) };
      const rows = [...begun, ran(3, 'ended', run), ran(4, 'closed', { ...run, cause: 'restarted' })];

      expect(sentences(rows).filter((sentence) => sentence.includes(' was closed: '))).toHaveLength(count);
    },
  );
});
