import { firstDifference, randomTrace, TRACE_START, type TracedStore } from '@mq/testkit';
import { expect, test } from 'vitest';
import { type MemoryStore, memoryStore } from '../src/index.js';

/** An empty store with one changed method. */
const traced = (change: (store: MemoryStore) => Partial<MemoryStore> = () => ({})): TracedStore => {
  let now = TRACE_START;
  const store = memoryStore({ clock: { now: () => now } });
  return {
    store: Object.assign(store, change(store)),
    setTime: async (at) => {
      now = at;
    },
  };
};

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

const seedsThatDiffer = async (
  change: (store: MemoryStore) => Partial<MemoryStore>,
  options = {},
): Promise<readonly number[]> => {
  const differs = async (seed: number) =>
    (await firstDifference([traced(), traced(change)], randomTrace(seed), options)) !== null;
  const found = await Promise.all(SEEDS.map(differs));
  return SEEDS.filter((_, index) => found[index]);
};

/** A store that answers any time in the past if something is due, and claims due queues in another order. */
const freely = (store: MemoryStore): Partial<MemoryStore> => {
  const [nextDueAt, due] = [store.nextDueAt.bind(store), store.due.bind(store)];
  return {
    nextDueAt: async () => {
      const [at, now] = [await nextDueAt(), await store.now()];
      return at === null || at > now ? at : 0;
    },
    due: async (ask) => (await due(ask)).toReversed(),
  };
};

test('random traces give equal results on stores that use the freedoms of the port, except in strict mode', async () => {
  expect(await seedsThatDiffer(freely)).toEqual([]);
  expect((await seedsThatDiffer(freely, { isStrict: true })).length).toBeGreaterThan(9);
});

test('random traces detect a store that settles nothing, and one that returns no test runs', async () => {
  const settlesNothing = () => ({ settle: async () => true });
  expect((await seedsThatDiffer(settlesNothing)).length).toBeGreaterThan(0);
  const knowsNoRun = () => ({ run: async () => null });
  expect((await seedsThatDiffer(knowsNoRun)).length).toBeGreaterThan(0);
});

test('a trace is determined by its seed', () => {
  expect(randomTrace(7)).toEqual(randomTrace(7));
  expect(new Set(SEEDS.map((seed) => JSON.stringify(randomTrace(seed)))).size).toBe(SEEDS.length);
});
