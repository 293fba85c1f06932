import { aQueue, aSubmission, effectIdOf, queueIdOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { engineWorld, lostBefore } from '../../test/engine-world.js';
import { WorkingSet } from './working-set.js';

const nothing = { prs: [], inputIds: [] };
const numbers = (loaded: Awaited<ReturnType<WorkingSet['load']>>) =>
  [...(loaded?.state.byPr.keys() ?? [])].sort();

describe('a working set', () => {
  test('asks only for what changed since, and shows all of it', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(1)] }) });
    expect(numbers(await set.load(nothing))).toEqual([1]);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(2)] }) });

    const second = await set.load(nothing);

    expect(second?.delta.submissions.map(({ pr }) => pr)).toEqual([2]);
    expect(numbers(second)).toEqual([1, 2]);
  });

  test('what was committed here needs no reading back', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
    const first = await set.load(nothing);
    const writes = someWrites({ submissions: [aSubmission(1)], queue: aQueue({ lastPlace: 3 }) });
    await world.rival({ writes });

    set.committed({ writes, restsUntil: null }, (first?.version ?? 0) + 1);

    expect([...(first?.state.byPr.keys() ?? [])]).toEqual([1]);
    expect((await set.load(nothing))?.delta.submissions).toEqual([]);
  });

  test('a commit that is older than what was read since changes nothing', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
    const loaded = await set.load(nothing);

    set.committed(
      { writes: someWrites({ queue: aQueue({ lastPlace: 99 }) }), restsUntil: null },
      loaded?.version ?? 0,
    );

    expect(loaded?.state.queue.lastPlace).toBe(0);
  });

  test('remembers what is under way until the next commit', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
    const loaded = await set.load(nothing);

    set.noteUnderWay([effectIdOf(1)]);
    expect([...(loaded?.state.underWay ?? [])]).toEqual([effectIdOf(1)]);
    set.committed({ writes: someWrites(), restsUntil: null }, loaded?.version ?? 0);
    expect(loaded?.state.underWay.size).toBe(0);
  });

  test('starts over after it was told to forget', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
    await world.rival({ writes: someWrites({ submissions: [aSubmission(1)] }) });
    const before = await set.load(nothing);

    set.forget();
    const after = await set.load(nothing);

    expect(after?.state).not.toBe(before?.state);
    expect(numbers(after)).toEqual([1]);
  });

  test('loads one after another, and a failed one does not stop the next', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
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

  test('a queue that is gone is null, and nothing of it is kept', async () => {
    const world = await engineWorld();
    const set = new WorkingSet(world.store, queueIdOf(1), 60_000);
    await set.load(nothing);
    await world.rival({ writes: someWrites({ queue: aQueue({ deletedAt: 1 }) }) });

    expect(await set.load(nothing)).toBeNull();
  });
});
