import { memoryStore } from '@mq/store-memory';
import { firstDifference, TRACE_START, type TracedStore, type TraceStep, traceKinds } from '@mq/testkit';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Database } from '../src/index.js';
import { embedded, postgres, sharedSchema } from './worlds.js';

/** The number of traces. For more, or another seed: `MQ_TRACES=10000 PROPERTY_SEED=7 npx vitest …`. */
const TRACES = Number(process.env.MQ_TRACES ?? 25);

const small = fc.nat({ max: 11 });

const traces: fc.Arbitrary<readonly TraceStep[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...traceKinds),
    queue: fc.integer({ min: 1, max: 3 }),
    one: small,
    two: small,
    many: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

const server = postgres();
const pglite = await embedded();
afterAll(() => Promise.all([server.pool.end(), pglite.end()]));

/** One store for all traces, emptied before each. */
const traced = async (database: Database): Promise<TracedStore & { empty(): Promise<void> }> => {
  const empty = sharedSchema(database);
  const { store, setTime } = await empty();
  return { store, setTime, empty: async () => void (await empty()) };
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

test(`T-I22: ${TRACES} random traces give equal results in memory, on PGlite and on PostgreSQL`, async () => {
  const durable = await Promise.all([traced(pglite), traced(server)]);
  let done = 0;
  await fc.assert(
    fc.asyncProperty(traces, async (trace) => {
      await Promise.all(durable.map(({ empty }) => empty()));
      expect(await firstDifference([inMemory(), ...durable], trace, { isStrict: true })).toBe(null);
      done += trace.length;
    }),
    { numRuns: TRACES },
  );
  expect(done).toBeGreaterThan(10 * TRACES);
}, 3_600_000);
