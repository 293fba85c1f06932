import { type CodeHost, createMergeQueue, type Sha, type Store } from '@mq/core';
import { pgDatabase, postgresStore } from '@mq/store-postgres';
import { run, runMigrations } from 'graphile-worker';
import type { Pool } from 'pg';
import { median } from '../numbers.js';
import { countedPool, POOL_SIZE } from './counted-pool.js';
import { instantHost } from './instant-host.js';
import { quiet } from './quiet.js';

const repos = Array.from({ length: 10 }, (_, n) => ({ host: 'local', owner: 'acme', name: `widgets-${n}` }));
/** The poll interval for checks: short, so that work is measured and not waiting. */
const POLL_MS = 100;
const LOOK_EVERY_MS = 5;

export interface Worked {
  readonly perSecond: number;
  /** State changes of pull requests and test runs per second, each decided and recorded in its own history row. */
  readonly changesPerSecond: number;
  /** Round trips per performed and decided effect. */
  readonly roundTrips: number;
  /** Landed pull requests per second. */
  readonly landedPerSecond: number;
  /** Database size per pull request in the end, in kB: rows, indexes and dead rows. */
  readonly storedKb: number;
}

/**
 * Effects that a running engine performs per second until this many pull requests have landed. The same number lands
 * before as a warm-up on the same connections, because a connection plans a statement again the first few times.
 */
export const transitionsPerSecond = async (
  url: string,
  schema: string,
  prsPerQueue: number,
): Promise<Worked> => {
  const { pool, statements } = countedPool(url);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  const { settled, changes, watched } = counting(store);
  const host = instantHost();
  const counted = () => ({ sent: statements(), done: settled(), changed: changes() });
  const landFrom = async (from: number) => {
    const mq = createMergeQueue({
      store: watched,
      hosts: { local: host },
      pace: { pollChecksMs: POLL_MS },
    });
    for (const repo of repos) {
      await mq.updateQueue({ repo, targetBranch: 'main', state: 'paused' });
      await Promise.all(
        Array.from({ length: prsPerQueue }, (_, n) =>
          mq.submit({ repo, targetBranch: 'main', pr: from + n }),
        ),
      );
    }
    await mq.settled();
    const before = counted();
    const all = host.landed() + repos.length * prsPerQueue;
    const startedAt = performance.now();
    mq.start();
    await Promise.all(repos.map((repo) => mq.updateQueue({ repo, targetBranch: 'main', state: 'running' })));
    while (host.landed() < all) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = counted();
    await mq.close();
    return { seconds, before, after };
  };
  await createQueues(watched, host);
  await landFrom(1);
  const { seconds, before, after } = await landFrom(prsPerQueue + 1);
  await store.close();
  const { rows } = await pool.query(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
     where relnamespace = $1::regnamespace and relkind = 'r'`,
    [schema],
  );
  await pool.end();
  const done = after.done - before.done;
  const prs = repos.length * prsPerQueue;
  return {
    perSecond: done / seconds,
    changesPerSecond: (after.changed - before.changed) / seconds,
    roundTrips: (after.sent - before.sent) / done,
    landedPerSecond: prs / seconds,
    storedKb: rows[0].bytes / 1_000 / (2 * prs),
  };
};

const createQueues = async (store: Store, host: CodeHost): Promise<void> => {
  const mq = createMergeQueue({ store, hosts: { local: host } });
  for (const repo of repos) await mq.createQueue({ repo, targetBranch: 'main', concurrency: 20 });
  await mq.close();
};

/** The pause before each measurement: the duration of tests, and the delay before jobs are added. */
export const REST_MS = 15;

/**
 * The median time from a verdict of the host to the resulting call, one pull request at a time. As in practice, the
 * verdict comes long after the start of its test was written.
 */
export const verdictToStartMs = async (url: string, schema: string, count: number): Promise<number> => {
  const { pool } = countedPool(url);
  const store = await postgresStore({ database: pgDatabase(pool), schema });
  const given = new Map<Sha, number>();
  const starts: number[] = [];
  let begun: () => void = () => undefined;
  const host = instantHost({
    testMs: REST_MS,
    // The checks are read once more before the landing: the first answer is the verdict.
    verdictGiven: (commit) => {
      if (!given.has(commit)) given.set(commit, performance.now());
    },
    landing: (commit) => {
      starts.push(performance.now() - (given.get(commit) ?? Number.NaN));
      begun();
    },
  });
  const mq = createMergeQueue({ store, hosts: { local: host }, pace: { pollChecksMs: REST_MS } });
  const repo = { host: 'local', owner: 'acme', name: 'widgets' };
  await mq.createQueue({ repo, targetBranch: 'main', state: 'running' });
  mq.start();
  for (let n = 1; n <= count; n += 1) {
    const landing = new Promise<void>((resolve) => {
      begun = resolve;
    });
    await mq.submit({ repo, targetBranch: 'main', pr: n });
    await landing;
  }
  await mq.close();
  await store.close();
  await pool.end();
  return median(starts);
};

const counting = (store: Store) => {
  let settled = 0;
  let changes = 0;
  const watched: Store = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name === 'commit')
        return async (commit: Parameters<Store['commit']>[0]) => {
          const outcome = await target.commit(commit);
          if (outcome.kind !== 'committed') return outcome;
          settled += commit.settled.length;
          changes += commit.writes.history.filter(({ type }) => type === 'moved' || type === 'run').length;
          return outcome;
        };
      if (name === 'settle')
        return async (...args: Parameters<Store['settle']>) => {
          const done = await target.settle(...args);
          if (done) settled += 1;
          return done;
        };
      return (...args: unknown[]): unknown => Reflect.apply(member, target, args);
    },
  });
  return { settled: () => settled, changes: () => changes, watched };
};

/**
 * The reference: graphile-worker runs jobs that do nothing, on the same server with as many connections, after the same
 * warm-up.
 */
export const jobsPerSecond = async (url: string, schema: string, count: number): Promise<number> => {
  const { pool } = countedPool(url);
  await runMigrations({ pgPool: pool, schema });
  await secondsToWork(pool, schema, count);
  const seconds = await secondsToWork(pool, schema, count);
  await pool.end();
  return count / seconds;
};

const secondsToWork = async (pgPool: Pool, schema: string, count: number): Promise<number> => {
  await pgPool.query(
    `select ${schema}.add_job('nothing', json_build_object('n', n)) from generate_series(1, ${count}) as n`,
  );
  let done = 0;
  let finished: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const nothing = async () => {
    done += 1;
    if (done === count) finished();
  };
  const startedAt = performance.now();
  const runner = await run({
    pgPool,
    schema,
    concurrency: POOL_SIZE,
    taskList: { nothing },
    noHandleSignals: true,
    ...quiet,
  });
  await all;
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  return seconds;
};

/** The median time from adding a job to its start, one at a time. */
export const jobStartMs = async (url: string, schema: string, count: number): Promise<number> => {
  const { pool } = countedPool(url);
  await runMigrations({ pgPool: pool, schema });
  const starts: number[] = [];
  let started: () => void = () => undefined;
  const tell = async () => started();
  const runner = await run({
    pgPool: pool,
    schema,
    concurrency: POOL_SIZE,
    taskList: { tell },
    noHandleSignals: true,
    ...quiet,
  });
  for (let n = 0; n < count; n += 1) {
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const addedAt = performance.now();
    await runner.addJob('tell', {});
    await begun;
    starts.push(performance.now() - addedAt);
  }
  await runner.stop();
  await pool.end();
  return median(starts);
};
