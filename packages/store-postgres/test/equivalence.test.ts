import { memoryStore } from '@mq/store-memory';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type Database, postgresStore } from '../src/index.js';
import { firstDifference, steps, TRACE_START, type TracedStore } from './traces.js';
import { embedded, postgres } from './worlds.js';

/** How many traces are tried, and where they begin: `MQ_TRACES=10000 MQ_TRACE_SEED=7 npx vitest …`. */
const TRACES = Number(process.env.MQ_TRACES ?? 25);
const SEED = process.env.MQ_TRACE_SEED;

const server = postgres();
const pglite = await embedded();
afterAll(() => Promise.all([server.pool.end(), pglite.pglite.close()]));

const tables =
  'queues wakes inbox effects submissions runs targets verdicts receipts history history_prs answers';

/** The same empty store for each trace, whose time is a row of a table. */
const traced = async (
  database: Database,
  schema: string,
): Promise<TracedStore & { empty(): Promise<void> }> => {
  const store = await postgresStore({ database, schema });
  await database.script(`create table if not exists ${schema}.clock (at bigint not null);
    insert into ${schema}.clock values (0);
    create or replace function ${schema}.now_ms() returns bigint language sql stable
      as $$ select at from ${schema}.clock $$`);
  const all = tables.split(' ').map((table) => `${schema}.${table}`);
  return {
    store,
    setTime: (at) => database.script(`update ${schema}.clock set at = ${at}`),
    empty: () => database.script(`truncate ${all.join(', ')}`),
  };
};

const inMemory = (): TracedStore => {
  let now = TRACE_START;
  return {
    store: memoryStore({ clock: { now: () => now } }),
    setTime: async (at) => {
      now = at;
    },
  };
};

test(`${TRACES} random traces give equal results in memory, on PGlite and on PostgreSQL`, async () => {
  const durable = await Promise.all([traced(pglite, 'traces'), traced(server, 'traces')]);
  let done = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (trace) => {
      await Promise.all(durable.map(({ empty }) => empty()));
      expect(await firstDifference([inMemory(), ...durable], trace)).toBe(null);
      done += trace.length;
    }),
    { numRuns: TRACES, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
  expect(done).toBeGreaterThan(10 * TRACES);
}, 3_600_000);
