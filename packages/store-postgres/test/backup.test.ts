import {
  aCommit,
  aFact,
  anAnswer,
  anEffect,
  aQueue,
  aReceipt,
  aSubmission,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '@mq/testkit';
import { Pool } from 'pg';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { type PostgresStore, pgDatabase, postgresStore } from '../src/index.js';
import { postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const id = queueIdOf(1);

const poolOf = (database: string): Pool => {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return new Pool({ connectionString: url.href });
};

const contents = async (store: PostgresStore) => ({
  delta: { ...(await store.load(id, 0, { prs: [1], inputIds: [inputIdOf(1)] })), now: 0 },
  receipts: (await store.receipts({ queueId: id, limit: 9 })).items,
  history: (await store.history({ queueIds: [id], order: 'oldest_first', limit: 9 })).items,
});

/** Copies the current state of a database, as pg_dump and pg_restore do. */
const copyDatabase = async (from: string, to: string): Promise<void> => {
  await server.pool.query(`create database ${to} template ${from}`);
  onTestFinished(() => server.pool.query(`drop database ${to}`).then(() => undefined));
};

test('a store continues from a backup of its database, and older leases do not settle', async () => {
  const [first, second] = [1, 2].map((n) => `mq_backup_${process.pid}_${n}`) as [string, string];
  await server.pool.query(`create database ${first}`);
  onTestFinished(() => server.pool.query(`drop database ${first}`).then(() => undefined));
  const before = poolOf(first);
  const store = await postgresStore({ database: pgDatabase(before) });
  await store.createQueue(aQueue(), 0, null);
  await store.push(id, [aFact(1)]);
  const writes = someWrites({ submissions: [aSubmission(1)], receipts: [aReceipt()] });
  await store.commit(aCommit({ writes, effects: [anEffect(1)], answers: [anAnswer(1)] }));
  const [held] = await store.lease({ owner: 'performer', forMs: 1, limit: 1 });
  const backedUp = await contents(store);
  await store.close();
  await before.end();
  await copyDatabase(first, second);
  const after = poolOf(second);
  const restored = await postgresStore({ database: pgDatabase(after) });
  expect(await contents(restored)).toEqual(backedUp);
  const again = async (): Promise<readonly unknown[]> => {
    const leases = await restored.lease({ owner: 'performer', forMs: 60_000, limit: 1 });
    return leases.length > 0 ? leases : again();
  };
  expect(await again()).toMatchObject([{ effect: anEffect(1), tries: 2 }]);
  expect(held !== undefined && (await restored.settle(held, []))).toBe(false);
  expect(await restored.commit(aCommit({ expected: 2 }))).toMatchObject({ kind: 'committed', version: 3 });
  await restored.close();
  await after.end();
});
