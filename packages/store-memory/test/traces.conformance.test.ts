import { firstDifference, randomTrace, TRACE_START, type TracedStore } from '@mq/testkit';
import { expect, test } from 'vitest';
import { type MemoryStore, memoryStore } from '../src/index.js';

/** An empty store in which something was made otherwise. */
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

/** Names any time that has passed where something is due, and claims what is due in another order. */
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

test('random traces give equal results on stores that use what the port leaves open, unless asked to be strict', async () => {
  expect(await seedsThatDiffer(freely)).toEqual([]);
  expect((await seedsThatDiffer(freely, { isStrict: true })).length).toBeGreaterThan(9);
});

test('random traces find a store in which nothing settles, and one that tells of no run', async () => {
  const settlesNothing = () => ({ settle: async () => true });
  expect((await seedsThatDiffer(settlesNothing)).length).toBeGreaterThan(0);
  const knowsNoRun = () => ({ run: async () => null });
  expect((await seedsThatDiffer(knowsNoRun)).length).toBeGreaterThan(0);
});

test('a trace is the same for its seed, and another for another', () => {
  expect(randomTrace(7)).toEqual(randomTrace(7));
  expect(new Set(SEEDS.map((seed) => JSON.stringify(randomTrace(seed)))).size).toBe(SEEDS.length);
});
