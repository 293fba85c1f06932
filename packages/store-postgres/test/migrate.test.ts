import { randomUUID } from 'node:crypto';
import type { Run, Store } from '@mq/core';
import { aCommit, aQueue, aRun, runIdOf, shaOf, someWrites } from '@mq/testkit';
import { Pool } from 'pg';
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { type Database, LAST_STEP, migrate, pgDatabase, postgresStore, waitingSteps } from '../src/index.js';
import { migrateBy } from '../src/migrate.js';
import type { Migration } from '../src/migrations/migration.js';
import { migrations } from '../src/migrations/migrations.js';
import { namesIn } from '../src/statement.js';
import { freshName, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const later = (override: Partial<Migration>): Migration => ({
  number: migrations.length + 1,
  name: 'of the next release',
  understoodFrom: 1,
  locks: 'None.',
  sql: ({ queues }) => `alter table ${queues} add column later text`,
  ...override,
});

const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: { readonly code?: unknown }) => error.code,
  );

test('twenty processes bring one schema up at once', async () => {
  const schema = freshName();
  await Promise.all(Array.from({ length: 20 }, () => migrate({ database: server, schema })));
  const { rows } = await server.pool.query(
    `select number from ${namesIn(schema).migrations} order by number`,
  );
  expect(rows.map(({ number }) => Number(number))).toEqual(migrations.map(({ number }) => number));
});

test('T-I21 twenty processes take one step on a schema that is in use, and nothing of it is lost', async () => {
  const schema = freshName();
  const store = await postgresStore({ database: server, schema });
  await store.createQueue(aQueue(), 0, null);
  const steps = [...migrations, later({})];
  await Promise.all(Array.from({ length: 20 }, () => migrateBy(steps, server, namesIn(schema))));
  expect((await store.queues({ limit: 9 })).items).toEqual([aQueue()]);
  const again = await postgresStore({ database: server, schema });
  expect((await again.queues({ limit: 9 })).items).toEqual([aQueue()]);
});

test.each(['40001', '40P01'])('what gave way (%s) while a store is opened is done again', async (code) => {
  const schema = freshName();
  const told = new Set<string>();
  /** The first time that it is told anything, it gives way. */
  const gaveWay = <Result>(words: string, perform: () => Promise<Result>): Promise<Result> => {
    if (told.has(words)) return perform();
    told.add(words);
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
  expect(told.size).toBeGreaterThan(3);
  await postgresStore({ database, schema, migrate: false });
});

test('a step that fails leaves everything as it was', async () => {
  const schema = freshName();
  await migrate({ database: server, schema });
  const broken = later({ sql: ({ queues }) => `alter table ${queues} add column later text; select 1 / 0` });
  await expect(migrateBy([...migrations, broken], server, namesIn(schema))).rejects.toThrow(
    'division by zero',
  );
  const { rows } = await server.pool.query(
    "select 1 from information_schema.columns where table_schema = $1 and column_name = 'later'",
    [schema],
  );
  expect(rows).toEqual([]);
  await migrateBy([...migrations, later({})], server, namesIn(schema));
});

test('a step that finds two rows of one key is told as that, and not tried again and again', async () => {
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

test('a step that does not get its locks is given up, leaves everything as it was, and binds nobody else', async () => {
  const schema = freshName();
  const { queues } = namesIn(schema);
  // In a database of its own: the lock that a step waits with is everybody's in a database.
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

test('a schema of a later release that this one does not understand is refused', async () => {
  const schema = freshName();
  const understoodFrom = migrations.length + 1;
  await migrateBy([...migrations, later({ understoodFrom })], server, namesIn(schema));
  expect(await codeOf(postgresStore({ database: server, schema }))).toBe('SCHEMA_NEWER');
});

test('a schema that is not there is not made where that was not wanted', async () => {
  const schema = freshName();
  expect(await codeOf(postgresStore({ database: server, schema, migrate: false }))).toBe('SCHEMA_MISSING');
  const { rows } = await server.pool.query('select to_regnamespace($1) as found', [namesIn(schema).schema]);
  expect(rows).toEqual([{ found: null }]);
  await migrate({ database: server, schema });
  const store = await postgresStore({ database: server, schema, migrate: false });
  expect((await store.queues({ limit: 9 })).items).toEqual([]);
});

/** Another role of the server, and its pool; both are gone, with the schema, when the test ends. */
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

test('a role that may only use its schema brings it up', async () => {
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
  'a role is refused where %s, and is told which rights it lacks',
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
  ['select on all tables', 'it may not look into it', false],
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

test('a role that may read and write all data, as a managed PostgreSQL has it, works in a schema that another one made', async () => {
  const schema = freshName();
  const { role, pool } = await freshRole(schema);
  await migrate({ database: server, schema });
  await server.pool.query(`grant pg_read_all_data, pg_write_all_data to ${role};
    revoke update on all tables in schema ${namesIn(schema).schema} from ${role}`);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  expect(await store.createQueue(aQueue(), 0, null)).toBe('created');
});

test('a role that was granted what it needs works in a schema that another one made', async () => {
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

/** A database of its own, which is dropped when the test ends. */
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
  'a database in %s is refused, and nothing is made in it',
  async (encoding) => {
    const { pool } = await freshDatabase(`encoding '${encoding}' locale 'C' template template0`);
    expect(await codeOf(postgresStore({ database: pgDatabase(pool) }))).toBe('DATABASE_ENCODING');
    expect((await pool.query("select to_regnamespace('mq') as found")).rows).toEqual([{ found: null }]);
  },
);

test('a database that takes no writes is refused, also where its tables are those of this release', async () => {
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

test('the steps are numbered from 1 on without gaps, and say what they lock', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  expect(migrations.filter(({ locks }) => locks.length < 10)).toEqual([]);
});

/** As a release before step 3 left it: its steps, and rows that are kept whole. */
const earlier = async (): Promise<{ readonly schema: string; readonly runs: string }> => {
  const schema = freshName();
  await migrateBy(migrations.slice(0, 1), server, namesIn(schema));
  return { schema, runs: namesIn(schema).runs };
};

const stepsOf = async (schema: string): Promise<readonly number[]> =>
  (await server.pool.query(`select number from ${namesIn(schema).migrations} order by number`)).rows.map(
    ({ number }) => Number(number),
  );

const trial = { ref: 'trials/1', commit: shaOf(7), tree: shaOf(8), steps: [] };
const building = aRun(1, { state: 'building', trial: null });
const built = { ...building, state: 'testing', trial } as const;

/** A queue with a run, in as many commits as given. */
const writeRuns = async (store: Store, from: number, ...runs: readonly Run[]): Promise<void> => {
  for (const [index, run] of runs.entries())
    expect(
      await store.commit(
        aCommit({ expected: from + index, writes: someWrites({ queue: aQueue(), runs: [run] }) }),
      ),
    ).toMatchObject({ kind: 'committed' });
};

const runsIn = async (store: Store): Promise<readonly Run[]> =>
  (await store.load(aQueue().id, 0, { prs: [], inputIds: [] }))?.runs ?? [];

test('a step that an earlier release would not understand waits while one may be at work, and rows are written as it reads them', async () => {
  const { schema, runs } = await earlier();

  const store = await postgresStore({ database: server, schema });
  await store.createQueue(aQueue(), 0, null);
  await writeRuns(store, 1, building, built);

  expect(await stepsOf(schema)).toEqual([1, 2]);
  const { rows } = await server.pool.query(`select value from ${runs}`);
  expect(rows).toEqual([{ value: built }]);
  expect(await runsIn(store)).toEqual([built]);
});

test('once no earlier release is at work the step is taken, and all that was written is read as before, also by who was there', async () => {
  const { schema, runs } = await earlier();
  const before = await postgresStore({ database: server, schema });
  await before.createQueue(aQueue(), 0, null);
  await writeRuns(before, 1, building, built);

  await migrate({ database: server, schema, isEarlierGone: true });
  const store = await postgresStore({ database: server, schema });

  expect(await stepsOf(schema)).toEqual(migrations.map(({ number }) => number));
  expect(await runsIn(store)).toEqual([built]);
  const second = { ...built, id: runIdOf(2) };
  await writeRuns(store, 3, second);
  expect(
    (await server.pool.query(`select value::json->'trial' as trial from ${runs} order by id`)).rows,
  ).toEqual([{ trial }, { trial: null }]);
  expect(await runsIn(before)).toEqual([built, second]);
  await writeRuns(before, 4, { ...second, isTrialKept: false });
  expect(await runsIn(store)).toEqual([built, { ...second, isTrialKept: false }]);
});

/** What the engine does with a run: it is loaded, and what becomes of that is written. */
const change = async (store: Store, since: number, change: Partial<Run>): Promise<readonly Run[]> => {
  const delta = await store.load(aQueue().id, since, { prs: [], inputIds: [] });
  if (delta === null) throw new Error('there is no queue');
  const changed = delta.runs.map((run) => ({ ...run, ...change }));
  const writes = someWrites({ queue: delta.queue, runs: changed });
  const { version: expected, incarnation } = delta;
  expect(await store.commit(aCommit({ expected, incarnation, writes }))).toMatchObject({ kind: 'committed' });
  return changed;
};

test('a run that was written whole before the step loses nothing when it is changed after it', async () => {
  const { schema } = await earlier();
  const before = await postgresStore({ database: server, schema });
  await before.createQueue(aQueue(), 0, null);
  await writeRuns(before, 1, building, built);
  await migrate({ database: server, schema, isEarlierGone: true });
  const store = await postgresStore({ database: server, schema });

  const changed = await change(store, 0, { isTrialKept: false });

  expect(changed).toEqual([{ ...built, isTrialKept: false }]);
  expect(await runsIn(store)).toEqual(changed);
});

test('nor does one that is written whole after the step by who was there before it', async () => {
  const { schema } = await earlier();
  const before = await postgresStore({ database: server, schema });
  await before.createQueue(aQueue(), 0, null);
  await writeRuns(before, 1, building);
  await migrate({ database: server, schema, isEarlierGone: true });
  const store = await postgresStore({ database: server, schema });
  await change(store, 0, {});
  await writeRuns(before, 3, built, { ...built, id: runIdOf(2) });

  const changed = await change(store, 3, { isTrialKept: false });

  expect(changed).toHaveLength(2);
  expect(await runsIn(before)).toEqual(changed);
});

test.each([2, 3, 4])(
  'step %d is taken at the first go while others commit, and none of them is given up for it',
  async (step) => {
    const { schema } = await earlier();
    const { effects, queues, runs, history } = namesIn(schema);
    await migrateBy(migrations.slice(0, step - 1), server, namesIn(schema), true);
    let goes = 0;
    const database: Database = {
      ...server,
      script: (statements) => {
        goes += 1;
        return server.script(statements);
      },
    };
    // The order in which a commit comes to the tables.
    const client = await server.pool.connect();
    onTestFinished(() => client.release());
    await client.query(`begin; select from ${effects}`);

    const taken = migrateBy(migrations.slice(0, step), database, namesIn(schema), true);
    await vi.waitFor(async () => {
      const { rows } = await server.pool.query(
        `select from pg_locks where relation = to_regclass($1) and mode = 'AccessExclusiveLock' and not granted`,
        [effects],
      );
      expect(rows).toHaveLength(1);
    }, 5_000);
    for (const table of [queues, runs, history]) await client.query(`select from ${table}`);
    await client.query('commit');
    await taken;

    expect(goes).toBe(1);
    expect((await stepsOf(schema)).at(-1)).toBe(step);
  },
);

test('whoever asks is told which steps wait, before and after the others were taken, and not where there is nothing', async () => {
  const waiting = [
    { number: 3, name: 'lean_rows' },
    { number: 4, name: 'narrow_rows' },
  ];
  const { schema } = await earlier();
  expect(await waitingSteps({ database: server, schema })).toEqual(waiting);

  await migrate({ database: server, schema });
  expect(await waitingSteps({ database: server, schema })).toEqual(waiting);

  await migrate({ database: server, schema, isEarlierGone: true });
  expect(await waitingSteps({ database: server, schema })).toEqual([]);
  expect(await waitingSteps({ database: server, schema: freshName() })).toEqual([]);
  expect(LAST_STEP).toBe(migrations.length);
});

test('twenty processes take the step that waits at once, on runs that are in use', async () => {
  const { schema } = await earlier();
  const before = await postgresStore({ database: server, schema });
  await before.createQueue(aQueue(), 0, null);
  await writeRuns(before, 1, built);

  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      migrate({ database: server, schema, isEarlierGone: index % 2 === 0 }),
    ),
  );

  expect(await stepsOf(schema)).toEqual(migrations.map(({ number }) => number));
  expect(await runsIn(before)).toEqual([built]);
});

test.each(['in parts', 'whole'])(
  'a run that is kept %s is read as it was, whatever is in it',
  async (way) => {
    const hostile = `\0 \ud800 \udc00\ud800 \uf8fe0000 \\u0000 \\ud800 " \u2028`;
    const later: object = JSON.parse('{ "__proto__": 1e308, "constructor": 5e-324, "toString": null }');
    const run = { ...built, trial: { ...trial, ref: hostile }, method: hostile, later: { later, hostile } };
    const schema = way === 'whole' ? (await earlier()).schema : freshName();
    const store = await postgresStore({ database: server, schema });
    await store.createQueue(aQueue(), 0, null);
    await writeRuns(store, 1, run as unknown as Run);

    const [changed] = await change(store, 0, { isTrialKept: false });

    expect(await runsIn(store)).toEqual([{ ...run, isTrialKept: false }]);
    expect(Object.keys((changed as unknown as typeof run).later.later)).toContain('__proto__');
  },
);

test('a release before the step is refused once it was taken', async () => {
  const schema = freshName();
  await migrate({ database: server, schema });
  const { rows } = await server.pool.query(
    `select max(understood_from) as from from ${namesIn(schema).migrations}`,
  );
  expect(Number(rows[0].from)).toBe(LAST_STEP);
});

test('what never changes of a run is written once', async () => {
  const schema = freshName();
  const store = await postgresStore({ database: server, schema });
  await store.createQueue(aQueue(), 0, null);
  const { incarnation = '' } = (await store.load(aQueue().id, 0, { prs: [], inputIds: [] })) ?? {};
  const sent: string[] = [];
  const watched = await postgresStore({
    database: {
      ...server,
      query: (text, values) => {
        sent.push(JSON.stringify(values));
        return server.query(text, values);
      },
    },
    schema,
  });
  await watched.load(aQueue().id, 0, { prs: [], inputIds: [] });
  const states: readonly Run[] = [building, built, { ...built, isTrialKept: false }];
  for (const [index, run] of states.entries())
    await watched.commit(
      aCommit({ expected: index + 1, incarnation, writes: someWrites({ queue: aQueue(), runs: [run] }) }),
    );

  expect(sent.filter((values) => values.includes(trial.commit))).toHaveLength(1);
  expect(sent.filter((values) => values.includes(building.batch[0]?.head ?? '?'))).toHaveLength(1);
  expect(await runsIn(store)).toEqual(states.slice(-1));
});
