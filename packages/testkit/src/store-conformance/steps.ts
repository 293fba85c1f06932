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
  type ContractTests,
  claim,
  FAR,
  lease,
  leaseOne,
  loaded,
  numbers,
  open,
  tryToWrite,
  type World,
  write,
} from './world.js';

const handOver = { owner: 'performer', forMs: 60_000, limit: 2 };

const leasesOf = (outcome: CommitOutcome): readonly Lease[] =>
  outcome.kind === 'committed' ? outcome.leases : [];

/** Commits effects and returns the leases handed over. */
const handedOver = async (world: World, count: number): Promise<readonly Lease[]> => {
  await open(world);
  return leasesOf(await tryToWrite(world, { effects: numbers(count).map(anEffect), handOver }));
};

const one = (leases: readonly Lease[]): Lease => {
  const [first] = leases;
  if (first === undefined) throw new Error('The commit handed over no lease.');
  return first;
};

/** Commits that settle performed effects and hand over leases of new ones. */
export const steps: ContractTests = {
  'a commit with hand-over leases its first effects to the caller, and leaves the others to be leased':
    async (world) => {
      const leases = await handedOver(world, 3);
      world
        .expect(leases.map(({ queueId, effect, tries }) => [queueId, effect, tries]))
        .toEqual([1, 2].map((n) => [queueIdOf(1), anEffect(n), 1]));
      world.expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(3)]);
      world.expect(new Set(leases.map(({ token }) => token)).size).toBe(2);
    },

  'a lease that was handed over names the repository of its queue': async (world) => {
    const { repo } = one(await handedOver(world, 1));
    world.expect(repo).toEqual((await loaded(world)).queue.repo);
  },

  'a commit without effects hands nothing over, and one with limit 0 leaves all effects to be leased': async (
    world,
  ) => {
    await open(world);
    world.expect(leasesOf(await tryToWrite(world, { handOver }))).toEqual([]);
    const none = await tryToWrite(world, { effects: [anEffect(1)], handOver: { ...handOver, limit: 0 } });
    world.expect(leasesOf(none)).toEqual([]);
    world.expect((await leaseOne(world)).effect).toEqual(anEffect(1));
  },

  'an effect handed over is leased to others after expiry, and the old lease then fails': async (world) => {
    const held = one(await handedOver(world, 1));
    await world.passTime(30_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_000);
    world.expect((await leaseOne(world)).tries).toBe(2);
    world.expect(await world.store.settle(held, [])).toBe(false);
  },

  'a lease that was handed over lasts for the requested time, and no longer': async (world) => {
    await open(world);
    await tryToWrite(world, { effects: [anEffect(1)], handOver: { ...handOver, forMs: 90_500 } });
    await world.passTime(60_000);
    world.expect(await lease(world)).toEqual([]);
    await world.passTime(30_500);
    world.expect((await leaseOne(world)).tries).toBe(2);
  },

  'a lease that was handed over is renewed, postponed and settled like any other': async (world) => {
    const { store, expect } = world;
    const [first, second] = await handedOver(world, 2);
    if (first === undefined || second === undefined) throw new Error('Expected two leases.');
    await store.renew([first], 600_000);
    expect(await store.postpone(second, 30_000, 'unreachable')).toBe(true);
    await world.passTime(60_000);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([second.effect]);
    expect(await store.settle(first, [aFact(1)])).toBe(true);
  },

  'an effect that was handed over cannot be withdrawn': async (world) => {
    await handedOver(world, 1);
    world
      .expect(await tryToWrite(world, { withdraw: [effectIdOf(1)] }))
      .toEqual({ kind: 'under_way', effects: [effectIdOf(1)] });
  },

  'a commit settles effects, and adds nothing to the inbox for them': async (world) => {
    const { store, expect } = world;
    const held = await handedOver(world, 2);
    const outcome = await tryToWrite(world, { settled: held, effects: [anEffect(3)], handOver });
    expect(leasesOf(outcome).map(({ effect }) => effect)).toEqual([anEffect(3)]);
    expect((await loaded(world)).inbox).toEqual([]);
    for (const lease of held) expect(await store.settle(lease, [aFact(1)])).toBe(false);
    await world.passTime(120_000);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(3)]);
  },

  'a commit with a lost lease leaves no trace and names the effect': async (world) => {
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

  'a commit names every lost lease, before any effect that cannot be withdrawn': async (world) => {
    const held = await handedOver(world, 3);
    const more = await lease(world);
    await world.passTime(60_000);
    await lease(world);
    const outcome = await tryToWrite(world, { settled: [...held, ...more], withdraw: [effectIdOf(1)] });
    world
      .expect(outcome.kind === 'lost' ? [...outcome.effects].sort() : outcome)
      .toEqual(numbers(3).map(effectIdOf));
  },

  'a commit is refused for its version before lost leases': async (world) => {
    const held = await handedOver(world, 1);
    await world.passTime(60_000);
    await lease(world);
    world.expect(await tryToWrite(world, { expected: 1, settled: held })).toEqual({ kind: 'conflict' });
  },

  'a refused commit does not end the claim': async (world) => {
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

  'a commit settles an expired lease if the effect was not leased again': async (world) => {
    const held = await handedOver(world, 1);
    await world.passTime(120_000);
    world.expect((await tryToWrite(world, { settled: held })).kind).toBe('committed');
    world.expect(await lease(world)).toEqual([]);
  },

  'a commit does not settle a lease of another queue or with a forged token': async (world) => {
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

  'a commit settles a lease by its effect and token, whatever its other fields say': async (world) => {
    const held = one(await handedOver(world, 1));
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { settled: [{ ...held, queueId: queueIdOf(2), tries: 9 }] });
    world.expect(await world.store.settle(held, [])).toBe(false);
  },

  'a commit at an old version settles nothing': async (world) => {
    const held = await handedOver(world, 1);
    await write(world);
    const stale = aCommit({ expected: 2, settled: held, effects: [anEffect(2)], handOver });
    world.expect(await world.store.commit(stale)).toEqual({ kind: 'conflict' });
    world.expect(await world.store.settle(one(held), [])).toBe(true);
    world.expect(await lease(world)).toEqual([]);
  },

  'a commit returns the current time, which never goes back': async (world) => {
    await open(world);
    const before = await world.store.now();
    const outcome = await tryToWrite(world);
    const after = await world.store.now();
    const at = outcome.kind === 'committed' ? outcome.now : Number.NaN;
    world.expect([at >= before, at <= after]).toEqual([true, true]);
  },

  'a queue with facts stays due, whatever a commit settles': async (world) => {
    const held = await handedOver(world, 1);
    await world.store.push(queueIdOf(1), [aFact(1)]);
    await write(world, { settled: held, wakeAt: FAR });
    world.expect(await claim(world)).toEqual([queueIdOf(1)]);
  },

  'an effect is settled by one of many concurrent commits, settlements and postponements': async (world) => {
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
