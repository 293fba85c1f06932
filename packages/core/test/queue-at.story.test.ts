import { type Story, stories } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';
import type { HistoryRow } from '../src/model/history.js';
import type { Instant } from '../src/model/ids.js';
import { PastQueue } from '../src/model/queue-at.js';

const story = stories(afterEach);

const shownAt = async (q: Story, at: Instant) => {
  const { submissions, runs, wanted } = await q.world.mq.queueAt({ ...q.world.ref, at });
  return { wanted, line: submissions.map(({ pr, state }) => [pr, state]), runs: runs.map(({ prs }) => prs) };
};

test('a past moment shows the line and the test runs as they were, and a moment in the future those of now', async () => {
  const q = await story({ concurrency: 1 });
  await q.submit(1, 2);
  const first = q.world.clock.now();
  await q.after('10m');
  await q.passes('main+1');
  await q.submit(3, { skipTheLine: true });
  await q.pauses();
  const second = q.world.clock.now();
  const { enqueued } = await q.world.mq.getQueue(q.world.ref);
  await q.after('10m');
  await q.cancel(2);

  expect(await shownAt(q, first)).toEqual({
    wanted: 'running',
    line: [
      [1, 'testing'],
      [2, 'pending'],
    ],
    runs: [[1]],
  });
  const then = await shownAt(q, second);
  expect([then.wanted, then.line.map(([pr]) => pr)]).toEqual([
    'paused',
    enqueued.map(({ submission }) => submission.pr),
  ]);
  expect(await shownAt(q, 8e15)).toEqual(await shownAt(q, q.world.clock.now()));
});

test('a moment before the history is refused, with the earliest one that can be answered', async () => {
  const q = await story();
  const { createdAt } = (await q.world.mq.getQueue(q.world.ref)).queue;
  await q.after('10m');
  const refusal = q.world.mq.queueAt({ ...q.world.ref, at: createdAt - 1 });
  const earliest = new Date(createdAt).toISOString();
  await expect(refusal).rejects.toMatchObject({
    code: 'HISTORY_GONE',
    message: expect.stringContaining(earliest),
  });
  expect(await q.world.mq.queueAt({ ...q.world.ref, at: createdAt })).toMatchObject({
    earliestAt: createdAt,
    submissions: [],
  });
});

test('of a history whose beginning was removed, what was live before is known by its later moves', () => {
  const past = new PastQueue();
  const moved = {
    type: 'moved',
    settingsVersion: 1,
    submissionId: 'id',
    attempt: 1,
    detail: null,
    runId: null,
  } as const;
  const by = {
    actor: { kind: 'queue', id: null, name: 'the queue' },
    admittedAt: 5,
    reasonBefore: null,
    reason: null,
  } as const;
  const row = {
    ...moved,
    ...by,
    pr: 7,
    from: 'testing',
    to: 'merged',
    since: 40,
    at: 90,
    sequence: 12,
  } as unknown as HistoryRow;
  past.applyLater(row);
  past.applyLater({ ...row, from: null, to: 'not_ready', at: 95, sequence: 13 } as HistoryRow);
  expect(past.submissions(60_000)).toMatchObject([{ pr: 7, state: 'testing', since: 40, position: 1 }]);
});

test('what was landing stood ahead of an urgent pull request that had passed as well', () => {
  const moved = (pr: number, isFirst: boolean) =>
    ({
      ...{
        type: 'moved',
        sequence: pr,
        at: pr,
        settingsVersion: 1,
        submissionId: `id ${pr}`,
        pr,
        attempt: 1,
      },
      ...{ from: 'testing', to: 'tests_passed', since: 0, admittedAt: pr, reasonBefore: null, reason: null },
      ...{ detail: null, runId: null, actor: { kind: 'queue', id: null, name: 'the queue' } },
      standings: [{ pr, place: pr, admittedRank: pr, priority: 100, isFirst }],
    }) as unknown as HistoryRow;
  const past = new PastQueue();
  for (const row of [moved(1, false), moved(2, true)]) past.apply(row);
  const order = () => past.submissions(60_000).map(({ pr }) => pr);
  expect(order()).toEqual([2, 1]);

  past.apply({ ...moved(3, false), line: { landing: [1], isUrgentFirst: true } });
  expect(order()).toEqual([1, 2, 3]);
});
