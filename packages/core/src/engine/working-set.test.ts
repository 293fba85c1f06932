import { memoryStore } from '@mq/store-memory';
import { aCommit, aQueue, aRepo, aSubmission, effectIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { engineWorld, lostBefore } from '../../test/engine-world.js';
import type { Store } from '../ports/store.js';
import { emptyRecall } from './recall.js';
import { WorkingSet } from './working-set.js';

const here = { incarnation: '1' };
const nothing = { prs: [], inputIds: [] };
const numbers = (loaded: Awaited<ReturnType<WorkingSet['load']>>) =>
  [...(loaded?.state.byPr.keys() ?? [])].sort();

const aWorkingSet = (store: Store, found: (incarnation: string) => void = () => undefined) =>
  new WorkingSet(store, queueIdOf(1), 60_000, found, () => undefined);

describe('a working set', () => {
  test('a working set reads only what changed, and shows everything', async () => {
    const world = await engineWorld();
    const set = aWorkingSet(world.store);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(1)] }) });
    expect(numbers(await set.load(nothing))).toEqual([1]);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(2)] }) });

    const second = await set.load(nothing);

    expect(second?.delta.submissions.map(({ pr }) => pr)).toEqual([2]);
    expect(numbers(second)).toEqual([1, 2]);
  });

  test('a commit of this process is not read back', async () => {
    const world = await engineWorld();
    const set = aWorkingSet(world.store);
    const first = await set.load(nothing);
    const writes = someWrites({ submissions: [aSubmission(1)], queue: aQueue({ lastPlace: 3 }) });
    await world.rival({ writes });

    set.committed(writes, { ...here, version: (first?.version ?? 0) + 1 });

    expect([...(first?.state.byPr.keys() ?? [])]).toEqual([1]);
    expect((await set.load(nothing))?.delta.submissions).toEqual([]);
  });

  test('a commit older than the last read changes nothing', async () => {
    const world = await engineWorld();
    const set = aWorkingSet(world.store);
    const loaded = await set.load(nothing);

    set.committed(someWrites({ queue: aQueue({ lastPlace: 99 }) }), {
      ...here,
      version: loaded?.version ?? 0,
    });

    expect(loaded?.state.queue.lastPlace).toBe(0);
  });

  test('effects in progress are remembered until the next commit', async () => {
    const world = await engineWorld();
    const set = aWorkingSet(world.store);
    const loaded = await set.load(nothing);

    set.noteUnderWay([effectIdOf(1)]);
    expect([...(loaded?.state.underWay ?? [])]).toEqual([effectIdOf(1)]);
    set.committed(someWrites(), { ...here, version: loaded?.version ?? 0 });
    expect(loaded?.state.underWay.size).toBe(0);
  });

  test('a working set reads everything if it was dropped during a read', async () => {
    const world = await engineWorld();
    let answer: () => void = () => undefined;
    let isHeld = false;
    const slow: Store = new Proxy(world.store, {
      get: (target, name) =>
        name === 'load'
          ? async (...args: Parameters<Store['load']>) => {
              const delta = await target.load(...args);
              if (isHeld) await new Promise<void>((resolve) => (answer = resolve));
              return delta;
            }
          : Reflect.get(target, name),
    });
    const set = aWorkingSet(slow);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(1)] }) });
    await set.load(nothing);
    isHeld = true;
    const asking = set.load(nothing);
    await new Promise((resolve) => setImmediate(resolve));

    set.forget();
    isHeld = false;
    answer();

    expect(numbers(await asking)).toEqual([1]);
    expect(numbers(await set.load(nothing))).toEqual([1]);
  });

  test('a working set reads everything after it was dropped', async () => {
    const world = await engineWorld();
    const set = aWorkingSet(world.store);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(1)] }) });
    const before = await set.load(nothing);

    set.forget();
    const after = await set.load(nothing);

    expect(after?.state).not.toBe(before?.state);
    expect(numbers(after)).toEqual([1]);
  });

  test('loads run one after another, and a failed one does not stop the next', async () => {
    const world = await engineWorld();
    const set = aWorkingSet(world.store);
    let under = 0;
    let most = 0;
    const slow = async (real: () => Promise<unknown>) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setImmediate(resolve));
      under -= 1;
      return real();
    };
    world.next('load', lostBefore, slow, slow);

    const failed = set.load(nothing);
    const loads = [set.load(nothing), set.load(nothing)];

    await expect(failed).rejects.toThrow('connection lost');
    expect((await Promise.all(loads)).map((one) => one?.version)).toEqual([1, 1]);
    expect(most).toBe(1);
  });

  /** A working set whose queue was deleted, with the repositories reported as gone. */
  const deleted = async () => {
    const world = await engineWorld();
    const reported: string[] = [];
    const gone = ({ name }: { readonly name: string }) => void reported.push(name);
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000, () => undefined, gone);
    await set.load(nothing);
    await world.rival({ writes: someWrites({ queue: aQueue({ deletedAt: 1 }) }) });
    return { world, set, reported };
  };

  test('a deleted queue is null, its cache is dropped, and its repository is reported once', async () => {
    const { world, set, reported } = await deleted();

    expect(await set.load(nothing)).toBeNull();
    expect(await set.load(nothing)).toBeNull();
    expect(set.remembered(world.clock.now(), emptyRecall)).toBeNull();
    expect(reported).toEqual([aRepo.name]);
  });

  test('the repository of a deleted queue is reported also if the cache was dropped before', async () => {
    const { set, reported } = await deleted();
    set.forget();

    expect(await set.load(nothing)).toBeNull();
    expect(await set.load(nothing)).toBeNull();
    expect(reported).toEqual([aRepo.name]);
  });

  describe('of a store that went back to what it was', () => {
    const wentBack = async () => {
      const reported: string[] = [];
      const [before, after] = [await engineWorld(), await engineWorld()];
      const other = memoryStore({ clock: after.clock, incarnation: '2' });
      await other.createQueue(aQueue({ lastPlace: 7 }), 0, null);
      let store: Store = before.memory;
      const stores = { load: (...args: Parameters<Store['load']>) => store.load(...args) } as Store;
      const set = aWorkingSet(stores, (incarnation) => reported.push(incarnation));
      await before.rival({ writes: someWrites({ submissions: [aSubmission(1)] }) });
      await before.rival({ writes: someWrites({ submissions: [aSubmission(2)] }) });
      const loaded = await set.load(nothing);
      store = other;
      return { set, reported, loaded, other };
    };

    test('a new incarnation of the store is read completely once, and reported', async () => {
      const { set, reported, other } = await wentBack();
      const aCommitOf = (n: number) =>
        aCommit({ expected: n, writes: someWrites({ submissions: [aSubmission(10 + n)] }) });
      for (const n of [1, 2, 3]) await other.commit(aCommitOf(n));

      const loaded = await set.load(nothing);

      expect(numbers(loaded)).toEqual([11, 12, 13]);
      expect(loaded?.state.queue.lastPlace).toBe(7);
      expect(reported).toEqual(['1', '2']);
      expect((await set.load(nothing))?.delta.submissions).toEqual([]);
      expect(reported).toEqual(['1', '2']);
    });

    test('a commit from before a new incarnation is not applied', async () => {
      const { set, loaded } = await wentBack();
      const now = await set.load(nothing);

      set.committed(someWrites({ submissions: [aSubmission(3)] }), {
        incarnation: loaded?.delta.incarnation ?? '',
        version: 9,
      });

      expect(numbers(now)).toEqual([]);
    });
  });
});
