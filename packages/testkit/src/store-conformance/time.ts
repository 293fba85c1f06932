import { aFact, anEffect, queueIdOf } from '../builders.js';
import {
  type ContractTests,
  claim,
  lease,
  leaseOne,
  loaded,
  open,
  sorted,
  tryToWrite,
  write,
} from './world.js';

const id = queueIdOf(1);
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** The store uses only its own clock: the suite runs on another clock, which falls further behind with each wait. */
export const time: ContractTests = {
  'a load and a commit return the time of the store': async (world) => {
    const { store, expect } = world;
    await open(world);
    for (const _ of ['at first', 'an hour later']) {
      const before = await store.now();
      const delta = await loaded(world);
      const outcome = await tryToWrite(world);
      const after = await store.now();
      const times = [delta.now, outcome.kind === 'committed' ? outcome.now : 0];
      expect(times.map((now) => now >= before && now <= after)).toEqual([true, true]);
      await world.passTime(HOUR);
    }
  },

  'time does not go back when the clock is set back, in every process and after a restart': async (world) => {
    if (world.setBack === undefined) return;
    const there = (await world.another?.()) ?? world.store;
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    const times = [await there.now()];
    const held = await leaseOne(world);
    await world.setBack(HOUR);
    times.push(await world.store.now(), (await loaded(world)).now, await there.now());
    world.expect(await lease(world)).toEqual([]);
    world.expect(await world.store.settle(held, [])).toBe(true);
    if (world.another !== undefined) {
      await Promise.all([world.store.close(), there.close()]);
      times.push(await (await world.another()).now());
    }
    world.expect(times).toEqual(sorted(times));
  },

  'claims, leases and postponements last for the requested time, however much time passed before': async (
    world,
  ) => {
    const { store, expect } = world;
    await open(world);
    await world.passTime(HOUR);
    await store.push(id, [aFact(1)]);
    const handOver = { owner: 'performer', forMs: MINUTE, limit: 1 };
    await write(world, { effects: [1, 2, 3, 4].map(anEffect), handOver });
    const [renewed, putOff] = [await leaseOne(world), await leaseOne(world)];
    await leaseOne(world);
    await store.renew([renewed], MINUTE);
    await store.postpone(putOff, MINUTE, 'unreachable');
    const held = async () => [(await claim(world)).length, (await lease(world)).length];
    expect(await claim(world)).toEqual([id]);
    await world.passTime(MINUTE / 2);
    expect(await held()).toEqual([0, 0]);
    await world.passTime(MINUTE / 2);
    expect(await held()).toEqual([1, 4]);
  },

  'an effect whose lease expired is leased before effects that were written later': async (world) => {
    await open(world);
    await world.passTime(HOUR);
    await write(world, { effects: [anEffect(1)] });
    await leaseOne(world);
    await world.passTime(MINUTE + 1_000);
    await write(world, { effects: [anEffect(2)] });
    await world.passTime(1_000);
    const offers = [await leaseOne(world), await leaseOne(world)];
    world.expect(offers.map(({ effect }) => effect)).toEqual([anEffect(1), anEffect(2)]);
  },

  'a queue whose claim expired is offered before queues that became due later': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await world.passTime(HOUR);
    await world.store.push(id, [aFact(1)]);
    world.expect(await claim(world)).toEqual([id]);
    await world.passTime(MINUTE + 1_000);
    await world.store.push(queueIdOf(2), [aFact(2)]);
    await world.passTime(1_000);
    world.expect([await claim(world, 1), await claim(world, 1)]).toEqual([[id], [queueIdOf(2)]]);
  },
};
