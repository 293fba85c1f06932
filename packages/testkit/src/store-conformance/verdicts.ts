import { VERDICTS_PER_TREE, type Verdict } from '@mq/core';
import { aRepo, aVerdict, queueIdOf, shaOf, someWrites } from '../builders.js';
import { type ContractTests, numbers, open, type World, write } from './world.js';

const tree = shaOf(1, 'd');

const put = (world: World, verdicts: readonly Verdict[]): Promise<number> =>
  write(world, { writes: someWrites({ verdicts }) });

const numbered = (n: number): Verdict => aVerdict(tree, { id: `check-${n}`, startedAt: n, completedAt: n });

export const verdicts: ContractTests = {
  'passes are found by repository and tree, from every queue of the repository': async (world) => {
    const { store, expect } = world;
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const other = aVerdict(shaOf(2, 'd'));
    await put(world, [numbered(1), other]);
    await write(world, { queueId: queueIdOf(2), writes: someWrites({ verdicts: [numbered(2)] }) });
    expect(await store.verdicts(aRepo, tree)).toEqual([numbered(2), numbered(1)]);
    expect(await store.verdicts(aRepo, shaOf(2, 'd'))).toEqual([other]);
    expect(await store.verdicts(aRepo, shaOf(3, 'd'))).toEqual([]);
    for (const elsewhere of [{ name: 'gadgets' }, { owner: 'acme/deep' }, { host: 'other.example' }])
      expect(await store.verdicts({ ...aRepo, ...elsewhere }, tree)).toEqual([]);
  },

  'the newest passes of a tree are kept, newest first, up to the limit': async (world) => {
    await open(world);
    const all = numbers(VERDICTS_PER_TREE + 3);
    for (const n of all.slice(0, 4)) await put(world, [numbered(n)]);
    await put(world, all.slice(4).map(numbered));
    const kept = await world.store.verdicts(aRepo, tree);
    world.expect(kept.map(({ check }) => check.id)).toEqual(
      all
        .slice(3)
        .reverse()
        .map((n) => `check-${n}`),
    );
  },

  'a check of one source is stored once, as last written': async (world) => {
    await open(world);
    await put(world, [aVerdict(tree, { summary: 'first' }), aVerdict(tree, { source: 'other' })]);
    await put(world, [aVerdict(tree, { summary: 'second' })]);
    world
      .expect(await world.store.verdicts(aRepo, tree))
      .toEqual([aVerdict(tree, { summary: 'second' }), aVerdict(tree, { source: 'other' })]);
  },

  'a check that is written twice in one commit is stored as last written, and is the newest': async (
    world,
  ) => {
    await open(world);
    await put(world, [
      numbered(1),
      numbered(2),
      { ...numbered(1), check: { ...numbered(1).check, summary: 'again' } },
    ]);
    const kept = await world.store.verdicts(aRepo, tree);
    world.expect(kept.map(({ check }) => [check.id, check.summary])).toEqual([
      ['check-1', 'again'],
      ['check-2', numbered(2).check.summary],
    ]);
  },
};
