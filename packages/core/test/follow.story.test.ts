import { memoryStore } from '@mq/store-memory';
import { aCommit, aMove, aQueue, type Story, someWrites, stories, virtualClock } from '@mq/testkit';
import { afterEach, expect, test } from 'vitest';
import { createMergeQueue, type Followed, type FollowRequest, type HistoryItem } from '../src/index.js';

const story = stories(afterEach);

/** What a reader has got so far. */
const reader = (q: Story, request: FollowRequest = {}, mq = q.world.mq) => {
  const steps: Followed[] = [];
  const signal = new AbortController();
  const ended = (async () => {
    for await (const step of mq.follow({ ...request, signal: signal.signal })) steps.push(step);
  })();
  return {
    steps,
    rows: () => steps.flatMap((step) => (step.type === 'row' ? [step.row] : [])),
    cursor: () => steps.at(-1)?.cursor ?? '',
    started: () => until(q, () => steps.length > 0),
    stop: async () => {
      signal.abort();
      await ended;
    },
    ended,
  };
};

const until = async (q: Story, isSo: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 50 && !isSo(); turns += 1) await q.world.clock.idle();
};

const recorded = async (q: Story): Promise<readonly HistoryItem[]> =>
  (await q.world.mq.history({ ...q.world.ref, order: 'oldest_first' })).items;

test('a reader gets each row of the history once, in its order, without time passing', async () => {
  const q = await story();
  const seen = reader(q);
  await seen.started();
  const before = (await recorded(q)).length;
  await q.submit(1);
  await q.passes('main+1');
  q.isIn({ 1: 'merged' });
  await until(q, () => false);

  expect(seen.rows()).toEqual((await recorded(q)).slice(before));
  await seen.stop();
});

test('a reader that stopped goes on with its cursor at another engine, without a gap', async () => {
  const q = await story({}, { engines: 2 });
  const [first, second] = q.world.engines;
  const before = reader(q, {}, first);
  await before.started();
  await q.submit(1);
  await until(q, () => false);
  await before.stop();
  await q.passes('main+1');
  const after = reader(q, { after: before.cursor() }, second);
  await until(q, () => false);

  const rows = [...before.rows(), ...after.rows()];
  expect(rows).toEqual((await recorded(q)).slice(-rows.length));
  expect(after.rows().length).toBeGreaterThan(0);
  await after.stop();
});

test('rows that another engine commits come within the time of a poll', async () => {
  const q = await story({}, { engines: 2 });
  const [first, second] = q.world.engines;
  const seen = reader(q, {}, first);
  await seen.started();
  q.opens(1);
  await q.world.act(async () => void (await second?.submit({ ...q.world.ref, pr: 1 })));
  await q.world.clock.advance(250);

  expect(seen.rows().some((row) => row.type === 'commanded' && row.pr === 1)).toBe(true);
  await seen.stop();
});

test('the rows of a queue that is deleted and created again come from both, under one cursor', async () => {
  const q = await story();
  const seen = reader(q);
  await seen.started();
  await q.deletesQueue();
  await q.createsQueue();
  await q.world.clock.advance(2_000);

  const ids = new Set(seen.rows().map(({ queueId }) => queueId));
  expect(ids.size).toBe(2);
  await seen.stop();
});

test('a reader is limited to the repository, branch or queues that it names', async () => {
  const q = await story();
  const none = reader(q, { isWanted: () => false });
  const other = reader(q, { ...q.world.ref, targetBranch: 'release' });
  const own = reader(q, q.world.ref);
  for (const one of [none, other, own]) await one.started();
  await q.submit(1);
  await until(q, () => false);

  expect([none.rows().length, other.rows().length]).toEqual([0, 0]);
  expect(own.rows().length).toBeGreaterThan(0);
  for (const one of [none, other, own]) await one.stop();
});

test('closing the engine ends all readers', async () => {
  const q = await story();
  const seen = reader(q, {}, q.world.engines[0]);
  await seen.started();
  await q.world.engines[0]?.close();

  await expect(seen.ended).resolves.toBeUndefined();
});

test.each(['', 'x', Buffer.from('{"a":"b"}').toString('base64url')])(
  'a cursor that no reader got is refused: %s',
  async (after) => {
    const q = await story();
    expect(() => q.world.mq.follow({ after })).toThrow(expect.objectContaining({ code: 'CURSOR_INVALID' }));
  },
);

test('a reader whose last row was pruned gets one reset, and goes on with what is committed from then on', async () => {
  const clock = virtualClock();
  const store = memoryStore({ clock, retention: { historyRows: 2 } });
  const queue = aQueue();
  await store.createQueue(queue, clock.now(), null);
  const commit = (n: number) =>
    store.commit(aCommit({ expected: n, writes: someWrites({ history: [aMove(n)] }) }));
  const mq = createMergeQueue({ store, clock, hosts: {} });
  await commit(1);
  const steps: Followed[] = [];
  for await (const step of mq.follow({})) {
    steps.push(step);
    break;
  }
  for (const n of [2, 3, 4, 5]) await commit(n);
  const signal = new AbortController();
  const ended = (async () => {
    const after = steps[0]?.cursor ?? '';
    for await (const step of mq.follow({ after, signal: signal.signal })) steps.push(step);
  })();
  await clock.advance(250);
  await commit(6);
  await clock.advance(250);
  signal.abort();
  await ended;

  expect(steps.map(({ type }) => type)).toEqual(['started', 'started', 'reset', 'row']);
  expect(steps.flatMap((step) => (step.type === 'row' ? [step.row.sequence] : []))).toEqual([6]);
});
