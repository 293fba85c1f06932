import type { HistoryRow, Run, Store } from '@mq/core';
import { aCommit, aMove, aQueue, aRun, queueIdOf, runIdOf, shaOf, someWrites } from '@mq/testkit';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, migrate, postgresStore } from '../src/index.js';
import { migrateBy } from '../src/migrate.js';
import { migrations } from '../src/migrations/migrations.js';
import { namesIn } from '../src/statement.js';
import { freshName, pagesOf, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

/** Of a run that tests several. */
const aboutRun = (sequence: number, prs: readonly number[]): HistoryRow => ({
  ...{ type: 'run', sequence, at: aMove(sequence).at, settingsVersion: 1, runId: runIdOf(1) },
  ...{ change: 'created', purpose: 'test', prs, attempts: prs.map(() => 1), outcome: null, cause: null },
  ...{ testingSince: null, isTested: false, trial: null },
});

const write = async (store: Store, version: number, ...history: readonly HistoryRow[]): Promise<void> => {
  const writes = { ...someWrites({ queue: aQueue() }), history };
  expect(await store.commit(aCommit({ expected: version, writes }))).toMatchObject({ kind: 'committed' });
};

const of = async (store: Store, pr?: number): Promise<readonly number[]> => {
  const about = pr === undefined ? {} : { pr };
  const query = { queueIds: [queueIdOf(1)], order: 'oldest_first', limit: 2, ...about } as const;
  return (await pagesOf(store, query)).flat();
};

/** Before the step that waits, with the steps before it taken. */
const before = async (steps: number) => {
  const schema = freshName();
  await migrateBy(migrations.slice(0, steps), server, namesIn(schema), true);
  const store = await postgresStore({ database: server, schema });
  await store.createQueue(aQueue(), 0, null);
  const finish = () => migrate({ database: server, schema, isEarlierGone: true });
  return { schema, store, finish, another: () => postgresStore({ database: server, schema }) };
};

describe.each([1, 3])('tables at step %d', (steps) => {
  test('history that was written before the steps that wait is found by whom it is about, and so is what comes after', async () => {
    const { store, finish, another } = await before(steps);
    await write(store, 1, aMove(1), aMove(2, { pr: 2 }), aboutRun(3, [1, 2]), aboutRun(4, [1]));
    expect([await of(store, 1), await of(store, 2)]).toEqual([
      [1, 3, 4],
      [2, 3],
    ]);

    await finish();
    const after = await another();
    await write(after, 2, aMove(5), aboutRun(6, [2, 1]), aboutRun(7, []), aMove(8, { pr: 2 }));

    for (const seen of [store, after]) {
      expect(await of(seen)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await of(seen, 1)).toEqual([1, 3, 4, 5, 6]);
      expect(await of(seen, 2)).toEqual([2, 3, 6, 8]);
    }
  });

  test('whoever was at work when they are taken goes on, and nothing of what it writes is lost', async () => {
    const { store, finish, another } = await before(steps);
    const trial = { ref: 'trials/1', commit: shaOf(7), tree: shaOf(8), steps: [] };
    const run: Run = aRun(1, { state: 'testing', trial });
    const commit = async (version: number, incarnation: string, changed: Run) => {
      const writes = someWrites({ queue: aQueue(), runs: [changed], history: [aMove(version)] });
      expect(await store.commit(aCommit({ expected: version, incarnation, writes }))).toMatchObject({
        kind: 'committed',
      });
    };
    const { incarnation = '' } = (await store.load(queueIdOf(1), 0, { prs: [], inputIds: [] })) ?? {};
    await commit(1, incarnation, run);

    await finish();
    await commit(2, incarnation, run);
    await commit(3, incarnation, { ...run, isTrialKept: false });

    const found = await (await another()).load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    expect(found?.runs).toEqual([{ ...run, isTrialKept: false }]);
    expect(await of(store, 1)).toEqual([1, 2, 3]);
    expect(await store.createQueue(aQueue({ id: queueIdOf(2), branch: 'next' }), 0, null)).toBe('created');
  });

  test.each(['by its own failure', 'by somebody else'])(
    'what was put together before they were taken is put together anew, also where that shows %s',
    async (how) => {
      const { store, finish } = await before(steps);
      const writes = { ...someWrites({ queue: aQueue() }), history: [aMove(1), aboutRun(2, [1, 2])] };
      const commit = aCommit({ expected: 1, writes });
      store.prepare?.(commit);

      await finish();
      if (how === 'by somebody else') expect(await of(store)).toEqual([]);
      expect(await store.commit(commit)).toMatchObject({ kind: 'committed', version: 2 });

      expect([await of(store, 1), await of(store, 2)]).toEqual([[1, 2], [2]]);
    },
  );

  test('whoever was at work removes what is kept no longer, before and after', async () => {
    const { schema, finish } = await before(steps);
    const store = await postgresStore({ database: server, schema, retention: { historyRows: 2 } });
    await write(store, 1, aMove(1), aMove(2), aboutRun(3, [1, 2]));
    await store.prune();
    expect(await of(store, 1)).toEqual([2, 3]);

    await finish();
    await store.prune();
    await write(store, 2, aMove(4), aboutRun(5, [1, 2]));
    await store.prune();

    expect([await of(store, 1), await of(store, 2)]).toEqual([[4, 5], [5]]);
    const { rows } = await server.pool.query(`select pr from ${namesIn(schema).history_prs} order by pr`);
    expect(rows.map(({ pr }) => Number(pr))).toEqual([1, 2]);
  });
});

test('whoever was at work reads pages of what comes after in its order, and whole', async () => {
  const { store, finish, another } = await before(3);
  await finish();
  const inTurns = [1, 2, 3, 4, 5, 6].map((n) => aMove(n, { at: 1, pr: 1 + (n % 2) }));
  await write(await another(), 1, ...inTurns);

  expect(await of(store)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('whoever was at work goes on where a backup of before the step is put back', async () => {
  const { schema, finish, another } = await before(3);
  await finish();
  const names = namesIn(schema);
  const [creating, committing, asking, pruning] = [
    await another(),
    await another(),
    await another(),
    await another(),
  ];
  await server.pool.query(`drop schema ${names.schema} cascade`);
  await migrateBy(migrations.slice(0, 3), server, names, true);

  expect(await creating.createQueue(aQueue(), 0, null)).toBe('created');
  await write(committing, 1, aMove(1), aboutRun(2, [1, 2]));
  expect(await of(asking, 2)).toEqual([2]);
  await pruning.prune();
  expect(await of(pruning, 1)).toEqual([1, 2]);
});

/** The server, with something that comes ahead of each statement. */
const watched = (ahead: (statement: string) => Promise<void> | void): Database => ({
  ...server,
  query: async (statement, values) => {
    await ahead(statement);
    return server.query(statement, values);
  },
});

/** Of the read that tells how rows are written. */
const isAboutTables = (statement: string): boolean => statement.includes('to_regnamespace');

test('what does not fit tables that are as they were is told as it is, and not tried again', async () => {
  const { schema, finish } = await before(3);
  await finish();
  let tries = 0;
  const fault = Object.assign(new Error('no such column'), { code: '42703', severity: 'ERROR' });
  const database = watched((statement) => {
    if (!statement.includes('history')) return;
    tries += 1;
    throw fault;
  });
  const store = await postgresStore({ database, schema, migrate: false });

  await expect(of(store, 1)).rejects.toBe(fault);
  expect(tries).toBe(1);
});

test('what was let in before a store is closed is carried out, also where it has to look at the tables anew', async () => {
  const { schema, finish } = await before(3);
  let isTaken = false;
  let reach: () => void = () => undefined;
  let release: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const database = watched((statement) => {
    if (!isTaken || !isAboutTables(statement)) return;
    reach();
    return released;
  });
  const store = await postgresStore({ database, schema, migrate: false });
  await finish();
  isTaken = true;

  const written = write(store, 1, aMove(1));
  await reached;
  let isClosed = false;
  const closed = store.close().then(() => {
    isClosed = true;
  });
  await server.pool.query('select 1');
  expect(isClosed).toBe(false);
  release();
  await Promise.all([written, closed]);
});

test('a database that does not answer while the tables are looked at anew is told as that', async () => {
  const { schema, finish } = await before(3);
  let isDown = false;
  const cut = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const database = watched((statement) => {
    if (isDown && isAboutTables(statement)) throw cut;
  });
  const store = await postgresStore({ database, schema, migrate: false });
  await finish();
  isDown = true;

  await expect(of(store, 1)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', cause: cut });
  isDown = false;
  expect(await of(store, 1)).toEqual([]);
});

test('whoever reads history locks its tables in the order in which the step does', async () => {
  const { schema, store } = await before(3);
  const { history, history_prs } = namesIn(schema);
  const step = await server.pool.connect();
  onTestFinished(() => step.release(true));
  await step.query(`begin; lock table ${history} in access exclusive mode`);
  const read = of(store, 1);
  await expect.poll(async () => (await waitingFor(history)).length, { timeout: 60_000 }).toBe(1);

  await step.query(`lock table ${history_prs} in access exclusive mode nowait`);
  await step.query('commit');
  expect(await read).toEqual([]);
});

const waitingFor = async (table: string): Promise<readonly unknown[]> =>
  (await server.pool.query('select 1 from pg_locks where relation = $1::regclass and not granted', [table]))
    .rows;
