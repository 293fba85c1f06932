import { aFact, anEffect, aRepo, effectIdOf, queueIdOf } from '../builders.js';
import {
  type ContractTests,
  claim,
  lease,
  leaseOne,
  loaded,
  numbers,
  open,
  sorted,
  type World,
  write,
} from './world.js';

const begin = async (world: World, count = 1): Promise<void> => {
  await open(world);
  await write(world, { effects: numbers(count).map(anEffect) });
};

export const effects: ContractTests = {
  'an effect is leased with its queue and its repository': async (world) => {
    await begin(world);
    const { token, ...rest } = await leaseOne(world);
    world.expect(rest).toEqual({ queueId: queueIdOf(1), repo: aRepo, effect: anEffect(1), tries: 1 });
    world.expect(token.length > 0).toBe(true);
  },

  'effects of several repositories are each leased with their own repository': async (world) => {
    const repos = ['gadgets', 'widgets', 'engines'].map((name) => ({ ...aRepo, name }));
    for (const [at, repo] of repos.entries()) {
      await open(world, { id: queueIdOf(at + 1), repo });
      await write(world, { queueId: queueIdOf(at + 1), effects: [anEffect(at + 1)] });
    }
    const offered = (await lease(world)).map(({ queueId, repo }) => [queueId, repo.name]);
    world.expect(offered).toEqual(repos.map(({ name }, at) => [queueIdOf(at + 1), name]));
  },

  'effects are leased oldest first, at most as many as requested': async (world) => {
    await begin(world, 3);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await world.passTime(1);
    await write(world, { queueId: queueIdOf(2), effects: [anEffect(9), anEffect(8)] });
    await world.passTime(1);
    await write(world, { effects: [anEffect(7)] });
    const offers = [
      await lease(world, 2),
      await lease(world, 3),
      await lease(world, 3),
      await lease(world, 3),
    ];
    world
      .expect(offers.map((offer) => offer.map(({ effect }) => effect.id)))
      .toEqual([[1, 2].map(effectIdOf), [3, 9, 8].map(effectIdOf), [effectIdOf(7)], []]);
  },

  'a postponed effect is leased after effects that became due before it': async (world) => {
    const { store, expect } = world;
    await begin(world);
    await store.postpone(await leaseOne(world), 60_000, 'unreachable');
    await world.passTime(1_000);
    await write(world, { effects: [anEffect(2)] });
    await world.passTime(59_000);
    expect((await lease(world, 1)).map(({ effect }) => effect)).toEqual([anEffect(2)]);
    expect((await lease(world, 1)).map(({ effect }) => effect)).toEqual([anEffect(1)]);
  },

  'an effect whose lease expired is leased after effects that became due meanwhile': async (world) => {
    await begin(world);
    await leaseOne(world);
    await world.passTime(1_000);
    await write(world, { effects: [anEffect(2)] });
    await world.passTime(60_000);
    const offers = [await leaseOne(world), await leaseOne(world)];
    world.expect(offers.map(({ effect }) => effect)).toEqual([anEffect(2), anEffect(1)]);
  },

  'a lease lasts for the requested time, and no longer': async (world) => {
    await begin(world);
    const [held] = await world.store.lease({ owner: 'performer', forMs: 90_500, limit: 1 });
    world.expect(held?.effect).toEqual(anEffect(1));
    await world.passTime(60_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_500);
    world.expect((await leaseOne(world)).tries).toBe(2);
  },

  'a leased effect is leased again only after its lease has expired': async (world) => {
    await begin(world);
    const first = await leaseOne(world);
    await world.passTime(30_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_000);
    const second = await leaseOne(world);
    world.expect([second.effect, second.tries]).toEqual([anEffect(1), 2]);
    world.expect(second.token === first.token).toBe(false);
  },

  'a renewed lease keeps its token, and other leases are not renewed': async (world) => {
    const { store, expect } = world;
    await begin(world, 2);
    const [renewed, other] = await lease(world);
    if (renewed === undefined || other === undefined) throw new Error('Expected two leases.');
    await world.passTime(30_000);
    await store.renew([renewed], 60_000);
    await world.passTime(30_000);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([other.effect]);
    expect(await store.settle(renewed, [aFact(1)])).toBe(true);
    expect(await store.settle(other, [])).toBe(false);
  },

  'a renewed lease expires after its new time': async (world) => {
    await begin(world);
    const held = await world.store.lease({ owner: 'performer', forMs: 600_000, limit: 1 });
    await world.store.renew(held, 90_500);
    await world.passTime(60_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_500);
    world.expect((await leaseOne(world)).tries).toBe(2);
  },

  'an expired lease is renewed if the effect was not leased again': async (world) => {
    await begin(world);
    const held = await leaseOne(world);
    await world.passTime(120_000);
    await world.store.renew([held], 60_000);
    world.expect(await lease(world)).toEqual([]);
    world.expect(await world.store.settle(held, [])).toBe(true);
  },

  'a lease that was lost, postponed or settled is not renewed': async (world) => {
    const { store, expect } = world;
    await begin(world, 3);
    const [lost, idle, done] = await lease(world);
    if (lost === undefined || idle === undefined || done === undefined)
      throw new Error('Expected three leases.');
    await store.postpone(idle, 1_000, 'unreachable');
    await store.settle(done, []);
    await world.passTime(60_000);
    const taken = await lease(world);
    expect(sorted(taken.map(({ effect }) => effect.id))).toEqual([lost.effect.id, idle.effect.id]);
    await store.renew([lost, idle, done], 600_000);
    await world.passTime(60_000);
    const again = await lease(world);
    expect(sorted(again.map(({ effect }) => effect.id))).toEqual([lost.effect.id, idle.effect.id]);
    expect(await store.settle(lost, [aFact(1)])).toBe(false);
  },

  'leases are renewed even if others in the same call were lost': async (world) => {
    await begin(world, 3);
    const held = await lease(world);
    await world.store.settle(held[0] ?? (await leaseOne(world)), []);
    await world.store.postpone(held[2] ?? (await leaseOne(world)), 60_000, 'unreachable');
    await world.passTime(30_000);
    await world.store.renew([...held, ...held].slice(0, 5), 60_000);
    await world.passTime(30_000);
    world.expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(3)]);
  },

  'renewing an empty list of leases is not an error': async (world) => {
    await begin(world);
    await world.store.renew([], 60_000);
    world.expect((await leaseOne(world)).tries).toBe(1);
  },

  'settling removes the effect and adds its facts to the inbox': async (world) => {
    const { store, expect } = world;
    await begin(world, 2);
    expect(await store.settle(await leaseOne(world), [aFact(1), aFact(2)])).toBe(true);
    expect((await loaded(world)).inbox).toEqual([aFact(1), aFact(2)]);
    expect(await claim(world)).toEqual([queueIdOf(1)]);
    await world.passTime(120_000);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(2)]);
  },

  'settling does not increment the version': async (world) => {
    await begin(world);
    await world.store.settle(await leaseOne(world), [aFact(1)]);
    world.expect((await loaded(world)).version).toBe(2);
  },

  'an effect settles once': async (world) => {
    await begin(world);
    const held = await leaseOne(world);
    await world.store.settle(held, []);
    world.expect(await world.store.settle(held, [aFact(1)])).toBe(false);
    world.expect(await world.store.postpone(held, 0, 'too late')).toBe(false);
    world.expect((await loaded(world)).inbox).toEqual([]);
    world.expect(await lease(world)).toEqual([]);
  },

  'a lease that was lost to another one settles nothing': async (world) => {
    const { store, expect } = world;
    await begin(world);
    const lost = await leaseOne(world);
    await world.passTime(60_000);
    const last = await leaseOne(world);
    expect(await store.settle(lost, [aFact(1)])).toBe(false);
    expect((await loaded(world)).inbox).toEqual([]);
    expect(await store.settle(last, [aFact(2)])).toBe(true);
    expect((await loaded(world)).inbox).toEqual([aFact(2)]);
  },

  'a lease that was lost to another one postpones nothing': async (world) => {
    const { store, expect } = world;
    await begin(world);
    const lost = await leaseOne(world);
    await world.passTime(60_000);
    const last = await leaseOne(world);
    expect(await store.postpone(lost, 0, 'too late')).toBe(false);
    expect(await lease(world)).toEqual([]);
    expect(await store.settle(last, [])).toBe(true);
  },

  'an expired lease settles its effect if that was not leased again': async (world) => {
    await begin(world);
    const held = await leaseOne(world);
    await world.passTime(120_000);
    world.expect(await world.store.settle(held, [aFact(1)])).toBe(true);
    world.expect(await lease(world)).toEqual([]);
  },

  'a postponed effect is leased again after the delay, and not before': async (world) => {
    const { store, expect } = world;
    await begin(world);
    const held = await leaseOne(world);
    expect(await store.postpone(held, 300_000, 'unreachable')).toBe(true);
    await world.passTime(270_000);
    expect(await lease(world)).toEqual([]);
    await world.passTime(30_000);
    expect((await leaseOne(world)).tries).toBe(2);
  },

  'an effect postponed by 0 ms can be leased at once': async (world) => {
    await begin(world);
    await world.store.postpone(await leaseOne(world), 0, 'once more');
    world.expect((await leaseOne(world)).tries).toBe(2);
  },

  'a lease settles nothing after its effect was postponed': async (world) => {
    await begin(world);
    const held = await leaseOne(world);
    await world.store.postpone(held, 1_000, 'unreachable');
    world.expect(await world.store.settle(held, [aFact(1)])).toBe(false);
    world.expect(await world.store.postpone(held, 0, 'again')).toBe(false);
    world.expect((await loaded(world)).inbox).toEqual([]);
    await world.passTime(1_000);
    world.expect((await leaseOne(world)).effect).toEqual(anEffect(1));
  },

  'the lease of one effect does not settle another': async (world) => {
    await begin(world, 2);
    const [first, second] = await lease(world);
    if (first === undefined || second === undefined) throw new Error('Expected two leases.');
    const forged = { ...first, effect: second.effect };
    world.expect(await world.store.settle(forged, [aFact(1)])).toBe(false);
    world.expect((await loaded(world)).inbox).toEqual([]);
    world.expect(await world.store.settle(second, [])).toBe(true);
  },

  'a lease is identified by its effect and token only': async (world) => {
    const { store, expect } = world;
    await begin(world, 2);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const [first, second] = (await lease(world)).map((held) => ({
      ...held,
      queueId: queueIdOf(2),
      tries: 9,
    }));
    if (first === undefined || second === undefined) throw new Error('Expected two leases.');
    expect(await store.settle(first, [aFact(1)])).toBe(true);
    expect(await store.postpone(second, 60_000, 'unreachable')).toBe(true);
    expect((await loaded(world)).inbox).toEqual([aFact(1)]);
    expect((await loaded(world, 0, {}, queueIdOf(2))).inbox).toEqual([]);
  },

  'a commit with an effect id that exists already rejects, and writes nothing': async (world) => {
    await begin(world);
    const again = await write(world, { effects: [anEffect(2), anEffect(1)] }).catch(() => 'rejected');
    world.expect(again).toBe('rejected');
    world.expect((await loaded(world)).version).toBe(2);
    world.expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(1)]);
  },
};
