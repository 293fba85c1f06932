import type { Lease } from '@mq/core';
import {
  aCommit,
  aMove,
  anEffect,
  aQueue,
  aSubmission,
  aTargetBook,
  queueIdOf,
  someWrites,
  submissionIdOf,
} from '@mq/testkit';
import { afterAll, expect, test } from 'vitest';
import { type Database, postgresStore } from '../src/index.js';
import { namesIn, tableNames } from '../src/statement.js';
import { freshName, postgres } from './worlds.js';

// A prepared statement is planned once and may be used while its tables grow.

const server = postgres();
afterAll(() => server.pool.end());

const id = queueIdOf(1);

const numbersFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index);

/** The statement with its generic plan, as a connection keeps it. */
const planOf = async (statement: string): Promise<string> => {
  const values = new Set(statement.match(/\$\d+/g)).size;
  const given = values === 0 ? '' : `(${Array(values).fill('null').join(', ')})`;
  const client = await server.pool.connect();
  try {
    await client.query(`set plan_cache_mode = force_generic_plan; prepare kept as ${statement}`);
    const { rows } = await client.query(`explain execute kept ${given}`);
    return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  } finally {
    client.release(true);
  }
};

/** A store with a queue, and the plans of its statements. */
const open = async () => {
  let sent: string[] = [];
  const watched: Database = {
    ...server,
    query: (text, values) => {
      sent.push(text);
      return server.query(text, values);
    },
  };
  const schema = freshName();
  const store = await postgresStore({ database: watched, schema });
  // Otherwise it would be replanned with new statistics if a run takes long.
  const names = namesIn(schema);
  await server.script(
    tableNames.map((table) => `alter table ${names[table]} set (autovacuum_enabled = false)`).join(';\n'),
  );
  await store.createQueue(aQueue(), 0, null);
  const plansOf = async (ask: () => Promise<unknown>): Promise<string> => {
    sent = [];
    await ask();
    const plans = await Promise.all([...new Set(sent)].map(planOf));
    return plans.join('\n\n');
  };
  /** Adds this many pull requests with impacted targets. */
  const submit = async (version: number, prs: readonly number[]) => {
    const submissions = prs.map((pr) => aSubmission(pr, { id: submissionIdOf(pr), pr }));
    const writes = someWrites({ queue: aQueue(), submissions, targets: prs.map((pr) => aTargetBook(pr)) });
    const absent = { prs, inputIds: [] };
    expect(await store.commit(aCommit({ expected: version, absent, writes }))).toMatchObject({
      kind: 'committed',
    });
  };
  /** Reads of one queue, and of several at once. */
  const loadsOf = async (since: number) => {
    const load = () => store.load(id, since, { prs: [], inputIds: [] });
    await load();
    await Promise.all([load(), load()]);
  };
  return { store, plansOf, submit, loadsOf };
};

test('pull requests are found by an index, also with plans made while there were few', async () => {
  const { store, plansOf, submit } = await open();
  for (let version = 1; version <= 12; version += 1) {
    const prs = numbersFrom(version * 100, 2 * version);
    const commit = await plansOf(() => submit(version, prs));
    const load = await plansOf(() => store.load(id, version, { prs, inputIds: [] }));
    const list = await plansOf(() => store.submissions({ queueId: id, prs, limit: 5 }));

    for (const [plan, times] of [
      [commit, 2],
      [load, 2],
      [list, 1],
    ] as const) {
      expect(plan.match(/Index Cond: .*\bqueue_id = .*\bpr = asked\w*\.pr/g)).toHaveLength(times);
      expect(plan).not.toMatch(/Filter: .*\bpr\b/);
    }
  }
});

test('impacted targets are found one by one in a full load, and when they are pruned', async () => {
  const { store, plansOf, submit, loadsOf } = await open();
  for (let version = 1; version <= 12; version += 1) {
    await submit(version, numbersFrom(version * 100, 2 * version));
    const load = await plansOf(() => loadsOf(0));
    const prune = await plansOf(() => store.prune([id]));

    expect(load.match(/Index Cond: .*\bpr = live\w*\.pr/g)).toHaveLength(2);
    expect(prune).toMatch(/Index Cond: .*\bpr = book\w*\.pr/);
    expect(load + prune).not.toMatch(/Join Filter: .*\bpr\b/);
  }
});

test('history and changes are read, and history is pruned, by an index', async () => {
  const { store, plansOf, loadsOf } = await open();
  const write = async (version: number) => {
    const history = numbersFrom(1, 20).map((n) => aMove(20 * version + n, { pr: n, at: version }));
    const writes = someWrites({ queue: aQueue(), submissions: [aSubmission(version)], history });
    expect(await store.commit(aCommit({ expected: version, writes }))).toMatchObject({ kind: 'committed' });
  };
  const asked = { queueIds: [id], limit: 5 } as const;
  for (let version = 1; version <= 12; version += 1) {
    await write(version);
    for (const order of ['oldest_first', 'newest_first'] as const) {
      const { next } = await store.history({ ...asked, order });
      const cursor = { cursor: next ?? '' };
      const page = await plansOf(() => store.history({ ...asked, order, ...cursor }));
      const ofOne = await plansOf(() => store.history({ ...asked, order, ...cursor, pr: 3 }));
      expect(page).toMatch(/Index Cond: .*\bat [<>]= .*ROW\(at, queue_id, version\)/);
      expect(ofOne).toMatch(/Index Cond: .*\bpr = .*ROW\(at, queue_id, version\)/);
      expect(page + ofOne).not.toMatch(/Seq Scan on (history|history_prs)/);
    }
    const load = await plansOf(() => loadsOf(version));
    const prune = await plansOf(() => store.prune([id]));
    expect(load).not.toMatch(/Filter: .*\bversion > |Seq Scan on (submissions|runs)/);
    expect(prune).toMatch(/Index Cond: .*ROW\(at, version\) < /);
    // Both tables, row by row: one commit may have thousands of rows.
    expect(prune.match(/Index Cond: .*\bat = .*\bversion = .*\bsequence = /g)).toHaveLength(2);
    expect(prune).not.toMatch(/Seq Scan on (history|history_prs)/);
  }
});

test('due effects and queues are found by an index', async () => {
  const { store, plansOf } = await open();
  for (let version = 1; version <= 20; version += 2) {
    const effects = numbersFrom(version * 100, 8).map(anEffect);
    await store.commit(aCommit({ expected: version, effects, wakeAt: 0 }));
    const leases: Lease[] = [];
    const lease = async () => {
      leases.push(...(await store.lease({ owner: 'performer', forMs: 60_000, limit: 4 })));
    };
    const plans = [
      await plansOf(lease),
      await plansOf(() => store.renew(leases, 60_000)),
      await plansOf(() => Promise.all(leases.slice(0, 2).map((one) => store.settle(one, [])))),
      await plansOf(() => store.commit(aCommit({ expected: version + 1, settled: leases.slice(2) }))),
      await plansOf(() => store.due({ forMs: 1, limit: 5 })),
    ];

    expect(leases).toHaveLength(4);
    expect(plans.join('\n')).not.toMatch(/Seq Scan on (effects|wakes)/);
  }
});

test('pruning a deleted queue scans no table', async () => {
  const { store, plansOf, submit } = await open();
  for (let version = 1; version <= 5; version += 1) {
    await submit(version, numbersFrom(version * 100, 2 * version));

    expect(await plansOf(() => store.prune([]))).not.toMatch(
      /Seq Scan on (submissions|runs|targets|history|history_prs|inbox)/,
    );
  }
});
