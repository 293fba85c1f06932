import {
  aFact,
  anAnswer,
  anEffect,
  aSubmission,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import { type ContractTests, lease, leaseOne, loaded, open, tryToWrite, type World, write } from './world.js';

/** Tries to commit a withdrawal of effects together with other changes. */
const withdraw = (world: World, ...ordinals: readonly number[]) =>
  tryToWrite(world, {
    writes: someWrites({ submissions: [aSubmission(1)] }),
    withdraw: ordinals.map(effectIdOf),
    effects: [anEffect(50)],
    answers: [anAnswer(1)],
    consumed: [inputIdOf(2)],
  });

const offered = async (world: World): Promise<readonly string[]> =>
  (await lease(world)).map(({ effect }) => effect.id);

const begin = async (world: World): Promise<void> => {
  await open(world);
  await write(world, { effects: [anEffect(1), anEffect(2)] });
};

export const withdrawals: ContractTests = {
  'an effect that was never leased can be withdrawn': async (world) => {
    await begin(world);
    world.expect((await withdraw(world, 1)).kind).toBe('committed');
    world.expect(await offered(world)).toEqual([effectIdOf(2), effectIdOf(50)]);
  },

  'a leased effect cannot be withdrawn, and the commit leaves no trace': async (world) => {
    const { store, expect } = world;
    await begin(world);
    await store.push(queueIdOf(1), [aFact(2)]);
    const held = await leaseOne(world);
    expect(await withdraw(world, 1, 2)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
    const delta = await loaded(world);
    expect([delta.version, delta.submissions, delta.inbox]).toEqual([2, [], [aFact(2)]]);
    expect(await store.answers([inputIdOf(1)])).toEqual([]);
    expect(await offered(world)).toEqual([effectIdOf(2)]);
    expect(await store.settle(held, [])).toBe(true);
  },

  'an effect whose lease expired cannot be withdrawn': async (world) => {
    await begin(world);
    await leaseOne(world);
    await world.passTime(60_000);
    world.expect(await withdraw(world, 1)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  },

  'a postponed effect cannot be withdrawn': async (world) => {
    await begin(world);
    await world.store.postpone(await leaseOne(world), 1_000, 'unreachable');
    world.expect(await withdraw(world, 1)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  },

  'a refused withdrawal names every effect that was leased': async (world) => {
    await begin(world);
    await lease(world);
    const outcome = await withdraw(world, 2, 1);
    world
      .expect(outcome.kind === 'under_way' ? [...outcome.effects].sort() : outcome)
      .toEqual([effectIdOf(1), effectIdOf(2)]);
  },

  'a settled effect cannot be withdrawn, because its facts may not have been consumed': async (world) => {
    await begin(world);
    await world.store.settle(await leaseOne(world), [aFact(3)]);
    world.expect(await withdraw(world, 1)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
    world.expect(await offered(world)).toEqual([effectIdOf(2)]);
  },

  'a withdrawn effect cannot be withdrawn again': async (world) => {
    await begin(world);
    world.expect((await withdraw(world, 2)).kind).toBe('committed');
    const again = await tryToWrite(world, { withdraw: [effectIdOf(2)] });
    world.expect(again).toEqual({ kind: 'under_way', effects: [effectIdOf(2)] });
  },

  'an effect of another queue cannot be withdrawn': async (world) => {
    await begin(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const outcome = await tryToWrite(world, { queueId: queueIdOf(2), withdraw: [effectIdOf(1)] });
    world.expect(outcome).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
    world.expect(await offered(world)).toEqual([effectIdOf(1), effectIdOf(2)]);
  },

  'a commit is refused for its version before effects that cannot be withdrawn': async (world) => {
    await begin(world);
    await leaseOne(world);
    const outcome = await tryToWrite(world, { expected: 1, withdraw: [effectIdOf(1)] });
    world.expect(outcome).toEqual({ kind: 'conflict' });
  },
};
