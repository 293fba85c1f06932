import { aMove, anActor, BUILT_AT, inputIdOf, runIdOf, shaOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import type { Commanded, HistoryRow, PutOff, PutOnHold, RunChanged } from '../model/history.js';
import { runOf } from './phrases.js';
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
  candidate: null,
  base: shaOf(1),
  stack: [],
  ref: null,
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
const storyIn = (rows: readonly HistoryRow[], attempt = 1) =>
  storiesOf(rows, 1).find((story) => story.attempt === attempt)!;
const sentences = (rows: readonly HistoryRow[], attempt = 1) =>
  storyIn(rows, attempt).events.map(({ sentence }) => sentence);

const begun = [moved(1, { from: null, to: 'not_ready', since: at(0) }), moved(2, {})];
const merged = [
  moved(3, { from: 'pending', to: 'testing', runId: runIdOf(1) }),
  moved(4, { from: 'testing', to: 'tests_passed' }),
  moved(5, { from: 'tests_passed', to: 'merged', reason: 'MERGE_GRAPH_MERGE' }),
];

describe('the story of an attempt', () => {
  test('contains only events of this pull request', () => {
    const other = moved(6, { pr: 2, submissionId: submissionIdOf(2), from: 'pending', to: 'cancelled' });

    expect(storyIn([...begun, other])).toMatchObject({ state: 'pending', endedAt: null });
  });

  test('the story of an attempt ends with the final state, and has no action for a merged pull request', () => {
    const whole = storyIn([...begun, ...merged]);

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

  test('the story of an attempt counts only time in states whose start is recorded', () => {
    const { spentMs } = storyIn([moved(9, { since: at(0) }), moved(10, { from: 'pending', to: 'testing' })]);

    expect(spentMs).toEqual({ pending: 60_000 });
  });

  test('the story of an attempt shows other requests in the attempt in which they were made, but not its submit', () => {
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

  test('the story of an attempt takes the last submit before an attempt as its start, not those of others or other requests', () => {
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
      storyIn(rows, attempt)
        .events.filter(({ sentence }) => sentence.startsWith('Requested by'))
        .map((event) => (event.at - at(0)) / 60_000);
    expect([asking(1), asking(2)]).toEqual([[5, 9], []]);
  });

  test('the story of an attempt leaves out the end of a bisection that continued without it, but no other later event', () => {
    const left = moved(4, { from: 'pending', to: 'failed', reason: 'TEST_RUN_REQUIRED_STATUS_FAILED' });
    const after = [
      ran(5, 'ended', { outcome: 'failed' }),
      ran(6, 'closed', { outcome: 'failed', cause: 'isolation_limit' }),
      asked(7, 'restart_tests'),
    ];

    const sequences = storyIn([...begun, left, ...after]).events.map((event) => (event.at - at(0)) / 60_000);
    expect(sequences).toEqual([1, 2, 4, 5, 7]);
  });

  test('the story of an attempt shows a delayed landing of a combined commit, but no failed landing of a test', () => {
    const closed = (purpose: RunChanged['purpose']) =>
      sentences([...begun, ran(3, 'closed', { purpose, outcome: 'passed', cause: 'not_landed' })]).length;

    expect([closed('compose'), closed('test')]).toEqual([3, 2]);
  });

  test('the story of an attempt shows that it was put on hold and why, and when it returned', () => {
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
    expect(storyIn(rows)).toMatchObject({
      state: 'pending',
      sentence: expect.stringContaining('is waiting in the queue'),
    });
    expect(sentences([...rows, aside(9, { attempt: 2 })])).toHaveLength(6);
  });

  test('the story of an attempt shows the message of a delay, but none of another pull request', () => {
    const putOff = (sequence: number, pr: number): PutOff => ({
      ...{ type: 'put_off', sequence, at: at(sequence * 60), settingsVersion: 1 },
      ...{
        submissionId: submissionIdOf(pr),
        pr,
        attempt: 1,
        reason: 'HOST_NOT_READY',
        detail: 'Try later.',
      },
    });

    expect(storyIn([...begun, putOff(3, 1), putOff(4, 2)]).events.slice(2)).toEqual([
      {
        at: at(180),
        state: null,
        reason: 'HOST_NOT_READY',
        runId: null,
        sentence: '#1 was delayed: The code host asked the queue to wait before merging it (Try later).',
      },
    ]);
  });

  test('contains the test runs of its own attempt, also if a batch member is in another attempt', () => {
    const rows = [...begun, ran(3, 'created', { prs: [2, 1], attempts: [7, 1] })];

    expect(storiesOf(rows, 1).map(({ attempt }) => attempt)).toEqual([1]);
    expect(sentences(rows).at(-1)).toMatch(/was started to test #2 and #1\.$/);
  });

  test('the story of an attempt shows of an ended test run only the end, unless its bisection was inconclusive', () => {
    const ended = ran(4, 'ended', { outcome: 'failed', testingSince: at(180) });
    const closed = (cause: RunChanged['cause']) => ran(5, 'closed', { outcome: 'failed', cause });
    const closes = (cause: RunChanged['cause']) =>
      sentences([...begun, ended, closed(cause)]).filter((sentence) => sentence.includes(' was closed: '));

    expect(closes('superseded')).toEqual([]);
    expect(closes('isolation_inconclusive')).toHaveLength(1);
  });

  test('the story of an attempt shows the purpose of a test run that needed no test, and of a bisection test', () => {
    const pass = { outcome: 'passed', isTested: false } as const;
    const begunFor = (purpose: RunChanged['purpose']) =>
      sentences([...begun, ran(3, 'created', { purpose }), ran(4, 'ended', { purpose, ...pass })])[2];

    expect(begunFor('test')).toMatch(/to see what is left to test of #1\.$/);
    expect(begunFor('isolate')).toMatch(/in a bisection/);
  });

  test('the story of an attempt counts a return from testing as a requeue, but not a start in the line', () => {
    const direct = moved(1, { from: null, to: 'pending', since: at(0) });
    const under = moved(2, { from: 'pending', to: 'testing' });

    expect(storyIn([direct, under]).sentence).not.toMatch(/requeued/);
    expect(storyIn([direct, under, moved(3, { from: 'testing', to: 'pending' })]).sentence).toMatch(
      /requeued 1 time/,
    );
  });

  test('the story of an attempt shows that nothing had to be tested, and the pass as usual', () => {
    const run = (isTested: boolean) => ran(5, 'ended', { outcome: 'passed', isTested });
    const moves = merged.map((row) => ({ ...row, runId: runIdOf(1) }));
    const of = (isTested: boolean) =>
      storyIn([...begun, ...moves, run(isTested)]).events.flatMap(({ state, sentence }) =>
        state === null ? [] : sentence,
      );
    const [tested, untested] = [of(true), of(false)];

    expect(untested[2]).not.toBe(tested[2]);
    expect([untested[3], untested[4]]).toEqual([tested[3], tested[4]]);
  });

  test('the story of an attempt names the actor of the end only if a user cancelled it', () => {
    expect(storyIn([...begun, ...merged]).sentence).toMatch(/^#1 was merged after/);
    expect(storyIn([...begun, moved(3, { from: 'pending', to: 'cancelled' })]).sentence).toMatch(
      new RegExp(`was cancelled by ${anActor.name} after`),
    );
  });

  test('the story of an attempt is missing if only a test run is recorded, but not how the pull request entered the queue', () => {
    expect(storiesOf([ran(3, 'created')], 1)).toEqual([]);
  });

  test('the story of an attempt assigns a late result to the attempt of its test run, and a new request to the current attempt', () => {
    const before = [...begun, moved(3, { from: 'pending', to: 'cancelled' })];
    const again = moved(4, { attempt: 2, from: 'cancelled', to: 'not_ready' });
    const rows = [...before, again, ran(5, 'closed', { cause: 'member_left' }), asked(6, 'cancel')];

    expect(sentences(rows, 1).at(-1)).toMatch(
      /^Test run .+ was cancelled: a pull request that it tested left/,
    );
    expect(sentences(rows, 2).at(-1)).toBe('Requested by Ada: cancel #1.');
  });

  test('the story of an attempt leaves out the end of the bisection after it has left the batch', () => {
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
  ])(
    'the story of an attempt shows who requested %s, but no requests for other pull requests',
    (command, words) => {
      const rows = [
        ...begun,
        asked(3, command),
        { ...asked(4, command), pr: 2 },
        { ...asked(5, command), pr: null },
      ];

      expect(sentences(rows).slice(2)).toEqual([`Requested by Ada: ${words}.`]);
    },
  );

  test('the story of an attempt shows the time in a state if it is at least one second', () => {
    const after = (ms: number) => storyIn([...begun, { ...merged[0]!, since: at(180) - ms }]);

    expect(after(1_000).sentence).toMatch(/ runs?, 1 min not ready, 1 s waiting in the queue\.$/);
    expect(after(999).sentence).toMatch(/ runs?, 1 min not ready\.$/);
    expect(after(1_000).events.at(-1)!.sentence).toMatch(/ started after 1 s of waiting: /);
    expect(after(999).events.at(-1)!.sentence).toMatch(/ started: /);
  });

  test('the story of an attempt shows no durations and the recorded reason if the attempt has just started', () => {
    const direct = moved(1, { from: null, to: 'pending', since: at(0), reason: null });

    expect(storyIn([direct])).toMatchObject({
      sentence: '#1 is waiting in the queue: no reason is recorded. Attempt 1: 0 test runs.',
      events: [{ sentence: '#1 joined the queue: no reason is recorded.' }],
    });
  });

  test('the story of an attempt gives each event of a test run its time and its run id', () => {
    const ended = ran(3, 'ended', { outcome: 'failed', testingSince: at(120) });

    expect(storyIn([...begun, ended]).events.at(-1)).toEqual({
      at: at(180),
      state: null,
      reason: null,
      runId: runIdOf(1),
      sentence: `Test run ${runOf(runIdOf(1))} of #1 failed after 1 min.`,
    });
  });

  test('the story of an attempt leaves out the build of a commit, and the duration of a test run that was not built', () => {
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
    'the story of an attempt shows the close of a test run that %s, of %j, if its batch is tested again',
    (outcome, prs, count) => {
      const run = { outcome, prs, attempts: prs.map(() => 1) };
      const rows = [...begun, ran(3, 'ended', run), ran(4, 'closed', { ...run, cause: 'restarted' })];

      expect(sentences(rows).filter((sentence) => sentence.includes(' was closed: '))).toHaveLength(count);
    },
  );
});
