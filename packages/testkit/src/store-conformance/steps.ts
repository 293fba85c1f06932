import type { CommitOutcome, Lease } from '@mq/core';
import {
  aCommit,
  aFact,
  anEffect,
  aSubmission,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import {
  claim,
  FAR,
  lease,
  leaseOne,
  loaded,
  numbers,
  open,
  type Promises,
  tryToWrite,
  type World,
  write,
} from './world.js';

const handOver = { owner: 'performer', forMs: 60_000, limit: 2 };

const leasesOf = (outcome: CommitOutcome): readonly Lease[] =>
  outcome.kind === 'committed' ? outcome.leases : [];

/** Wishes that a commit handed over. */
const handedOver = async (world: World, count: number): Promise<readonly Lease[]> => {
  await open(world);
  return leasesOf(await tryToWrite(world, { effects: numbers(count).map(anEffect), handOver }));
};

const one = (leases: readonly Lease[]): Lease => {
  const [first] = leases;
  if (first === undefined) throw new Error('nothing was handed over');
  return first;
};

/** Commits that settle what was carried out, and hand over what is next. */
export const steps: Promises = {
  'a commit that hands over gives its first wishes to who asks, and offers the others': async (world) => {
    const leases = await handedOver(world, 3);
    world
      .expect(leases.map(({ queueId, effect, tries }) => [queueId, effect, tries]))
      .toEqual([1, 2].map((n) => [queueIdOf(1), anEffect(n), 1]));
    world.expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(3)]);
    world.expect(new Set(leases.map(({ token }) => token)).size).toBe(2);
  },

  'what was handed over names the repository of its queue': async (world) => {
    const { repo } = one(await handedOver(world, 1));
    world.expect(repo).toEqual((await loaded(world)).queue.repo);
  },

  'a commit without wishes hands nothing over, and one that hands over none offers all': async (world) => {
    await open(world);
    world.expect(leasesOf(await tryToWrite(world, { handOver }))).toEqual([]);
    const none = await tryToWrite(world, { effects: [anEffect(1)], handOver: { ...handOver, limit: 0 } });
    world.expect(leasesOf(none)).toEqual([]);
    world.expect((await leaseOne(world)).effect).toEqual(anEffect(1));
  },

  'what was handed over is offered to others when the lease has run out, and fenced then': async (world) => {
    const held = one(await handedOver(world, 1));
    await world.passTime(30_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_000);
    world.expect((await leaseOne(world)).tries).toBe(2);
    world.expect(await world.store.settle(held, [])).toBe(false);
  },

  'what was handed over is held for as long as was asked, no longer': async (world) => {
    await open(world);
    await tryToWrite(world, { effects: [anEffect(1)], handOver: { ...handOver, forMs: 90_500 } });
    await world.passTime(60_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_500);
    world.expect((await leaseOne(world)).tries).toBe(2);
  },

  'what was handed over is renewed, postponed and settled like any lease': async (world) => {
    const { store, expect } = world;
    const [first, second] = await handedOver(world, 2);
    if (first === undefined || second === undefined) throw new Error('two were handed over');
    await store.renew([first], 600_000);
    expect(await store.postpone(second, 30_000, 'unreachable')).toBe(true);
    await world.passTime(60_000);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([second.effect]);
    expect(await store.settle(first, [aFact(1)])).toBe(true);
  },

  'a wish that was handed over is not taken back': async (world) => {
    await handedOver(world, 1);
    world
      .expect(await tryToWrite(world, { withdraw: [effectIdOf(1)] }))
      .toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  },

  'a commit settles what was carried out, and nothing of it comes into the inbox': async (world) => {
    const { store, expect } = world;
    const held = await handedOver(world, 2);
    const outcome = await tryToWrite(world, { settled: held, effects: [anEffect(3)], handOver });
    expect(leasesOf(outcome).map(({ effect }) => effect)).toEqual([anEffect(3)]);
    expect((await loaded(world)).inbox).toEqual([]);
    for (const lease of held) expect(await store.settle(lease, [aFact(1)])).toBe(false);
    await world.passTime(120_000);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(3)]);
  },

  'a commit whose lease was lost leaves no trace, and says which': async (world) => {
    const { store, expect } = world;
    const held = await handedOver(world, 2);
    await world.passTime(60_000);
    const [taken] = await lease(world, 1);
    const settling = { settled: held, effects: [anEffect(3)], consumed: [inputIdOf(9)], handOver };
    await store.push(queueIdOf(1), [aFact(9)]);
    expect(await tryToWrite(world, settling)).toEqual({ kind: 'lost', effects: [one(held).effect.id] });
    const { version, inbox } = await loaded(world);
    expect([version, inbox]).toEqual([2, [aFact(9)]]);
    expect(taken !== undefined && (await store.settle(taken, []))).toBe(true);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(2)]);
  },

  'every lease that was lost is named, before any wish that cannot be taken back': async (world) => {
    const held = await handedOver(world, 3);
    const more = await lease(world);
    await world.passTime(60_000);
    await lease(world);
    const outcome = await tryToWrite(world, { settled: [...held, ...more], withdraw: [effectIdOf(1)] });
    world
      .expect(outcome.kind === 'lost' ? [...outcome.effects].sort() : outcome)
      .toEqual(numbers(3).map(effectIdOf));
  },

  'a commit that is too late says so before it speaks of leases': async (world) => {
    const held = await handedOver(world, 1);
    await world.passTime(60_000);
    await lease(world);
    world.expect(await tryToWrite(world, { expected: 1, settled: held })).toEqual({ kind: 'conflict' });
  },

  'a commit that is refused does not end the claim': async (world) => {
    await open(world);
    await write(world, { effects: [anEffect(1)], writes: someWrites({ submissions: [aSubmission(1)] }) });
    const held = await leaseOne(world);
    await world.store.push(queueIdOf(1), [aFact(1)]);
    await claim(world);
    const refusals = [
      await tryToWrite(world, { expected: 1 }),
      await tryToWrite(world, { incarnation: 'another' }),
      await tryToWrite(world, { absent: { prs: [1], inputIds: [] } }),
      await tryToWrite(world, { settled: [{ ...held, token: 'forged' }] }),
      await tryToWrite(world, { withdraw: [effectIdOf(1)] }),
    ];
    world
      .expect(refusals.map(({ kind }) => kind))
      .toEqual(['conflict', 'conflict', 'present', 'lost', 'under_way']);
    world.expect(await claim(world)).toEqual([]);
  },

  'a lease that ran out is settled by a commit as long as nobody else took the wish': async (world) => {
    const held = await handedOver(world, 1);
    await world.passTime(120_000);
    world.expect((await tryToWrite(world, { settled: held })).kind).toBe('committed');
    world.expect(await lease(world)).toEqual([]);
  },

  'a lease of another queue is not settled, nor is one with a forged token': async (world) => {
    const held = one(await handedOver(world, 1));
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const lost = { kind: 'lost', effects: [held.effect.id] };
    world.expect(await tryToWrite(world, { queueId: queueIdOf(2), settled: [held] })).toEqual(lost);
    world
      .expect(
        await tryToWrite(world, { queueId: queueIdOf(2), settled: [{ ...held, queueId: queueIdOf(2) }] }),
      )
      .toEqual(lost);
    world.expect(await tryToWrite(world, { settled: [{ ...held, token: 'forged' }] })).toEqual(lost);
    world.expect(await world.store.settle(held, [])).toBe(true);
  },

  'a lease is settled by what the store knows of its wish, whatever else it says': async (world) => {
    const held = one(await handedOver(world, 1));
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { settled: [{ ...held, queueId: queueIdOf(2), tries: 9 }] });
    world.expect(await world.store.settle(held, [])).toBe(false);
  },

  'a commit at a version that has passed settles nothing': async (world) => {
    const held = await handedOver(world, 1);
    await write(world);
    const stale = aCommit({ expected: 2, settled: held, effects: [anEffect(2)], handOver });
    world.expect(await world.store.commit(stale)).toEqual({ kind: 'conflict' });
    world.expect(await world.store.settle(one(held), [])).toBe(true);
    world.expect(await lease(world)).toEqual([]);
  },

  'a commit says what time it is, which never goes back': async (world) => {
    await open(world);
    const before = await world.store.now();
    const outcome = await tryToWrite(world);
    const after = await world.store.now();
    const at = outcome.kind === 'committed' ? outcome.now : Number.NaN;
    world.expect([at >= before, at <= after]).toEqual([true, true]);
  },

  'facts that wait stay due whatever a commit settles': async (world) => {
    const held = await handedOver(world, 1);
    await world.store.push(queueIdOf(1), [aFact(1)]);
    await write(world, { settled: held, wakeAt: FAR });
    world.expect(await claim(world)).toEqual([queueIdOf(1)]);
  },

  'a wish is settled by one of many commits, settlings and postponements at once': async (world) => {
    const { store, expect } = world;
    await open(world);
    for (const round of numbers(10)) {
      const made = await tryToWrite(world, { effects: [anEffect(round)], handOver });
      const held = one(leasesOf(made));
      const expected = (await loaded(world)).version;
      const tries = [
        async () =>
          (await store.commit(aCommit({ expected, settled: [held], wakeAt: FAR }))).kind === 'committed',
        () => store.settle(held, []),
        () => store.postpone(held, 0, 'unreachable'),
      ];
      const done = await Promise.all(numbers(12).map((n) => tries[(round + n) % 3]?.() ?? false));
      expect(done.filter((isDone) => isDone).length).toBe(1);
      for (const left of await lease(world)) expect(await store.settle(left, [])).toBe(true);
    }
  },
};
