import type { CommitOutcome } from '@mq/core';
import {
  aCommit,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aSubmission,
  commitIdOf,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import {
  type ContractTests,
  claim,
  FAR,
  givenToMany,
  idsOf,
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

const FIFTY = numbers(50);
const id = queueIdOf(1);

const nthCommit = (n: number) =>
  aCommit({
    id: commitIdOf(n),
    writes: someWrites({
      queue: aQueue({ lastPlace: n }),
      submissions: [aSubmission(n)],
      history: [aMove(n, { pr: n })],
    }),
    consumed: [inputIdOf(n)],
    answers: [anAnswer(100 + n)],
    effects: [anEffect(n)],
    wakeAt: FAR,
  });

/** Attempts after which a race is considered stuck. */
const TRIES_LIMIT = 5_000;

/** Consumes all facts, until three commits in a row find none. Returns their ids. */
const drain = async ({ store }: World): Promise<readonly string[]> => {
  const taken: string[] = [];
  for (let [idle, tries] = [0, 0]; idle < 3; tries += 1) {
    if (tries === TRIES_LIMIT) throw new Error(`The inbox is not empty after ${TRIES_LIMIT} commits.`);
    const delta = await store.load(id, 0, noRecall);
    if (delta === null) return taken;
    const consumed = idsOf(delta.inbox);
    const outcome = await store.commit(aCommit({ expected: delta.version, consumed, wakeAt: FAR }));
    if (outcome.kind !== 'committed') continue;
    taken.push(...consumed);
    idle = consumed.length === 0 ? idle + 1 : 0;
  }
  return taken;
};

export const races: ContractTests = {
  'one of fifty concurrent commits at the same version wins, and the others leave no trace': async (
    world,
  ) => {
    const { store, expect } = world;
    await open(world);
    await store.push(id, FIFTY.map(aFact));
    const outcomes = await Promise.all(FIFTY.map((n) => store.commit(nthCommit(n))));
    const winners = FIFTY.filter((n) => outcomes[n - 1]?.kind === 'committed');
    expect(winners.length).toBe(1);
    expect(outcomes.filter(({ kind }) => kind === 'conflict').length).toBe(49);
    const [winner = 0] = winners;
    const delta = await loaded(world);
    expect([delta.version, delta.queue.lastPlace, delta.submissions]).toEqual([
      2,
      winner,
      [aSubmission(winner)],
    ]);
    expect(idsOf(delta.inbox)).toEqual(FIFTY.filter((n) => n !== winner).map(inputIdOf));
    expect((await store.history({ queueIds: [id], order: 'oldest_first', limit: 100 })).items.length).toBe(1);
    expect(await store.answers(FIFTY.map((n) => inputIdOf(100 + n)))).toEqual([anAnswer(100 + winner)]);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(winner)]);
  },

  'conflicting commits that are retried all go through': async (world) => {
    await open(world);
    const commitOnce = async (n: number): Promise<void> => {
      for (const _ of numbers(TRIES_LIMIT)) {
        const { version } = await loaded(world);
        const outcome: CommitOutcome = await world.store.commit({ ...nthCommit(n), expected: version });
        if (outcome.kind === 'committed') return;
      }
      throw new Error(`${TRIES_LIMIT} commits at the version just loaded were conflicts.`);
    };
    await Promise.all(numbers(12).map(commitOnce));
    const delta = await loaded(world);
    world.expect([delta.version, delta.submissions.length]).toEqual([13, 12]);
  },

  'one of twenty concurrent creations of a queue wins': async (world) => {
    const outcomes = await Promise.all(
      numbers(20).map((n) => world.store.createQueue(aQueue({ id: queueIdOf(n) }), FAR, anAnswer(n))),
    );
    const winner = outcomes.indexOf('created') + 1;
    world.expect(outcomes.filter((outcome) => outcome === 'created').length).toBe(1);
    world.expect(idsOf((await world.store.queues({ limit: 50 })).items)).toEqual([queueIdOf(winner)]);
    world.expect(await world.store.answers(numbers(20).map(inputIdOf))).toEqual([anAnswer(winner)]);
  },

  'a fact pushed fifty times concurrently is added once, and fifty different facts are all added': async (
    world,
  ) => {
    await open(world);
    await Promise.all(FIFTY.map((n) => world.store.push(id, [aFact(99), aFact(n)])));
    const waiting = idsOf((await loaded(world)).inbox);
    world.expect(sorted(waiting)).toEqual(sorted([...FIFTY, 99].map(inputIdOf)));
  },

  'each effect is leased to one of many concurrent callers': async (world) => {
    await open(world);
    await write(world, { effects: numbers(10).map(anEffect) });
    const leases = await givenToMany(() => lease(world, 3));
    world.expect(sorted(leases.map(({ effect }) => effect.id))).toEqual(numbers(10).map(effectIdOf));
  },

  'an expired lease is either renewed or lost to a concurrent caller, never both': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { effects: numbers(10).map(anEffect) });
    const expired = await lease(world);
    await world.passTime(60_000);
    const [, ...asked] = await Promise.all([
      store.renew([...expired].reverse(), 60_000),
      ...numbers(5).map(() => lease(world, 3)),
    ]);
    const taken = asked.flat();
    const takenIds = new Set(taken.map(({ effect }) => effect.id));
    expect(takenIds.size).toBe(taken.length);
    for (const held of expired) expect(await store.settle(held, [])).toBe(!takenIds.has(held.effect.id));
    for (const held of taken) expect(await store.settle(held, [])).toBe(true);
  },

  'an effect that is postponed while its lease is renewed is postponed': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    for (const round of numbers(10)) {
      const held = await leaseOne(world);
      const acts = [() => store.renew([held], 600_000), () => store.postpone(held, 0, 'unreachable')];
      await Promise.all((round % 2 === 0 ? acts : [...acts].reverse()).map((act) => act()));
      expect(await store.settle(held, [])).toBe(false);
    }
    expect((await leaseOne(world)).tries).toBe(11);
  },

  'an effect is settled by one of many concurrent callers': async (world) => {
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    const held = await leaseOne(world);
    const settled = await Promise.all(FIFTY.slice(0, 20).map((n) => world.store.settle(held, [aFact(n)])));
    world.expect(settled.filter((done) => done).length).toBe(1);
    world.expect(idsOf((await loaded(world)).inbox)).toEqual([inputIdOf(settled.indexOf(true) + 1)]);
  },

  'each due queue is claimed by one of many concurrent callers': async (world) => {
    for (const n of numbers(10)) {
      await open(world, { id: queueIdOf(n), branch: `b${n}` });
      await world.store.push(queueIdOf(n), [aFact(n)]);
    }
    const claims = await givenToMany(() => claim(world, 3));
    world.expect(sorted(claims)).toEqual(numbers(10).map(queueIdOf));
  },

  'an effect is either withdrawn or leased, never both': async (world) => {
    await open(world);
    for (const round of numbers(20)) {
      const expected = await write(world, { effects: [anEffect(round)] });
      const withdrawing = aCommit({ expected, withdraw: [effectIdOf(round)], wakeAt: FAR });
      const withdraw = () => world.store.commit(withdrawing);
      const started = round % 2 === 0 ? withdraw() : null;
      const [leases, outcome] = await Promise.all([lease(world), started ?? withdraw()]);
      world.expect(outcome.kind).toBe(leases.length === 0 ? 'committed' : 'under_way');
      for (const held of leases) await world.store.settle(held, []);
    }
  },

  'no fact is lost or consumed twice while many push facts and many commit': async (world) => {
    await open(world);
    const bring = async (from: number): Promise<void> => {
      for (const n of numbers(10)) await world.store.push(id, [aFact(from * 100 + n)]);
    };
    const all = await Promise.all([drain(world), drain(world), ...numbers(5).map(bring)]);
    const taken = [...all.flatMap((part) => part ?? []), ...(await drain(world))];
    const brought = numbers(5).flatMap((from) => numbers(10).map((n) => inputIdOf(from * 100 + n)));
    world.expect(sorted(taken)).toEqual(sorted(brought));
  },

  'a load never sees half a commit': async (world) => {
    await open(world);
    const writeOn = async (): Promise<void> => {
      for (const n of numbers(20))
        await world.store.commit(
          aCommit({
            expected: n,
            writes: someWrites({
              queue: aQueue({ lastPlace: n + 1 }),
              submissions: numbers(5).map((pr) => aSubmission(pr, { retries: n + 1 })),
            }),
            wakeAt: FAR,
          }),
        );
    };
    const look = async (): Promise<boolean> => {
      for (const _ of numbers(20)) {
        const { version, queue, submissions } = await loaded(world);
        const marks = new Set([queue.lastPlace, ...submissions.map(({ retries }) => retries)]);
        if (version > 1 && (marks.size !== 1 || !marks.has(version))) return false;
      }
      return true;
    };
    const [, ...whole] = await Promise.all([writeOn(), look(), look(), look()]);
    world.expect(whole).toEqual([true, true, true]);
    world.expect((await loaded(world)).version).toBe(21);
  },
};
