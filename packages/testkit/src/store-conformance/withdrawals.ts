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
import { lease, leaseOne, loaded, open, type Promises, tryToWrite, type World, write } from './world.js';

/** A commit that takes wishes back and would leave traces. */
const takeBack = (world: World, ...ordinals: readonly number[]) =>
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

export const withdrawals: Promises = {
  'a wish that nobody was given can be taken back': async (world) => {
    await begin(world);
    world.expect((await takeBack(world, 1)).kind).toBe('committed');
    world.expect(await offered(world)).toEqual([effectIdOf(2), effectIdOf(50)]);
  },

  'a wish that somebody holds cannot be taken back, and the commit leaves no trace': async (world) => {
    const { store, expect } = world;
    await begin(world);
    await store.push(queueIdOf(1), [aFact(2)]);
    const held = await leaseOne(world);
    expect(await takeBack(world, 1, 2)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
    const delta = await loaded(world);
    expect([delta.version, delta.submissions, delta.inbox]).toEqual([2, [], [aFact(2)]]);
    expect(await store.answers([inputIdOf(1)])).toEqual([]);
    expect(await offered(world)).toEqual([effectIdOf(2)]);
    expect(await store.settle(held, [])).toBe(true);
  },

  'a wish whose lease ran out cannot be taken back': async (world) => {
    await begin(world);
    await leaseOne(world);
    await world.passTime(60_000);
    world.expect(await takeBack(world, 1)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  },

  'a wish that was postponed cannot be taken back': async (world) => {
    await begin(world);
    await world.store.postpone(await leaseOne(world), 1_000, 'unreachable');
    world.expect(await takeBack(world, 1)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  },

  'every wish that is under way is named': async (world) => {
    await begin(world);
    await lease(world);
    const outcome = await takeBack(world, 2, 1);
    world
      .expect(outcome.kind === 'under_way' ? [...outcome.effects].sort() : outcome)
      .toEqual([effectIdOf(1), effectIdOf(2)]);
  },

  'a wish that has settled cannot be taken back: what it told may not have been seen': async (world) => {
    await begin(world);
    await world.store.settle(await leaseOne(world), [aFact(3)]);
    world.expect(await takeBack(world, 1)).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
    world.expect(await offered(world)).toEqual([effectIdOf(2)]);
  },

  'a wish that was taken back cannot be taken back again': async (world) => {
    await begin(world);
    world.expect((await takeBack(world, 2)).kind).toBe('committed');
    const again = await tryToWrite(world, { withdraw: [effectIdOf(2)] });
    world.expect(again).toEqual({ kind: 'under_way', effects: [effectIdOf(2)] });
  },

  'a wish of another queue cannot be taken back': async (world) => {
    await begin(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const outcome = await tryToWrite(world, { queueId: queueIdOf(2), withdraw: [effectIdOf(1)] });
    world.expect(outcome).toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
    world.expect(await offered(world)).toEqual([effectIdOf(1), effectIdOf(2)]);
  },

  'a commit that is too late says so before it speaks of wishes': async (world) => {
    await begin(world);
    await leaseOne(world);
    const outcome = await tryToWrite(world, { expected: 1, withdraw: [effectIdOf(1)] });
    world.expect(outcome).toEqual({ kind: 'conflict' });
  },
};
