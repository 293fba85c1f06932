import { HOUR_MS, type HourSummary, type QueueId, SUMMARIES_PER_CALL, type SummaryStore } from '@mq/core';
import { codeOf, rejection, type TestRunner } from '../store-conformance/world.js';

/** An empty store of its own for one test. */
export interface SummaryStoreUnderTest {
  readonly store: SummaryStore;
  /** Another store on the same data, as another process opens it. Leave it out if no other process can have the data. */
  another?(): Promise<SummaryStore>;
}

interface World extends SummaryStoreUnderTest {
  readonly expect: TestRunner['expect'];
}

const queue = '00000000-0000-4000-8000-000000000001' as QueueId;
const other = '00000000-0000-4000-8000-000000000002' as QueueId;

/** The summary of the n-th hour, with names from outside. */
const summary = (n: number, landed = n): HourSummary => ({
  ...{ hour: n * HOUR_MS, landed, failed: 1, cancelled: 0, timesInQueue: { 7: 2 } },
  ciMs: { 'test landed used': 12.5 },
  checks: JSON.parse('{"__proto__": {"tests": 1, "failures": 1, "flakes": 0}, "a \\"b\\" ✓": {"tests": 2}}'),
});

const everything = (store: SummaryStore, queueId = queue) =>
  store.read({ queueId, since: 0, until: Number.MAX_SAFE_INTEGER });

const promises: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'reads the summaries of a queue by hour, exactly as they were put': async ({ store, expect }) => {
    await store.put(queue, [summary(3), summary(1)]);
    await store.put(queue, [summary(2)]);
    await store.put(other, [summary(9)]);
    await store.put(other, []);

    expect(await everything(store)).toEqual([summary(1), summary(2), summary(3)]);
    expect(await store.read({ queueId: queue, since: HOUR_MS, until: 3 * HOUR_MS })).toEqual([
      summary(1),
      summary(2),
    ]);
    expect(await store.read({ queueId: queue, since: HOUR_MS + 1, until: HOUR_MS * 2 })).toEqual([]);
  },
  'a second summary of the same hour replaces the first': async ({ store, expect }) => {
    await store.put(queue, [summary(1), summary(2)]);
    await store.put(queue, [summary(1, 50)]);

    expect(await everything(store)).toEqual([summary(1, 50), summary(2)]);
  },
  'knows the last hour of each queue': async ({ store, expect }) => {
    expect(await store.lastHour(queue)).toEqual(null);
    await store.put(queue, [summary(5), summary(2)]);
    await store.put(other, [summary(9)]);

    expect(await store.lastHour(queue)).toBe(5 * HOUR_MS);
  },
  'leaves out what is beyond the limit, the latest first': async ({ store, expect }) => {
    const many = Array.from({ length: SUMMARIES_PER_CALL }, (_, n) => summary(n));
    await store.put(queue, many);
    await store.put(queue, [summary(SUMMARIES_PER_CALL)]);

    expect((await everything(store)).map(({ hour }) => hour)).toEqual(many.map(({ hour }) => hour));
  },
  'removes the summaries before a given time, of all queues': async ({ store, expect }) => {
    await store.put(queue, [summary(1), summary(2)]);
    await store.put(other, [summary(1)]);
    await store.prune(2 * HOUR_MS);

    expect([await everything(store), await everything(store, other)]).toEqual([[summary(2)], []]);
  },
  'what one process wrote is visible to another': async ({ store, another, expect }) => {
    if (another === undefined) return;
    await store.put(queue, [summary(1)]);
    const second = await another();
    await second.put(queue, [summary(1, 7)]);

    expect(await everything(store)).toEqual([summary(1, 7)]);
  },
  'every call after closing rejects with the code CLOSED': async ({ store, expect }) => {
    await store.close();
    await store.close();

    const calls = [
      () => store.put(queue, [summary(1)]),
      () => everything(store),
      () => store.lastHour(queue),
      () => store.prune(0),
    ];
    for (const call of calls) expect(codeOf(await rejection(call()))).toBe('CLOSED');
  },
};

/** Tries every promise of the `SummaryStore` port on an implementation, through the port alone. */
export const summaryStoreConformance = (
  { describe, test, expect }: TestRunner,
  makeStore: () => Promise<SummaryStoreUnderTest>,
): void => {
  describe('a store of summaries', () => {
    for (const [sentence, keep] of Object.entries(promises))
      test(sentence, async () => {
        const made = await makeStore();
        const opened = [made.store];
        const another = async () => {
          const store = await (made.another?.() ?? made.store);
          opened.push(store);
          return store;
        };
        try {
          await keep({ store: made.store, ...(made.another === undefined ? {} : { another }), expect });
        } finally {
          await Promise.all(opened.map((store) => store.close()));
        }
      });
  });
};
