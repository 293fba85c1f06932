import { randomUUID } from 'node:crypto';
import { aQueue } from '@mq/testkit';
import { Pool } from 'pg';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { type Database, migrate, pgDatabase, postgresStore } from '../src/index.js';
import { migrateBy } from '../src/migrate.js';
import type { Migration } from '../src/migrations/migration.js';
import { migrations } from '../src/migrations/migrations.js';
import { namesIn } from '../src/statement.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const later = (override: Partial<Migration>): Migration => ({
  number: migrations.length + 1,
  name: 'later',
  understoodFrom: 1,
  sql: ({ queues }) => `alter table ${queues} add column later text`,
  ...override,
});

const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: { readonly code?: unknown }) => error.code,
  );

test('twenty processes migrate one schema at once', async () => {
  const schema = freshName();
  await Promise.all(Array.from({ length: 20 }, () => migrate({ database: server, schema })));
  const { rows } = await server.pool.query(
    `select number from ${namesIn(schema).migrations} order by number`,
  );
  expect(rows.map(({ number }) => Number(number))).toEqual(migrations.map(({ number }) => number));
});

test('T-I21 twenty processes run one migration on a schema in use, and nothing is lost', async () => {
  const schema = freshName();
  const store = await postgresStore({ database: server, schema });
  await store.createQueue(aQueue(), 0, null);
  const known = [...migrations, later({})];
  await Promise.all(Array.from({ length: 20 }, () => migrateBy(known, server, namesIn(schema))));
  expect((await store.queues({ limit: 9 })).items).toEqual([aQueue()]);
  const again = await postgresStore({ database: server, schema });
  expect((await again.queues({ limit: 9 })).items).toEqual([aQueue()]);
});

test.each(['40001', '40P01'])(
  'a statement rolled back (%s) while a store is opened is retried',
  async (code) => {
    const schema = freshName();
    const seen = new Set<string>();
    /** Fails the first time that it gets a statement. */
    const gaveWay = <Result>(words: string, perform: () => Promise<Result>): Promise<Result> => {
      if (seen.has(words)) return perform();
      seen.add(words);
      return Promise.reject(Object.assign(new Error('it gave way'), { code }));
    };
    const database: Database = {
      ...server,
      isExclusive: true,
      query: (words, values) => gaveWay(words, () => server.query(words, values)),
      script: (words) => gaveWay(words, () => server.script(words)),
    };

    const store = await postgresStore({ database, schema });

    expect(await store.createQueue(aQueue(), 0, null)).toBe('created');
    expect(seen.size).toBeGreaterThan(3);
    await postgresStore({ database, schema, migrate: false });
  },
);

test('a migration that violates a key reports that, and is not retried', async () => {
  const schema = freshName();
  await migrate({ database: server, schema });
  const doubled = later({
    sql: ({ queues }) => `create table ${queues}_keys (key text primary key);
      insert into ${queues}_keys values ('one'), ('one')`,
  });
  let tries = 0;
  const database: Database = {
    ...server,
    script: (statements) => {
      tries += 1;
      return server.script(statements);
    },
  };
  const code = await codeOf(migrateBy([...migrations, doubled], database, namesIn(schema)));
  expect([code, tries]).toEqual(['23505', 1]);
});

test('a migration that does not get its locks fails, changes nothing, and blocks no other process', async () => {
  const schema = freshName();
  const { queues } = namesIn(schema);
  // In a separate database, because advisory locks are shared within a database.
  const own = `mq_${randomUUID().slice(0, 8)}`;
  await server.pool.query(`create database ${own}`);
  onTestFinished(async () => void (await server.pool.query(`drop database ${own} with (force)`)));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${own}`;
  const pool = new Pool({ connectionString: url.href, max: 1 });
  const others = new Pool({ connectionString: url.href, max: 1 });
  onTestFinished(async () => void (await Promise.all([pool.end(), others.end()])));
  const database = pgDatabase(pool, { listen: false });
  const store = await postgresStore({ database, schema });
  expect((await pool.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '0' }]);
  const other = await others.connect();
  onTestFinished(() => other.release(true));
  await other.query(`begin; lock table ${queues} in access exclusive mode`);
  const busy = migrateBy([...migrations, later({})], database, namesIn(schema));
  expect(await codeOf(busy)).toBe('DATABASE_BUSY');
  await other.query('rollback');
  expect(await store.createQueue(aQueue(), 0, null)).toBe('created');
  await migrateBy([...migrations, later({})], database, namesIn(schema));
});

test('a missing schema is not created with `migrate: false`', async () => {
  const schema = freshName();
  expect(await codeOf(postgresStore({ database: server, schema, migrate: false }))).toBe('SCHEMA_MISSING');
  const { rows } = await server.pool.query('select to_regnamespace($1) as found', [namesIn(schema).schema]);
  expect(rows).toEqual([{ found: null }]);
  await migrate({ database: server, schema });
  const store = await postgresStore({ database: server, schema, migrate: false });
  expect((await store.queues({ limit: 9 })).items).toEqual([]);
});

/** Another role of the server and its pool; both, and the schema, are removed after the test. */
const freshRole = async (schema: string): Promise<{ readonly role: string; readonly pool: Pool }> => {
  const role = `mq_${randomUUID().slice(0, 8)}`;
  await server.pool.query(`create role ${role} login`);
  const url = new URL(inject('postgresUrl'));
  url.username = role;
  const pool = new Pool({ connectionString: url.href });
  onTestFinished(async () => {
    await pool.end();
    await server.pool.query(`drop schema if exists ${namesIn(schema).schema} cascade; drop owned by ${role}`);
    await server.pool.query(`drop role ${role}`);
  });
  return { role, pool };
};

test('a role that can only use its schema migrates it', async () => {
  const schema = freshName();
  const { role, pool } = await freshRole(schema);
  await server.pool.query(`create schema ${namesIn(schema).schema} authorization ${role}`);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  expect(await store.createQueue(aQueue(), 0, null)).toBe('created');
});

const ALL = 'select, insert, update, delete';

test.each([
  ['it may only read', 'select', 'select', 'delete on answers'],
  ['it may not delete', 'select, insert, update', 'usage, select', 'delete on answers'],
  ['it may not count', ALL, 'select', 'usage on turns'],
])(
  'a role is refused if %s, with the names of the missing rights',
  async (_why, tables, sequences, lacks) => {
    const schema = freshName();
    const { role, pool } = await freshRole(schema);
    await migrate({ database: server, schema });
    const { schema: name } = namesIn(schema);
    await server.pool.query(`grant usage on schema ${name} to ${role};
    grant ${tables} on all tables in schema ${name} to ${role};
    grant ${sequences} on all sequences in schema ${name} to ${role}`);
    const refused = await postgresStore({ database: pgDatabase(pool), schema }).catch((error) => error);
    expect(refused).toMatchObject({ code: 'DATABASE_RIGHTS', problem: expect.stringContaining(lacks) });
    expect(refused.remedy).toContain(`in schema ${name}`);
  },
);

test.each([
  ['select on all tables', 'it cannot read it', false],
  [`${ALL} on all tables`, 'execute on now_ms()', true],
])('a role that was granted %s and nothing else is refused: %s', async (tables, lacks, mayUseSchema) => {
  const schema = freshName();
  const { role, pool } = await freshRole(schema);
  await migrate({ database: server, schema });
  const { schema: name } = namesIn(schema);
  await server.pool.query(`grant ${tables} in schema ${name} to ${role};
    revoke execute on all functions in schema ${name} from public;
    ${mayUseSchema ? `grant usage on schema ${name} to ${role}; grant usage on all sequences in schema ${name} to ${role}` : ''}`);
  const refused = await postgresStore({ database: pgDatabase(pool), schema }).catch((error) => error);
  expect(refused).toMatchObject({ code: 'DATABASE_RIGHTS', problem: expect.stringContaining(lacks) });
});

test('a role with read and write access to all data, as in a managed PostgreSQL, works in the schema of another role', async () => {
  const schema = freshName();
  const { role, pool } = await freshRole(schema);
  await migrate({ database: server, schema });
  await server.pool.query(`grant pg_read_all_data, pg_write_all_data to ${role};
    revoke update on all tables in schema ${namesIn(schema).schema} from ${role}`);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  expect(await store.createQueue(aQueue(), 0, null)).toBe('created');
});

test('a role with the documented grants works in the schema of another role', async () => {
  const schema = freshName();
  const { role, pool } = await freshRole(schema);
  await migrate({ database: server, schema });
  const { schema: name } = namesIn(schema);
  await server.pool.query(`grant usage on schema ${name} to ${role};
    grant ${ALL} on all tables in schema ${name} to ${role};
    grant usage on all sequences in schema ${name} to ${role}`);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  expect(await store.createQueue(aQueue(), 0, null)).toBe('created');
  expect(await store.push(aQueue().id, [])).toBeUndefined();
});

/** A database of the test, dropped afterwards. */
const freshDatabase = async (how: string): Promise<{ readonly name: string; readonly pool: Pool }> => {
  const name = `mq_fit_${randomUUID().slice(0, 8)}`;
  await server.pool.query(`create database ${name} ${how}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = name;
  const pool = new Pool({ connectionString: url.href });
  onTestFinished(async () => {
    await pool.end();
    await server.pool.query(`drop database ${name}`);
  });
  return { name, pool };
};

test.each(['LATIN1', 'SQL_ASCII'])(
  'a database with the encoding %s is refused, and nothing is created in it',
  async (encoding) => {
    const { pool } = await freshDatabase(`encoding '${encoding}' locale 'C' template template0`);
    expect(await codeOf(postgresStore({ database: pgDatabase(pool) }))).toBe('DATABASE_ENCODING');
    expect((await pool.query("select to_regnamespace('mq') as found")).rows).toEqual([{ found: null }]);
  },
);

test('a read-only database is refused, also with the tables of this version', async () => {
  const { name, pool } = await freshDatabase('template template0');
  await migrate({ database: pgDatabase(pool) });
  await server.pool.query(`alter database ${name} set default_transaction_read_only = on`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = name;
  const standby = new Pool({ connectionString: url.href });
  const refused = await codeOf(postgresStore({ database: pgDatabase(standby) }));
  await standby.end();
  expect(refused).toBe('DATABASE_READ_ONLY');
});

test('the migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
});
