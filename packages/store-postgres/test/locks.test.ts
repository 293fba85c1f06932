import type { QueueId } from '@mq/core';
import { aCommit, aFact, anEffect, aQueue, BUILT_AT, effectIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freshStore, postgres } from './worlds.js';

// The test holds locks, so that overlaps which are rare under load are certain.

const server = postgres();
afterAll(() => server.pool.end());

const FAR = Date.UTC(2200, 0, 1);
const noRecall = { prs: [], inputIds: [] };

const open = async (count = 1) => {
  const made = await freshStore(server);
  onTestFinished(made.end);
  for (let n = 1; n <= count; n += 1)
    await made.store.createQueue(aQueue({ id: queueIdOf(n), branch: `b${n}` }), FAR, null);
  return { ...made, name: `"${made.schema.replaceAll('"', '""')}"` };
};

/** Locks the rows of a query until the returned function is called. */
const hold = async (query: string, values: readonly string[]): Promise<() => Promise<void>> => {
  const client = await server.pool.connect();
  await client.query('begin');
  await client.query(`${query} for update`, [...values]);
  return async () => {
    await client.query('commit');
    client.release();
  };
};

/** Resolves once this many statements on a table wait for a lock. */
const waiting = async (about: string, count: number): Promise<void> => {
  for (;;) {
    const { rows } = await server.pool.query(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and position($1 in query) > 0 and pid <> pg_backend_pid()",
      [about],
    );
    if (rows.length >= count) return;
  }
};

test('an effect whose row is locked is skipped, and offered later', async () => {
  const { store, name } = await open();
  await store.commit(aCommit({ effects: [anEffect(1), anEffect(2)] }));
  const release = await hold(`select id from ${name}.effects where id = $1`, [effectIdOf(1)]);
  const ask = { owner: 'performer', forMs: 60_000, limit: 5 };
  expect((await store.lease(ask)).map(({ effect }) => effect)).toEqual([anEffect(2)]);
  await release();
  expect((await store.lease(ask)).map(({ effect }) => effect)).toEqual([anEffect(1)]);
});

test('a due queue whose row is locked is skipped, and offered later', async () => {
  const { store, name } = await open(2);
  for (const n of [1, 2]) await store.push(queueIdOf(n), [aFact(n)]);
  const release = await hold(`select queue_id from ${name}.wakes where queue_id = $1`, [queueIdOf(1)]);
  expect(await store.due({ forMs: 60_000, limit: 5 })).toEqual([queueIdOf(2)]);
  await release();
  expect(await store.due({ forMs: 60_000, limit: 5 })).toEqual([queueIdOf(1)]);
});

const wakeOf = (name: string, id: QueueId) =>
  hold(`select queue_id from ${name}.wakes where queue_id = $1`, [id]);

test.each(['the commit', 'the fact'])(
  'a fact that arrives during a commit leaves the queue due (%s first)',
  async (first) => {
    const { store, name } = await open();
    const id = queueIdOf(1);
    const release = await wakeOf(name, id);
    const acts = [() => store.commit(aCommit({ wakeAt: FAR })), () => store.push(id, [aFact(1)])];
    const done: Promise<unknown>[] = [];
    for (const act of first === 'the commit' ? acts : acts.toReversed()) {
      done.push(act());
      await waiting(name, done.length);
    }
    await release();
    await Promise.all(done);
    expect((await store.load(id, 0, noRecall))?.inbox).toEqual([aFact(1)]);
    expect(await store.due({ forMs: 60_000, limit: 5 })).toEqual([id]);
  },
);

test('a fact that arrives while its queue is deleted leaves nothing behind', async () => {
  const { store, name } = await open();
  const id = queueIdOf(1);
  const release = await wakeOf(name, id);
  const deleted = store.commit(aCommit({ writes: someWrites({ queue: aQueue({ deletedAt: BUILT_AT }) }) }));
  await waiting(name, 1);
  const pushed = store.push(id, [aFact(1)]);
  await waiting(name, 2);
  await release();
  expect((await deleted).kind).toBe('committed');
  await pushed;
  const { rows } = await server.pool.query(
    `select id from ${name}.inbox union all select queue_id from ${name}.wakes`,
  );
  expect(rows).toEqual([]);
});

test('an effect that is leased while a commit withdraws it refuses the commit', async () => {
  const { store, name } = await open();
  const id = queueIdOf(1);
  await store.commit(aCommit({ effects: [anEffect(1)] }));
  const client = await server.pool.connect();
  await client.query('begin');
  await client.query(`update ${name}.effects set tries = 1, held = true where id = $1`, [effectIdOf(1)]);
  const takenBack = store.commit(aCommit({ expected: 2, withdraw: [effectIdOf(1)], wakeAt: FAR }));
  await waiting(name, 1);
  await client.query('commit');
  client.release();
  expect(await takenBack).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  expect((await store.load(id, 0, noRecall))?.version).toBe(2);
});

test('of two commits to one version the second is refused', async () => {
  const { store, name } = await open();
  const release = await hold(`select id from ${name}.queues where id = $1`, [queueIdOf(1)]);
  const tries = [1, 2, 3].map((n) => store.commit(aCommit({ effects: [anEffect(n)] })));
  await waiting(name, 3);
  await release();
  expect((await Promise.all(tries)).map(({ kind }) => kind).sort()).toEqual([
    'committed',
    'conflict',
    'conflict',
  ]);
  expect((await store.lease({ owner: 'performer', forMs: 60_000, limit: 5 })).length).toBe(1);
});
