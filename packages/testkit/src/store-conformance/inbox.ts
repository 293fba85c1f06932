import { INBOX_PER_LOAD } from '@mq/core';
import { aFact, anEffect, inputIdOf, queueIdOf } from '../builders.js';
import { type ContractTests, idsOf, leaseOne, loaded, numbers, open, write } from './world.js';

const id = queueIdOf(1);

export const inbox: ContractTests = {
  'a load from any version returns facts in the order in which they were pushed': async (world) => {
    await open(world);
    await write(world);
    await world.store.push(id, [aFact(3), aFact(1)]);
    await world.store.push(id, [aFact(2)]);
    for (const since of [0, 1, 2]) {
      const delta = await loaded(world, since);
      world.expect([delta.version, delta.inbox]).toEqual([2, [aFact(3), aFact(1), aFact(2)]]);
    }
  },

  'a fact whose id is in the inbox is not added again': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1), aFact(2), aFact(1)]);
    await world.store.push(id, [{ ...aFact(1), type: 'noticed', what: 'branch' }, aFact(3)]);
    world.expect((await loaded(world)).inbox).toEqual([aFact(1), aFact(2), aFact(3)]);
  },

  'a consumed fact can be pushed again': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1)]);
    await write(world, { consumed: [inputIdOf(1)] });
    world.expect((await loaded(world)).inbox).toEqual([]);
    await world.store.push(id, [aFact(1)]);
    world.expect((await loaded(world)).inbox).toEqual([aFact(1)]);
  },

  'a commit removes the facts that it consumes, and no others': async (world) => {
    await open(world);
    await world.store.push(id, [1, 2, 3, 4].map(aFact));
    await write(world, { consumed: [2, 4, 9].map(inputIdOf) });
    world.expect((await loaded(world)).inbox).toEqual([aFact(1), aFact(3)]);
  },

  'a load returns the oldest facts up to the limit, and the next load the rest': async (world) => {
    await open(world);
    const all = numbers(INBOX_PER_LOAD + 3);
    await world.store.push(id, all.map(aFact));
    const first = await loaded(world);
    world.expect(idsOf(first.inbox)).toEqual(all.slice(0, INBOX_PER_LOAD).map(inputIdOf));
    await write(world, { consumed: idsOf(first.inbox) });
    world.expect((await loaded(world)).inbox).toEqual(all.slice(INBOX_PER_LOAD).map(aFact));
  },

  'the same fact can be in the inbox of several queues': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await world.store.push(id, [aFact(1)]);
    await world.store.push(queueIdOf(2), [aFact(1)]);
    await write(world, { consumed: [inputIdOf(1)] });
    world.expect((await loaded(world)).inbox).toEqual([]);
    world.expect((await loaded(world, 0, {}, queueIdOf(2))).inbox).toEqual([aFact(1)]);
  },

  'facts of a settled effect are added once, after the facts already in the inbox': async (world) => {
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    await world.store.push(id, [aFact(1), aFact(2)]);
    world.expect(await world.store.settle(await leaseOne(world), [aFact(3), aFact(1)])).toBe(true);
    world.expect((await loaded(world)).inbox).toEqual([aFact(1), aFact(2), aFact(3)]);
  },

  'pushing no facts does not make a queue due': async (world) => {
    await open(world);
    await world.store.push(id, []);
    world.expect(await world.store.due({ forMs: 1_000, limit: 9 })).toEqual([]);
  },
};
