import { aFact, anEffect, aQueue, inputIdOf, queueIdOf } from '../builders.js';
import { type ContractTests, claim, dueNext, FAR, lease, numbers, open, sorted, write } from './world.js';

const id = queueIdOf(1);
const MINUTE = 60_000;

export const due: ContractTests = {
  'a queue is offered at its wake time, and not before': async (world) => {
    const { store, expect } = world;
    await store.createQueue(aQueue(), (await store.now()) + MINUTE, null);
    expect(await claim(world)).toEqual([]);
    await world.passTime(MINUTE);
    expect(await claim(world)).toEqual([id]);
  },

  'a queue created with the current time as its wake time is offered at once': async (world) => {
    await world.store.createQueue(aQueue(), await world.store.now(), null);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a queue with facts in its inbox is offered at once': async (world) => {
    await open(world);
    await write(world, { wakeAt: null });
    world.expect(await claim(world)).toEqual([]);
    await world.store.push(id, [aFact(1)]);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a claimed queue is offered again only after its claim has expired': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1)]);
    await claim(world);
    world.expect(await claim(world)).toEqual([]);
    await world.passTime(MINUTE / 2);
    world.expect(await claim(world)).toEqual([]);
    await world.passTime(MINUTE / 2);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a claim lasts for the requested time, and no longer': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1)]);
    world.expect(await world.store.due({ forMs: 90_500, limit: 1 })).toEqual([id]);
    await world.passTime(MINUTE);
    world.expect(await claim(world)).toEqual([]);
    await world.passTime(30_500);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a queue claimed at its wake time is offered again if nothing was committed': async (world) => {
    await world.store.createQueue(aQueue(), await world.store.now(), null);
    await claim(world);
    await world.passTime(MINUTE);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a claimed queue is due next when its claim ends': async (world) => {
    const { store, expect } = world;
    await open(world);
    await store.push(id, [aFact(1)]);
    await claim(world);
    const claimEnd = (await store.nextDueAt()) ?? FAR;
    expect([claimEnd > (await store.now()), claimEnd < FAR]).toEqual([true, true]);
    await world.passTime(MINUTE);
    expect(await dueNext(store)).toBe('now');
  },

  'the queue that has been due for longest is claimed first': async (world) => {
    for (const n of [3, 1, 2]) {
      await open(world, { id: queueIdOf(n), branch: `b${n}` });
      await world.passTime(1_000);
    }
    for (const n of [2, 3, 1]) {
      await world.store.push(queueIdOf(n), [aFact(n)]);
      await world.passTime(1_000);
    }
    const claims = [await claim(world, 1), await claim(world, 2)];
    world.expect(claims).toEqual([[queueIdOf(2)], [3, 1].map(queueIdOf)]);
  },

  'a queue with several facts has been due since the first of them': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    for (const [n, fact] of [
      [1, 1],
      [2, 2],
      [1, 3],
    ] as const) {
      await world.store.push(queueIdOf(n), [aFact(fact)]);
      await world.passTime(1_000);
    }
    world.expect(await claim(world, 1)).toEqual([id]);
  },

  'a queue with a wake time and a fact has been due since the earlier of the two': async (world) => {
    const { store } = world;
    const inASecond = (await store.now()) + 1_000;
    await store.createQueue(aQueue(), inASecond, null);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await world.passTime(2_000);
    await store.push(queueIdOf(2), [aFact(2)]);
    await world.passTime(1_000);
    await store.push(id, [aFact(1)]);
    world.expect([await claim(world, 1), await claim(world, 1)]).toEqual([[id], [queueIdOf(2)]]);
  },

  'a queue whose claim expired is offered after queues that became due meanwhile': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await world.store.push(id, [aFact(1)]);
    world.expect(await claim(world, 1)).toEqual([id]);
    await world.passTime(1_000);
    await world.store.push(queueIdOf(2), [aFact(2)]);
    await world.passTime(MINUTE);
    world.expect([await claim(world, 1), await claim(world, 1)]).toEqual([[queueIdOf(2)], [id]]);
  },

  'a fact pushed to a claimed queue does not end the claim': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1)]);
    await claim(world);
    await world.store.push(id, [aFact(2)]);
    world.expect(await claim(world)).toEqual([]);
    await world.passTime(MINUTE);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a commit ends the claim, and its wake time applies': async (world) => {
    const { store, expect } = world;
    await open(world);
    await store.push(id, [aFact(1)]);
    await claim(world);
    await write(world, { consumed: [inputIdOf(1)], wakeAt: (await store.now()) + MINUTE / 2 });
    expect(await claim(world)).toEqual([]);
    await world.passTime(MINUTE / 2);
    expect(await claim(world)).toEqual([id]);
  },

  'a commit ends the claim, and a queue with a new fact is offered at once': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1)]);
    await claim(world);
    await write(world, { consumed: [inputIdOf(1)] });
    await world.store.push(id, [aFact(2)]);
    world.expect(await claim(world)).toEqual([id]);
  },

  'a commit that leaves facts in the inbox leaves its queue due': async (world) => {
    await open(world);
    await world.store.push(id, [aFact(1), aFact(2)]);
    await claim(world);
    await write(world, { consumed: [inputIdOf(1)] });
    world.expect(await claim(world)).toEqual([id]);
  },

  'a commit can postpone or remove the wake time': async (world) => {
    const { store, expect } = world;
    await store.createQueue(aQueue(), await store.now(), null);
    await write(world, { wakeAt: FAR });
    expect(await claim(world)).toEqual([]);
    expect(await store.nextDueAt()).toBe(FAR);
    await write(world, { wakeAt: null });
    expect(await store.nextDueAt()).toBe(null);
    await world.passTime(MINUTE);
    expect(await claim(world)).toEqual([]);
  },

  'at most the requested number of queues is claimed, and none twice': async (world) => {
    for (const n of numbers(5)) {
      await open(world, { id: queueIdOf(n), branch: `b${n}` });
      await world.store.push(queueIdOf(n), [aFact(n)]);
    }
    const claims = [
      await claim(world, 2),
      await claim(world, 2),
      await claim(world, 2),
      await claim(world, 2),
    ];
    world.expect(claims.map(({ length }) => length)).toEqual([2, 2, 1, 0]);
    world.expect(sorted(claims.flat())).toEqual(numbers(5).map(queueIdOf));
  },

  'nothing is due in an empty store': async (world) => {
    world.expect(await world.store.nextDueAt()).toBe(null);
    world.expect(await claim(world)).toEqual([]);
    world.expect(await lease(world)).toEqual([]);
  },

  'the next due time is the earliest of all wake times, leases, effects and facts': async (world) => {
    const { store, expect } = world;
    const wakeAt = (await store.now()) + 10 * MINUTE;
    await open(world);
    await write(world, { wakeAt });
    await open(world, { id: queueIdOf(2), branch: 'next' });
    expect(await store.nextDueAt()).toBe(wakeAt);
    await write(world, { effects: [anEffect(1)], wakeAt });
    expect(await dueNext(store)).toBe('now');
    const [held] = await lease(world);
    const leaseEnd = (await store.nextDueAt()) ?? FAR;
    expect(leaseEnd > (await store.now()) && leaseEnd < wakeAt).toBe(true);
    if (held !== undefined) await store.settle(held, []);
    expect(await store.nextDueAt()).toBe(wakeAt);
    await store.push(id, [aFact(1)]);
    expect(await dueNext(store)).toBe('now');
  },
};
