import {
  aClosedRun,
  aCommit,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aRepo,
  aRun,
  aSubmission,
  aTargetBook,
  aVerdict,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
} from '../builders.js';
import { aChain } from '../receipt-builders.js';
import {
  type ContractTests,
  claim,
  dueNext,
  lease,
  leaseOne,
  loaded,
  noRecall,
  open,
  rejection,
  type World,
  write,
} from './world.js';

const everything = {
  writes: someWrites({
    queue: aQueue({ lastPlace: 3 }),
    submissions: [aSubmission(1)],
    runs: [aRun(1)],
    targets: [aTargetBook(1)],
    verdicts: [aVerdict()],
    history: [aMove(1)],
  }),
  consumed: [inputIdOf(1)],
  answers: [anAnswer(2)],
  effects: [anEffect(1)],
  wakeAt: 0,
};

/** Everything that a commit can change, as read through the port. */
const traces = async ({ store }: World) => {
  const delta = await store.load(queueIdOf(1), 0, noRecall);
  return {
    version: delta?.version,
    queue: delta?.queue,
    submissions: delta?.submissions,
    runs: delta?.runs,
    targets: delta?.targets,
    inbox: delta?.inbox,
    run: await store.run(queueIdOf(1), runIdOf(1)),
    verdicts: await store.verdicts(aRepo, shaOf(1, 'd')),
    history: (await store.history({ queueIds: [queueIdOf(1)], order: 'oldest_first', limit: 10 })).items,
    receipts: (await store.receipts({ queueId: queueIdOf(1), limit: 10 })).items,
    answers: await store.answers([inputIdOf(2)]),
    dueNext: await dueNext(store),
  };
};

export const commits: ContractTests = {
  'a commit writes all of its parts under the next version': async (world) => {
    const { store, expect } = world;
    await open(world);
    await store.push(queueIdOf(1), [aFact(1)]);
    expect(await write(world, everything)).toBe(2);
    expect(await traces(world)).toEqual({
      version: 2,
      queue: aQueue({ lastPlace: 3 }),
      submissions: [aSubmission(1)],
      runs: [aRun(1)],
      targets: [aTargetBook(1)],
      inbox: [],
      run: aRun(1),
      verdicts: [aVerdict()],
      history: [{ ...aMove(1), queueId: queueIdOf(1) }],
      receipts: [],
      answers: [anAnswer(2)],
      dueNext: 'now',
    });
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(1)]);
    expect(await claim(world)).toEqual([queueIdOf(1)]);
  },

  'a commit that writes nothing still increments the version': async (world) => {
    const queue = await open(world);
    world.expect(await write(world)).toBe(2);
    world.expect((await loaded(world, 1)).queue).toEqual(queue);
    world.expect((await loaded(world, 1)).version).toBe(2);
  },

  'a commit at an old version is a conflict and leaves no trace': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world);
    await store.push(queueIdOf(1), [aFact(1)]);
    await claim(world);
    const before = await traces(world);
    expect(await store.commit(aCommit({ ...everything, expected: 1 }))).toEqual({ kind: 'conflict' });
    expect(await traces(world)).toEqual(before);
    expect(await lease(world)).toEqual([]);
    expect(await claim(world)).toEqual([]);
  },

  'a commit at a future version is a conflict and leaves no trace': async (world) => {
    await open(world);
    const before = await traces(world);
    const outcome = await world.store.commit(aCommit({ ...everything, expected: 2 }));
    world.expect(outcome).toEqual({ kind: 'conflict' });
    world.expect(await traces(world)).toEqual(before);
    world.expect(await lease(world)).toEqual([]);
  },

  'a commit with another incarnation is a conflict and leaves no trace': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    const held = await leaseOne(world);
    const { incarnation } = await loaded(world);
    const before = await traces(world);
    const other = { ...everything, expected: 2, incarnation: `not ${incarnation}` };
    expect(await store.commit(aCommit({ ...other, effects: [anEffect(2)] }))).toEqual({ kind: 'conflict' });
    const settles = aCommit({ ...other, effects: [], settled: [{ ...held, token: 'lost' }] });
    expect(await store.commit(settles)).toEqual({ kind: 'conflict' });
    expect(await traces(world)).toEqual(before);
    expect(await store.settle(held, [])).toBe(true);
  },

  'a commit with the incarnation of the last load goes through': async (world) => {
    await open(world);
    const { incarnation } = await loaded(world);
    await write(world, { incarnation });
    world.expect((await loaded(world, 1)).incarnation).toBe(incarnation);
    world.expect(await write(world, { incarnation })).toBe(3);
  },

  'the same commit again is a conflict': async (world) => {
    const { store, expect } = world;
    await open(world);
    await store.commit(aCommit(everything));
    const before = await traces(world);
    expect(await store.commit(aCommit(everything))).toEqual({ kind: 'conflict' });
    expect(await traces(world)).toEqual(before);
  },

  'a commit that cannot be written rejects and leaves no trace': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, {
      effects: [anEffect(8), anEffect(9)],
      writes: someWrites({ receipts: aChain(1) }),
    });
    await store.push(queueIdOf(1), [aFact(1)]);
    const before = await traces(world);
    const { writes } = everything;
    const impossible = [
      { effects: [anEffect(1), anEffect(9)] },
      { effects: [anEffect(1), anEffect(2), anEffect(1)] },
      { writes: { ...writes, receipts: [...aChain(2).slice(1), ...aChain(1)] } },
    ];
    for (const part of impossible) {
      const commit = aCommit({ ...everything, expected: 2, ...part });
      expect((await rejection(store.commit(commit))) instanceof Error).toBe(true);
      expect(await traces(world)).toEqual(before);
    }
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(8), anEffect(9)]);
  },

  'a commit to a queue that does not exist is a conflict': async (world) => {
    await open(world);
    const outcome = await world.store.commit(aCommit({ ...everything, queueId: queueIdOf(2) }));
    world.expect(outcome).toEqual({ kind: 'conflict' });
    world.expect(await world.store.answers([inputIdOf(2)])).toEqual([]);
    world.expect(await lease(world)).toEqual([]);
  },

  'the last of several rows with the same id in a commit is stored': async (world) => {
    const { store, expect } = world;
    await open(world);
    const last = aSubmission(1, { retries: 2 });
    await write(world, {
      writes: someWrites({
        submissions: [aSubmission(1), last],
        runs: [aRun(1), aClosedRun(1)],
        targets: [aTargetBook(1), aTargetBook(1, ['//last'])],
      }),
    });
    const delta = await loaded(world, 1);
    expect([delta.submissions, delta.runs]).toEqual([[last], [aClosedRun(1)]]);
    expect(delta.targets).toEqual([aTargetBook(1, ['//last'])]);
    expect((await store.submissions({ queueId: queueIdOf(1), limit: 10 })).items).toEqual([last]);
  },

  'a row that is written again replaces the old one': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, {
      writes: someWrites({ submissions: [aSubmission(1), aSubmission(2)], runs: [aRun(1)] }),
    });
    const changed = aSubmission(1, { state: 'testing', reason: 'CAPACITY_AVAILABLE' });
    await write(world, { writes: someWrites({ submissions: [changed], runs: [aClosedRun(1)] }) });
    const { items } = await store.submissions({ queueId: queueIdOf(1), prs: [1, 2], limit: 10 });
    expect(items).toEqual([aSubmission(2), changed]);
    expect(await store.run(queueIdOf(1), runIdOf(1))).toEqual(aClosedRun(1));
  },

  'each queue has its own version and rows': async (world) => {
    const { expect } = world;
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)], runs: [aRun(1)] }) });
    const other = await loaded(world, 0, { prs: [1] }, queueIdOf(2));
    expect([other.version, other.submissions, other.recalled.submissions]).toEqual([1, [], []]);
    expect(await world.store.run(queueIdOf(2), runIdOf(1))).toBe(null);
    expect(await write(world, { queueId: queueIdOf(2) })).toBe(2);
  },
};
