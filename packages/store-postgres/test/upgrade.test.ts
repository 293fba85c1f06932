import { createMergeQueue, type QueueRef } from '@mq/core';
import { fakeHost, virtualClock } from '@mq/testkit';
import { Pool } from 'pg';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { type Database, pgDatabase, postgresStore } from '../src/index.js';
import { checkMigratedBy, migrateBy } from '../src/migrate.js';
import type { Migration } from '../src/migrations/migration.js';
import { migrations } from '../src/migrations/migrations.js';
import { type Names, namesIn } from '../src/statement.js';
import { embedded, freshName, postgres } from './worlds.js';

// Simulates the next version of this program by its tables. A real new version adds its migration to `migrations`; this
// test needs no change then.

const server = postgres();
afterAll(() => server.pool.end());

/** Another process, from the view of the database. */
const process = (): Database => {
  const pool = new Pool({ connectionString: inject('postgresUrl') });
  onTestFinished(() => pool.end());
  return pgDatabase(pool, { listen: false });
};

const number = migrations.length + 1;

/** Changes that programs of this version can ignore. */
const additive: Migration = {
  number,
  name: 'titles',
  understoodFrom: migrations.length,
  sql: ({ submissions }) => `
alter table ${submissions} add column title text;
update ${submissions} set title = value::json #>> '{message,title}';`,
};

/** Changes that programs of this version do not understand. */
const breaking: Migration = {
  number,
  name: 'documents',
  understoodFrom: number,
  sql: ({ queues, submissions }) => `
lock table ${queues}, ${submissions} in access exclusive mode;
alter table ${submissions} rename column value to document;`,
};

const nextVersion = (migration: Migration) => [...migrations, migration];

const ref: QueueRef = {
  repo: { host: 'fake.example', owner: 'acme', name: 'widgets' },
  targetBranch: 'main',
};

/** A queue with two pull requests under test, and the engine that writes to it. */
const queueAtWork = async (database: Database) => {
  const schema = freshName();
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const repository = host.createRepository({ ref: ref.repo });
  const engine = async (on: Database) =>
    createMergeQueue({
      store: await postgresStore({ database: on, schema }),
      hosts: { [ref.repo.host]: host },
      clock,
    });
  const mq = await engine(database);
  await mq.createQueue({ ...ref, concurrency: 2 });
  for (const pr of [1, 2]) {
    repository.openPullRequest({ number: pr });
    await mq.submit({ ...ref, pr });
  }
  await mq.settled();
  const pass = async (by: typeof mq) => {
    for (const { commit, status } of repository.ci.checks())
      if (status !== 'completed') repository.ci.finish(commit, null, 'success');
    await by.notice({ repo: ref.repo, what: 'checks' });
    await by.settled();
    return (await by.getSubmissions({ ...ref, prs: [1, 2] })).found.map(({ submission }) => submission.state);
  };
  return { schema, names: namesIn(schema), engine, mq, pass };
};

const taken = async (database: Database, { migrations: table }: Names): Promise<readonly number[]> =>
  (await database.query(`select number::text as number from ${table} order by number::bigint`, [])).map(
    (row) => Number(row.number),
  );
const all = nextVersion(additive).map((one) => one.number);

test('two processes that start at once run a later migration once, while a process of the previous version continues', async () => {
  const { names, engine, mq, pass } = await queueAtWork(server);

  await Promise.all([process(), process()].map((one) => migrateBy(nextVersion(additive), one, names)));

  expect(await taken(server, names)).toEqual(all);
  const rows = await server.query(`select pr::text as pr, title from ${names.submissions} order by pr`, []);
  expect(rows.map(({ pr, title }) => [pr, typeof title])).toEqual([
    ['1', 'string'],
    ['2', 'string'],
  ]);
  await checkMigratedBy(nextVersion(additive), server, names);
  const restarted = await engine(process());
  await mq.updateQueue({ ...ref, testingTimeoutMinutes: 100 });
  expect(await pass(restarted)).toEqual(['merged', 'merged']);
});

test('a program that does not understand a later migration refuses to start and changes nothing', async () => {
  const { schema, names } = await queueAtWork(server);
  await migrateBy(nextVersion(breaking), server, names);
  const before = await server.query(`select document from ${names.submissions} order by pr`, []);

  for (const migrate of [true, false])
    await expect(postgresStore({ database: process(), schema, migrate })).rejects.toMatchObject({
      code: 'SCHEMA_NEWER',
      problem: `The schema ${names.schema} was made by a later version (migration ${number}; this one supports ${migrations.length}).`,
      remedy: 'Use that version or a later one. Nothing was changed.',
    });

  expect(before).toHaveLength(2);
  expect(await server.query(`select document from ${names.submissions} order by pr`, [])).toEqual(before);
});

test('a running program whose tables are migrated to a later version reports that and stops writing', async () => {
  const { names, mq } = await queueAtWork(server);
  const stateOf = () => server.query(`select version::text as version, last_commit from ${names.queues}`, []);
  await migrateBy(nextVersion(breaking), process(), names);
  const before = await stateOf();

  await expect(mq.cancel({ ...ref, pr: 1 })).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('was made by a later version'),
    cause: { code: 'SCHEMA_NEWER' },
  });

  expect(await stateOf()).toEqual(before);
});

test('a failed migration leaves no trace of itself or of the migrations run with it', async () => {
  const { names, engine, pass } = await queueAtWork(server);
  const broken: Migration = {
    ...breaking,
    number: number + 1,
    sql: (given) => `${breaking.sql(given)} select 1 / 0;`,
  };

  await expect(migrateBy([...nextVersion(additive), broken], server, names)).rejects.toThrow(
    'division by zero',
  );

  expect(await taken(server, names)).toEqual(migrations.map((one) => one.number));
  expect(await pass(await engine(process()))).toEqual(['merged', 'merged']);
});

test('the next version migrates a folder when it opens it, and keeps effects in progress', async () => {
  const folder = await embedded();
  onTestFinished(() => folder.end());
  const { names, engine, pass } = await queueAtWork(folder);

  await migrateBy(nextVersion(additive), folder, names);

  expect(await taken(folder, names)).toEqual(all);
  expect(await pass(await engine(folder))).toEqual(['merged', 'merged']);
});

test('a read of history locks its tables in the order of a migration', async () => {
  const { names, mq } = await queueAtWork(server);
  const migration = await server.pool.connect();
  onTestFinished(() => migration.release(true));
  await migration.query(`begin; lock table ${names.history} in access exclusive mode`);
  const read = mq.timeline({ ...ref, pr: 1 });
  const waiting = async () =>
    (
      await server.pool.query('select 1 from pg_locks where relation = $1::regclass and not granted', [
        names.history,
      ])
    ).rows.length;
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1);

  await migration.query(`lock table ${names.history_prs} in access exclusive mode nowait`);
  await migration.query('commit');

  expect((await read).items.length).toBeGreaterThan(0);
});

test('a statement that fails on unchanged tables reports its own error', async () => {
  const fault = Object.assign(new Error('no such column'), { code: '42703', severity: 'ERROR' });
  const { schema } = await queueAtWork(server);
  const database: Database = {
    ...server,
    query: (statement, values) =>
      statement.includes('history') ? Promise.reject(fault) : server.query(statement, values),
  };
  const store = await postgresStore({ database, schema, migrate: false });

  await expect(store.history({ queueIds: [], order: 'oldest_first', limit: 1 })).rejects.toBe(fault);
});
