import type { PresenceRow, PresenceStore, QueueId, WriteBudget } from '@mq/core';
import { codeOf, rejection, type TestRunner } from '../store-conformance/world.js';

/** An empty store of its own for one test. */
export interface PresenceStoreUnderTest {
  readonly store: PresenceStore;
  /** Another store on the same data, as another process opens it. Leave it out if no other process can have the data. */
  another?(): Promise<PresenceStore>;
}

interface World extends PresenceStoreUnderTest {
  readonly expect: TestRunner['expect'];
}

const queue = '00000000-0000-4000-8000-000000000001' as QueueId;
const other = '00000000-0000-4000-8000-000000000002' as QueueId;

const row = (pr: number, part: Partial<PresenceRow> = {}): PresenceRow => ({
  ...{ queueId: queue, pr, version: 1, shownAt: 12.5, commentId: 'c "1" ✓', noticedAttempt: 0, notices: 0 },
  shown: { key: 'k', attempt: 2, isEnded: false, status: null, labels: ['mq:testing'] },
  ...{ lease: { owner: 'one', until: 7 }, readBackAt: null, failures: 1, failure: 'down\0', retryAt: 9 },
  ...{ closedAt: null, ...part },
});

const budget = (version: number, writes = version): WriteBudget => ({
  ...{ installation: 'fake.example/acme', version },
  spent: [{ at: 1.5, writes, isRoutine: false }],
});

const promises: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'stores a row exactly as given, if the stored version is lower by one': async ({ store, expect }) => {
    expect(await store.find(queue, [1])).toEqual([]);
    expect(await store.replace(row(1, { version: 2 }))).toBe(false);
    expect(await store.replace(row(1, { failure: null }))).toBe(true);
    expect(await store.find(queue, [1, 1, 2])).toEqual([row(1, { failure: null })]);
    expect(await store.replace(row(1, { version: 1, notices: 9 }))).toBe(false);
    expect(await store.replace(row(1, { version: 3, notices: 9 }))).toBe(false);
    expect(await store.replace(row(1, { version: 2, notices: 5 }))).toBe(true);
    expect((await store.find(queue, [1])).map(({ notices }) => notices)).toEqual([5]);
  },
  'of writes at the same time with the same version one wins': async ({ store, expect }) => {
    for (const version of [1, 2, 3]) {
      const tries = ['a', 'b', 'c', 'd'].map((commentId) => store.replace(row(1, { version, commentId })));
      expect((await Promise.all(tries)).filter(Boolean)).toEqual([true]);
    }
  },
  'lists the rows of a queue that are not closed, by number': async ({ store, expect }) => {
    for (const pr of [10, 9, 2]) await store.replace(row(pr));
    await store.replace(row(9, { version: 2, closedAt: 5 }));
    await store.replace(row(3, { queueId: other }));

    expect((await store.open(queue)).map(({ pr }) => pr)).toEqual([2, 10]);
    expect((await store.find(queue, [9, 3])).map(({ pr }) => pr)).toEqual([9]);
    await store.replace(row(9, { version: 3 }));
    expect((await store.open(queue)).map(({ pr }) => pr)).toEqual([2, 9, 10]);
  },
  'keeps the time at which a queue began, and moves the other one only forward': async ({
    store,
    expect,
  }) => {
    expect(await store.begin(queue, 10)).toEqual({ begunAt: 10, since: 10 });
    expect(await store.begin(queue, 20)).toEqual({ begunAt: 10, since: 10 });
    await store.advance(queue, 30);
    await store.advance(queue, 25);
    await store.advance(other, 99);

    expect(await store.begin(queue, 40)).toEqual({ begunAt: 10, since: 30 });
    expect(await store.begin(other, 40)).toEqual({ begunAt: 40, since: 40 });
  },
  'stores a budget if the stored version is lower by one': async ({ store, expect }) => {
    const { installation } = budget(1);
    expect(await store.budget(installation)).toEqual(null);
    expect(await store.replaceBudget(budget(2))).toBe(false);
    const tries = [1, 2, 3].map((writes) => store.replaceBudget(budget(1, writes)));
    expect((await Promise.all(tries)).filter(Boolean)).toEqual([true]);
    expect(await store.replaceBudget(budget(2))).toBe(true);
    expect(await store.budget(installation)).toEqual(budget(2));
    expect(await store.budget('another')).toEqual(null);
  },
  'removes the rows that were closed before a given time': async ({ store, expect }) => {
    await store.replace(row(1, { closedAt: 5 }));
    await store.replace(row(2, { closedAt: 6 }));
    await store.replace(row(3));
    await store.prune(6);

    expect((await store.find(queue, [1, 2, 3])).map(({ pr }) => pr).sort()).toEqual([2, 3]);
    expect(await store.replace(row(1))).toBe(true);
  },
  'tells a time that does not go back': async ({ store, expect }) => {
    const first = await store.now();
    expect((await store.now()) >= first).toBe(true);
  },
  'what one process wrote is visible to another': async ({ store, another, expect }) => {
    if (another === undefined) return;
    await store.replace(row(1, { failure: null }));
    const second = await another();
    expect(await second.open(queue)).toEqual([row(1, { failure: null })]);
    expect(await second.replace(row(1, { version: 2 }))).toBe(true);
    expect(await store.replace(row(1, { version: 2 }))).toBe(false);
  },
  'every call after closing rejects with the code CLOSED': async ({ store, expect }) => {
    await store.close();
    await store.close();

    const calls = [
      () => store.now(),
      () => store.begin(queue, 1),
      () => store.advance(queue, 1),
      () => store.open(queue),
      () => store.find(queue, [1]),
      () => store.replace(row(1)),
      () => store.budget('x'),
      () => store.replaceBudget(budget(1)),
      () => store.prune(1),
    ];
    for (const call of calls) expect(codeOf(await rejection(call()))).toBe('CLOSED');
  },
};

/** Tries every promise of the `PresenceStore` port on an implementation, through the port alone. */
export const presenceStoreConformance = (
  { describe, test, expect }: TestRunner,
  makeStore: () => Promise<PresenceStoreUnderTest>,
): void => {
  describe('a store of what is shown at pull requests', () => {
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
