import { createMergeQueue, type MergeQueue } from '@mq/core';
import { pgDatabase, postgresStore } from '@mq/store-postgres';
import { Pool } from 'pg';
import { countedPool } from './counted-pool.js';
import { instantHost } from './instant-host.js';

export interface Long {
  readonly submissions: number;
  readonly running: number;
}

export interface Restarted {
  /** From starting a new engine, after `kill -9` of the old one, to the durable answer of its first command. */
  readonly decidedMs: number;
  /** A plain SELECT of the same rows, parsed. */
  readonly selectMs: number;
  /** The state of the queue that the new engine finds. */
  readonly found: Long;
}

const repo = { host: 'local', owner: 'acme', name: 'widgets' };
const place = { repo, targetBranch: 'main' };
/** Concurrent requests while the queue is filled. */
const AT_ONCE = 500;

const inChunks = async (count: number, each: (number: number) => Promise<unknown>): Promise<void> => {
  for (let from = 1; from <= count; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from + 1) }, (_, index) => each(from + index)),
    );
};

/** A queue of this many pull requests, each in its own lane, with this many under test. */
const fill = async (mq: MergeQueue, { submissions, running }: Long): Promise<void> => {
  await mq.createQueue({ ...place, mode: 'parallel', concurrency: running, state: 'paused' });
  await inChunks(submissions, (pr) =>
    mq.setImpactedTargets({ ...place, pr, impactedTargets: [`//part-${pr}`], source: 'trusted' }),
  );
  await inChunks(submissions, (pr) => mq.submit({ ...place, pr }));
  await mq.updateQueue({ ...place, state: 'running' });
  await mq.settled();
};

export const restarted = async (url: string, schema: string, long: Long): Promise<Restarted> => {
  const first = countedPool(url);
  const database = pgDatabase(first.pool, { listen: false });
  const hosts = { local: { ...instantHost(), getChecks: async () => new Map() } };
  await fill(createMergeQueue({ store: await postgresStore({ database, schema }), hosts }), long);
  await first.pool.end();
  const pool = new Pool({ connectionString: url });
  await pool.query('select 1');
  const selectMs = await selected(pool, schema);
  const store = await postgresStore({ database: pgDatabase(pool, { listen: false }), schema });
  const startedAt = performance.now();
  const mq = createMergeQueue({ store, hosts });
  await mq.submit({ ...place, pr: long.submissions + 1 });
  const decidedMs = performance.now() - startedAt;
  const runs = await mq.listRuns(place);
  const { rows } = await pool.query(
    `select count(*)::int as count from ${schema}.submissions where live_from is not null`,
  );
  await mq.close();
  await store.close();
  await pool.end();
  return { decidedMs, selectMs, found: { submissions: rows[0].count - 1, running: runs.length } };
};

const selected = async (pool: Pool, schema: string): Promise<number> => {
  const startedAt = performance.now();
  const live = `select value::text from ${schema}`;
  for (const rows of [
    `${live}.queues`,
    `${live}.submissions where live_from is not null`,
    `${live}.runs where closed is null`,
    `${live}.targets`,
  ])
    for (const { value } of (await pool.query(rows)).rows) JSON.parse(value);
  return performance.now() - startedAt;
};
