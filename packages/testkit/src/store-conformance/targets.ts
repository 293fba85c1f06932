import { aRepo, aSubmission, aTargetBook, queueIdOf, someWrites } from '../builders.js';
import { type ContractTests, loaded, numbers, open, type World, write } from './world.js';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const long = (name: string): readonly string[] => [name.padEnd(10_000, '/')];

/** Uploads for these pull requests, one after the other, of about 10,000 bytes each. */
const upload = async (world: World, prs: readonly number[], queueId = queueIdOf(1)): Promise<void> => {
  for (const pr of prs)
    await write(world, { queueId, writes: someWrites({ targets: [aTargetBook(pr, long(`//app-${pr}`))] }) });
};

const kept = async (world: World, queueId = queueIdOf(1)): Promise<readonly number[]> => {
  const { recalled } = await loaded(world, 0, { prs: numbers(9) }, queueId);
  return recalled.targets.map(({ pr }) => pr).sort((one, other) => one - other);
};

export const targets: ContractTests = {
  'the bytes of uploaded targets are those of all queues of the repository': async (world) => {
    const { store, expect } = world;
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await open(world, { id: queueIdOf(3), repo: { ...aRepo, name: 'gadgets' } });
    expect(await store.shedTargets(aRepo, NO_LIMIT)).toBe(0);
    const book = aTargetBook(1, ['//app', '//größe']);
    await write(world, { writes: someWrites({ targets: [book] }) });
    const bytes = new TextEncoder().encode(JSON.stringify(book)).length;
    expect(await store.shedTargets(aRepo, NO_LIMIT)).toBe(bytes);
    await write(world, { queueId: queueIdOf(2), writes: someWrites({ targets: [book] }) });
    await write(world, { queueId: queueIdOf(3), writes: someWrites({ targets: [book] }) });
    expect(await store.shedTargets(aRepo, NO_LIMIT)).toBe(2 * bytes);
  },

  'targets beyond a limit of bytes are removed, those written longest ago first': async (world) => {
    await open(world);
    await upload(world, [3, 1, 2]);
    await upload(world, [3]);
    world.expect((await world.store.shedTargets(aRepo, 25_000)) <= 25_000).toBe(true);
    world.expect(await kept(world)).toEqual([2, 3]);
  },

  'targets of pull requests in the queue are kept beyond a limit of bytes': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)] }) });
    await upload(world, [1, 2]);
    const held = await store.heldTargetBytes(aRepo);
    expect(await store.shedTargets(aRepo, 1)).toBe(held);
    expect(held > 10_000).toBe(true);
    expect(await kept(world)).toEqual([1]);
    expect((await loaded(world)).targets.map(({ pr }) => pr)).toEqual([1]);
  },

  'targets of other repositories and of deleted queues do not count against a limit of bytes': async (
    world,
  ) => {
    await open(world);
    const gadgets = { ...aRepo, name: 'gadgets' };
    await open(world, { id: queueIdOf(2), repo: gadgets });
    await upload(world, [1]);
    await upload(world, [2], queueIdOf(2));
    world.expect(await world.store.shedTargets(gadgets, 0)).toBe(0);
    world.expect(await kept(world)).toEqual([1]);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)] }) });
    world.expect(await world.store.heldTargetBytes(gadgets)).toBe(0);
    world.expect((await world.store.heldTargetBytes(aRepo)) > 10_000).toBe(true);
    const queue = { ...(await loaded(world)).queue, deletedAt: 1 };
    await write(world, { writes: someWrites({ queue }), wakeAt: null });
    world.expect(await world.store.heldTargetBytes(aRepo)).toBe(0);
    world.expect(await world.store.shedTargets(aRepo, 0)).toBe(0);
  },
};
