import type { Lease, Store } from '@mq/core';
import {
  aCommit,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aRepo,
  aRun,
  aSubmission,
  aVerdict,
  commitIdOf,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
} from '../builders.js';
import { aReceipt } from '../receipt-builders.js';
import {
  type ContractTests,
  claim,
  dueNext,
  FAR,
  givenToMany,
  lease,
  leaseOne,
  loaded,
  noRecall,
  numbers,
  open,
  sorted,
  type World,
  write,
} from './world.js';

const id = queueIdOf(1);

/** The store as opened by two processes; the same store twice if only one process can open it. */
const twoProcesses = async (world: World): Promise<readonly [here: World, there: World]> => {
  const store = (await world.another?.()) ?? world.store;
  return [world, { ...world, store }];
};

const only = (leases: readonly Lease[]): Lease => {
  const [first, ...more] = leases;
  if (first === undefined || more.length > 0) throw new Error(`Expected one lease, found ${leases.length}.`);
  return first;
};

/** Everything that can be read, except by a load. */
const readable = async (store: Store) => ({
  queues: (await store.queues({ limit: 9 })).items,
  answers: await store.answers([inputIdOf(1)]),
  submissions: (await store.submissions({ queueId: id, limit: 9 })).items,
  run: await store.run(id, runIdOf(1)),
  verdicts: await store.verdicts(aRepo, shaOf(1, 'd')),
  history: (await store.history({ queueIds: [id], order: 'oldest_first', limit: 9 })).items,
  receipts: (await store.receipts({ queueId: id, limit: 9 })).items,
  dueNext: await dueNext(store),
});

const everything = {
  id: commitIdOf(1),
  recallable: true,
  writes: someWrites({
    queue: aQueue({ lastPlace: 3 }),
    submissions: [aSubmission(1)],
    runs: [aRun(1)],
    verdicts: [aVerdict()],
    history: [aMove(1)],
    receipts: [aReceipt()],
  }),
  answers: [anAnswer(1)],
  wakeAt: FAR,
};

/** Several processes on the same data, each with its own store object. */
export const processes: ContractTests = {
  'what one process writes is read by another at once, even if that one read before': async (world) => {
    const [here, there] = await twoProcesses(world);
    await open(here);
    await loaded(there);
    await readable(there.store);
    for (const [writer, reader, version] of [
      [here, there, 2],
      [there, here, 3],
    ] as const) {
      const lastPlace = 10 * version;
      const writes = { ...everything.writes, queue: aQueue({ lastPlace }), history: [], receipts: [] };
      await write(writer, version === 2 ? everything : { ...everything, id: commitIdOf(2), writes });
      await writer.store.push(id, [aFact(version)]);
      const commits = [commitIdOf(version - 1)];
      const [written, read] = [
        await loaded(writer, 1, { prs: [1], commits }),
        await loaded(reader, 1, { prs: [1], commits }),
      ];
      world.expect(read).toEqual({ ...written, now: read.now });
      world.expect([read.version, read.recalled.commits]).toEqual([version, commits]);
      world.expect(await readable(reader.store)).toEqual(await readable(writer.store));
    }
  },

  'every process reads a whole test run although a part of it stays the same object in several commits':
    async (world) => {
      const [here, there] = await twoProcesses(world);
      await open(here);
      const { incarnation } = await loaded(here);
      const built = aRun(1);
      const asGiven = [
        built,
        { ...built, state: 'ended' as const },
        { ...built, state: 'ended' as const, landed: [9] },
      ];
      for (const [at, run] of asGiven.entries()) {
        const expected = at + 1;
        const writes = someWrites({ runs: [run] });
        await here.store.commit(
          aCommit({ id: commitIdOf(expected), expected, incarnation, wakeAt: FAR, writes }),
        );
        world.expect((await loaded(there)).runs).toEqual([run]);
        world.expect(await there.store.run(queueIdOf(1), run.id)).toEqual(run);
      }
    },

  'a commit is a conflict if another process committed since the load': async (world) => {
    const [here, there] = await twoProcesses(world);
    await open(here);
    const [{ incarnation }, same] = [await loaded(here), await loaded(there)];
    world.expect(same.incarnation).toBe(incarnation);
    const decided = (n: number) => aCommit({ id: commitIdOf(n), expected: 1, incarnation, wakeAt: FAR });
    world.expect((await there.store.commit(decided(1))).kind).toBe('committed');
    world.expect(await here.store.commit(decided(2))).toEqual({ kind: 'conflict' });
  },

  'an effect leased by one process is leased to another only after expiry, and the old lease then fails':
    async (world) => {
      const [here, there] = await twoProcesses(world);
      await open(here);
      await write(here, { effects: [anEffect(1), anEffect(2)] });
      const held = await lease(here);
      world.expect(await lease(there)).toEqual([]);
      await world.passTime(60_000);
      const [first, second] = await lease(there);
      if (first === undefined || second === undefined) throw new Error('Expected two leases.');
      const lost = { kind: 'lost', effects: held.map(({ effect }) => effect.id) };
      world.expect(await here.store.commit(aCommit({ expected: 2, settled: held }))).toEqual(lost);
      for (const one of held) world.expect(await here.store.settle(one, [])).toBe(false);
      world.expect(await there.store.settle(first, [])).toBe(true);
      await write(there, { settled: [second] });
      await world.passTime(60_000);
      world.expect(await lease(here)).toEqual([]);
    },

  'a lease can be renewed, postponed and settled from any process': async (world) => {
    const [here, there] = await twoProcesses(world);
    await open(here);
    await write(here, { effects: [anEffect(1)] });
    const held = await leaseOne(here);
    await there.store.renew([held], 120_000);
    await world.passTime(60_000);
    world.expect(await lease(here)).toEqual([]);
    world.expect(await there.store.postpone(held, 0, 'unreachable')).toBe(true);
    world.expect(await here.store.settle(held, [])).toBe(false);
    const again = only(await lease(here));
    world.expect(again.tries).toBe(2);
    world.expect(await there.store.settle(again, [aFact(1)])).toBe(true);
    world.expect((await loaded(here)).inbox).toEqual([aFact(1)]);
  },

  'a queue claimed by one process is not offered to another until a commit': async (world) => {
    const [here, there] = await twoProcesses(world);
    await open(here);
    await here.store.push(id, [aFact(1), aFact(2)]);
    world.expect(await claim(here)).toEqual([id]);
    world.expect(await claim(there)).toEqual([]);
    world.expect(await there.store.nextDueAt()).toBe(await here.store.nextDueAt());
    await write(there, { consumed: [inputIdOf(1)] });
    world.expect(await claim(here)).toEqual([id]);
  },

  'facts and effects of several processes keep the order in which they were written': async (world) => {
    const [here, there] = await twoProcesses(world);
    await open(here);
    for (const n of numbers(6)) {
      const at = n % 2 === 0 ? here : there;
      await at.store.push(id, [aFact(n), aFact(1)]);
      await write(at, { effects: [anEffect(10 - n)] });
    }
    for (const at of [here, there]) world.expect((await loaded(at)).inbox).toEqual(numbers(6).map(aFact));
    const offered = (await lease(there)).map(({ effect }) => effect);
    world.expect(offered).toEqual(numbers(6).map((n) => anEffect(10 - n)));
  },

  'concurrent commits, leases and claims in several processes each have one winner': async (world) => {
    const [here, there] = await twoProcesses(world);
    const at = (n: number) => (n % 2 === 0 ? here : there);
    await open(here);
    await write(here, { effects: numbers(9).map(anEffect) });
    await here.store.push(id, [aFact(1)]);
    world.expect(await givenToMany((n) => claim(at(n)))).toEqual([id]);
    const leases = await givenToMany((n) => lease(at(n), 2));
    world.expect(sorted(leases.map(({ effect }) => effect.id))).toEqual(numbers(9).map(effectIdOf));
    const twenty = numbers(20);
    const commits = await Promise.all(
      twenty.map((n) => at(n).store.commit(aCommit({ id: commitIdOf(n), expected: 2, wakeAt: FAR }))),
    );
    world.expect(commits.filter(({ kind }) => kind === 'committed').length).toBe(1);
    const created = await Promise.all(
      twenty.map((n) => at(n).store.createQueue(aQueue({ id: queueIdOf(9 + n), branch: 'next' }), FAR, null)),
    );
    world.expect(created.filter((outcome) => outcome === 'created').length).toBe(1);
  },

  'time never goes back from one process to another': async (world) => {
    const [here, there] = await twoProcesses(world);
    const times: number[] = [];
    for (const n of numbers(6)) {
      times.push(await (n % 2 === 0 ? here : there).store.now());
      await world.passTime(n);
    }
    world.expect(times).toEqual(sorted(times));
  },

  'a commit decided before a backup was restored is a conflict, even at the same version': async (world) => {
    if (world.backUp === undefined) return;
    await open(world);
    const restore = await world.backUp();
    await write(world);
    const { version, incarnation } = await loaded(world);
    await world.store.close();
    const later = { ...world, store: await restore() };
    await write(later, { writes: someWrites({ submissions: [aSubmission(1)] }) });
    const left = await loaded(later);
    world.expect([left.version, left.incarnation === incarnation]).toEqual([version, false]);
    const decided = aCommit({ id: commitIdOf(9), expected: version, incarnation, wakeAt: FAR });
    world.expect(await later.store.commit(decided)).toEqual({ kind: 'conflict' });
    world.expect((await loaded(later)).submissions).toEqual([aSubmission(1)]);
  },

  'a process that starts after all others have closed finds everything unchanged': async (world) => {
    const { another } = world;
    if (another === undefined) return;
    const here = { ...world, store: await another() };
    await open(here);
    await write(here, { ...everything, effects: [anEffect(1), anEffect(2)] });
    const held = await leaseOne(here);
    await here.store.push(id, [aFact(1)]);
    await claim(here);
    const [delta, before] = [await loaded(here, 1), await readable(here.store)];
    await Promise.all([here.store.close(), world.store.close()]);
    const store = await another();
    const [left, there] = [await store.load(id, 1, noRecall), { ...world, store }];
    world.expect(left).toEqual({ ...delta, incarnation: left?.incarnation, now: left?.now });
    world.expect((left?.now ?? 0) >= delta.now).toBe(true);
    world.expect(await readable(store)).toEqual(before);
    world.expect(await claim(there)).toEqual([]);
    world.expect(only(await lease(there)).effect).toEqual(anEffect(2));
    world.expect(await store.settle(held, [])).toBe(true);
  },

  'a process that closes loses nothing for the others, and a later one finds everything': async (world) => {
    if (world.another === undefined) return;
    const [here, there] = await twoProcesses(world);
    await open(there);
    await there.store.push(id, [aFact(1)]);
    await write(there, { ...everything, effects: [anEffect(1), anEffect(2)] });
    const held = await leaseOne(there);
    await claim(there);
    const [delta, before] = [await loaded(there, 1), await readable(there.store)];
    await there.store.close();
    const later = { ...world, store: await world.another() };
    for (const { store } of [here, later]) {
      const left = await store.load(id, 1, noRecall);
      world.expect(left).toEqual({ ...delta, now: left?.now });
      world.expect(await readable(store)).toEqual(before);
    }
    world.expect(await claim(later)).toEqual([]);
    world.expect(only(await lease(later)).effect).toEqual(anEffect(2));
    world.expect(await later.store.settle(held, [])).toBe(true);
  },
};
