import { type Commit, MergeQueueError } from '@mq/core';
import {
  aCommit,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aRepo,
  aRun,
  aSubmission,
  aTargetBook,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '@mq/testkit';
import { Pool, types } from 'pg';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  type Database,
  type PgPool,
  type PostgresStoreOptions,
  pgDatabase,
  postgresStore,
  type Row,
} from '../src/index.js';
import { freshName, freshStore, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const id = queueIdOf(1);
const noRecall = { prs: [], inputIds: [] };

const open = async (options: Partial<PostgresStoreOptions> = {}, database: Database = server) => {
  const made = await freshStore(database, options);
  onTestFinished(async () => {
    await made.store.close();
    await made.end();
  });
  await made.store.createQueue(aQueue(), 0, null);
  return made;
};

/** Fails queries as the test says, before or after they are executed. */
const failing = (fail: (statement: string) => 'before' | 'after' | null, error: Error): Database => ({
  ...server,
  query: async (statement, values) => {
    const when = fail(statement);
    if (when === 'before') throw error;
    const rows = await server.query(statement, values);
    if (when === 'after') throw error;
    return rows;
  },
});

const once = (holds: (statement: string) => boolean) => {
  let left = 1;
  return (statement: string): boolean => left > 0 && holds(statement) && left-- > 0;
};

const isCommit = (statement: string): boolean => /^with[\s\S]*last_commit = /.test(statement);

describe('what the database does to a store', () => {
  test('T-I11 a commit whose answer is lost is found to be written', async () => {
    const lost = once(isCommit);
    const cut = new Error('Connection terminated unexpectedly');
    const { store } = await open(
      {},
      failing((statement) => (lost(statement) ? 'after' : null), cut),
    );
    const commit = aCommit({ writes: someWrites({ submissions: [aSubmission(1)] }) });
    expect(await store.commit(commit)).toMatchObject({ kind: 'committed', version: 2 });
    expect((await store.load(id, 1, noRecall))?.submissions).toEqual([aSubmission(1)]);
  });

  test('a commit that did not arrive is not taken for written when another commit has its version', async () => {
    const lost = once(isCommit);
    const { store, schema } = await open();
    const commit = aCommit({ id: commitIdOf(2), writes: someWrites({ submissions: [aSubmission(2)] }) });
    const cut = failing((statement) => (lost(statement) ? 'before' : null), new Error('cut'));
    const other = await postgresStore({ database: cut, schema, migrate: false });
    await store.commit(aCommit({ id: commitIdOf(1), writes: someWrites({ submissions: [aSubmission(1)] }) }));
    await expect(other.commit(commit)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    expect(await other.commit(commit)).toEqual({ kind: 'conflict' });
    await other.close();
  });

  test('a commit that did not arrive is reported as an error', async () => {
    const lost = once(isCommit);
    const cut = new Error('Connection terminated unexpectedly');
    const { store } = await open(
      {},
      failing((statement) => (lost(statement) ? 'before' : null), cut),
    );
    await expect(store.commit(aCommit())).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', cause: cut });
    expect(await store.commit(aCommit())).toMatchObject({ kind: 'committed', version: 2 });
  });

  test('missing tables are reported as an outage, and the store continues when they are back', async () => {
    const { store, schema } = await open();
    const [own, away] = [schema, `${schema} away`].map((name) => `"${name.replaceAll('"', '""')}"`);
    await server.pool.query(`alter schema ${own} rename to ${away}`);
    for (const ask of [() => store.commit(aCommit()), () => store.load(id, 0, noRecall), () => store.now()])
      await expect(ask()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    await server.pool.query(`alter schema ${away} rename to ${own}`);
    expect(await store.commit(aCommit())).toMatchObject({ kind: 'committed', version: 2 });
  });

  test.each(['40001', '40P01'])('a statement that was rolled back (%s) is retried', async (code) => {
    const gaveWay = once(isCommit);
    const error = Object.assign(new Error('deadlock detected'), { code });
    const { store } = await open(
      {},
      failing((statement) => (gaveWay(statement) ? 'before' : null), error),
    );
    expect(await store.commit(aCommit())).toMatchObject({ kind: 'committed', version: 2 });
  });

  test('a statement that is rolled back repeatedly fails', async () => {
    const error = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    let tries = 0;
    const givesWay = (statement: string): 'before' | null => {
      if (!isCommit(statement)) return null;
      tries += 1;
      return tries > 50 ? null : 'before';
    };
    const { store } = await open({}, failing(givesWay, error));
    await expect(store.commit(aCommit())).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    expect(tries).toBe(10);
  });

  test.each(['08006', '57P01', '57014'])(
    'a statement with an unknown outcome (%s) is not retried',
    async (code) => {
      const unknown = once(isCommit);
      const error = Object.assign(new Error('cut'), { code, severity: 'FATAL' });
      const { store } = await open(
        {},
        failing((statement) => (unknown(statement) ? 'before' : null), error),
      );
      await expect(store.commit(aCommit())).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
    },
  );

  test('a pool with serializable transactions loses races instead of failing', async () => {
    const pool = new Pool({
      connectionString: inject('postgresUrl'),
      options: '-c default_transaction_isolation=serializable',
    });
    onTestFinished(() => pool.end());
    const { store } = await open({}, pgDatabase(pool));
    const tries = Array.from({ length: 10 }, (_, n) => store.commit(aCommit({ id: commitIdOf(n) })));
    const kinds = (await Promise.all(tries)).map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['committed', ...Array.from({ length: 9 }, () => 'conflict')]);
  });

  test('a pool with its own type parsers gives the same results', async () => {
    const pool = new Pool({
      connectionString: inject('postgresUrl'),
      types: {
        getTypeParser: (oid: number, format?: 'text' | 'binary') => {
          if (oid === types.builtins.VARCHAR || oid === types.builtins.BOOL) return () => 'something else';
          return types.getTypeParser(oid, format as 'text');
        },
      },
    });
    onTestFinished(() => pool.end());
    const { store } = await open({}, pgDatabase(pool));
    await store.push(id, [aFact(1)]);
    await store.commit(aCommit({ effects: [anEffect(1)], writes: someWrites({ history: [aMove(1)] }) }));
    expect((await store.load(id, 0, noRecall))?.inbox).toEqual([aFact(1)]);
    expect((await store.load(id, 0, noRecall))?.version).toBe(2);
    const [held] = await store.lease({ owner: 'performer', forMs: 60_000, limit: 1 });
    expect([held?.tries, held?.effect]).toEqual([1, anEffect(1)]);
    expect(Math.abs((await store.now()) - Date.now())).toBeLessThan(60_000);
  });

  test('a pool that uses the binary format gives the same results', async () => {
    // The types of pg do not declare this option.
    const settings = { connectionString: inject('postgresUrl'), binary: true };
    const pool = new Pool(settings);
    onTestFinished(() => pool.end());
    const { store } = await open({}, pgDatabase(pool));
    const move = { ...aMove(1), reasonDetail: 'half of a pair: \ud83d' };
    const commit = aCommit({
      effects: [anEffect(1)],
      writes: someWrites({ history: [move], runs: [aRun()] }),
    });
    expect((await store.commit(commit)).kind).toBe('committed');
    expect(await store.load(id, 0, noRecall)).toMatchObject({ version: 2, runs: [aRun()] });
    const { items } = await store.history({ queueIds: [id], order: 'oldest_first', limit: 10 });
    expect(items).toEqual([{ ...move, queueId: id }]);
    expect(await store.lease({ owner: 'performer', forMs: 60_000, limit: 1 })).toMatchObject([
      { effect: anEffect(1), tries: 1 },
    ]);
  });

  test('documents of every kind are parsed as they arrive', async () => {
    const given: Row[] = [];
    const watched: Database = {
      ...server,
      query: async (statement, values) => {
        const rows = await server.query(statement, values);
        given.push(...rows);
        return rows;
      },
    };
    const { store } = await open({}, watched);
    const writes = someWrites({
      submissions: [aSubmission(1)],
      runs: [aRun()],
      targets: [aTargetBook(1)],
      history: [aMove(1)],
    });
    const answers = [anAnswer(1)];
    await store.commit(aCommit({ effects: [anEffect(1)], answers, writes, recallable: true }));
    await store.push(id, [aFact(1)]);
    await store.load(id, 0, { prs: [1], inputIds: [inputIdOf(1)], commits: [commitIdOf(1)] });
    await store.load(id, 1, noRecall);
    await store.lease({ owner: 'performer', forMs: 60_000, limit: 1 });
    await store.history({ queueIds: [id], order: 'oldest_first', limit: 10 });
    await store.run(id, aRun().id);
    await store.queues({ limit: 10 });

    const texts = given.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string');
    expect(texts.filter((text) => /^[[{]/.test(text))).toEqual([]);
    const recalled = ['submission', 'targets', 'answer', 'commit'].map((kind) => `recalled ${kind}`);
    const kinds = new Set(given.map(({ kind }) => kind));
    for (const kind of ['queue', 'submission', 'run', 'targets', 'inbox', ...recalled])
      expect(kinds).toContain(kind);
  });

  test('documents that a pool returns as texts are parsed as well', async () => {
    const { pool } = server;
    const plain: PgPool = {
      query: (query, values) =>
        typeof query === 'string' ? pool.query(query, values) : pool.query(query.text, query.values),
      connect: (taken) => pool.connect(taken),
      on: (event, listener) => pool.on(event, listener),
    };
    const { store } = await open({}, pgDatabase(plain, { listen: false }));
    await store.commit(
      aCommit({ effects: [anEffect(1)], writes: someWrites({ submissions: [aSubmission(1)] }) }),
    );
    const loaded = await store.load(id, 0, noRecall);
    expect(loaded).toMatchObject({ submissions: [aSubmission(1)], incarnation: expect.any(String) });
    expect(await store.lease({ owner: 'performer', forMs: 60_000, limit: 1 })).toMatchObject([
      { effect: anEffect(1) },
    ]);
  });

  test('an idle connection that is cut causes no failure', async () => {
    const name = freshName();
    const pool = new Pool({ connectionString: inject('postgresUrl'), application_name: name });
    onTestFinished(() => pool.end());
    const { store } = await open({}, pgDatabase(pool));
    const cut = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1';
    expect((await server.pool.query(cut, [name])).rows.length).toBeGreaterThan(0);
    const later = async (): Promise<unknown> => store.now().catch(() => later());
    expect(typeof (await later())).toBe('number');
  });
});

test.each([
  ['NUL', 'a\u0000b'],
  ['half of a surrogate pair', 'a\ud800b\udc00'],
  ['the mark that stands for them', '\uf8fe0000 \uf8fe'],
  ['a backslash before what looks like one', '\\u0000 \\\\u0000'],
])('a text with %s is kept as it is', async (_, text) => {
  const { store } = await open();
  const queue = aQueue({ id: queueIdOf(2), branch: text, repo: { ...aRepo, name: text } });
  await store.createQueue(queue, 0, null);
  const submission = aSubmission(1, { reasonDetail: text });
  const commit: Commit = aCommit({
    queueId: queue.id,
    writes: someWrites({ submissions: [submission] }),
    effects: [{ ...anEffect(1), [text]: text } as never],
    answers: [anAnswer(1, text)],
  });
  await store.commit(commit);
  expect((await store.load(queue.id, 0, noRecall))?.submissions).toEqual([submission]);
  expect((await store.queues({ repo: queue.repo, branch: text, limit: 9 })).items).toEqual([queue]);
  expect((await store.lease({ owner: text, forMs: 1, limit: 9 }))[0]).toMatchObject({
    repo: queue.repo,
    effect: { [text]: text },
  });
  expect(await store.answers([inputIdOf(1)])).toEqual([anAnswer(1, text)]);
});

test('stores in different schemas of one database are independent', async () => {
  const [one, other] = [await open(), await freshStore(server)];
  expect((await other.store.queues({ limit: 9 })).items).toEqual([]);
  expect(await other.store.due({ forMs: 1, limit: 9 })).toEqual([]);
  expect((await one.store.queues({ limit: 9 })).items.length).toBe(1);
  await other.store.close();
  await other.end();
});

test.each(['', 'a\0b', 'x'.repeat(64)])('the schema %j is refused', async (schema) => {
  await expect(freshStore(server, { schema })).rejects.toThrow(/schema is .* a name of 1 to 63 bytes/);
});

test('only one of several concurrent settles of one effect without facts succeeds', async () => {
  const { store } = await open();
  await store.commit(aCommit({ effects: [anEffect(1), anEffect(2), anEffect(3)] }));
  const [one, two, three] = await store.lease({ owner: 'performer', forMs: 60_000, limit: 3 });
  if (one === undefined || two === undefined || three === undefined) throw new Error('nothing was leased');
  const lost = { ...three, token: 'lost' };
  const settled = await Promise.all([one, one, two, lost, one].map((lease) => store.settle(lease, [])));
  expect(settled).toEqual([true, false, true, false, false]);
  expect(await store.settle(two, [])).toBe(false);
  expect(await store.settle(three, [])).toBe(true);
});

test('a closed store rejects with CLOSED', async () => {
  const { store } = await open();
  await store.close();
  const error = await store.now().catch((thrown: unknown) => thrown);
  expect(error instanceof MergeQueueError && error.code).toBe('CLOSED');
});
