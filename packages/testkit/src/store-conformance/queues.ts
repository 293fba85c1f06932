import type { QueueId } from '@mq/core';
import {
  aClosedRun,
  aCommit,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  anEndedSubmission,
  aQueue,
  aRepo,
  aTargetBook,
  BUILT_AT,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  someWrites,
} from '../builders.js';
import {
  type ContractTests,
  claim,
  FAR,
  idsOf,
  lease,
  leaseOne,
  loaded,
  noRecall,
  open,
  type World,
  write,
} from './world.js';

const deletedQueue = aQueue({ deletedAt: BUILT_AT + 5 });

const remove = (world: World, effects = [anEffect(1)]): Promise<number> =>
  write(world, {
    writes: someWrites({
      queue: deletedQueue,
      submissions: [anEndedSubmission(1)],
      runs: [aClosedRun(1)],
      targets: [aTargetBook(1)],
      history: [aMove(1)],
    }),
    effects,
    answers: [anAnswer(9)],
  });

export const queues: ContractTests = {
  'a queue of a repository in any letter case is found in each of them, and there is one for a branch':
    async (world) => {
      const repo = { ...aRepo, owner: 'Acme', ignoresCase: true } as const;
      const queue = aQueue({ repo });
      world.expect(await world.store.createQueue(queue, FAR, null)).toBe('created');
      const other = { ...repo, owner: 'ACME' };
      const again = aQueue({ id: queueIdOf(2), repo: other });
      world.expect(await world.store.createQueue(again, FAR, null)).toBe('exists');

      for (const where of [
        { repo: other },
        { repo: other, branch: queue.branch },
        { repositories: [other] },
      ]) {
        const { items } = await world.store.queues({ ...where, limit: 9 });
        world.expect(items.map(({ repo: found }) => found)).toEqual([repo]);
      }
    },

  'deleted queues are listed separately, also after a new queue was created for the same branch': async (
    world,
  ) => {
    await open(world);
    await remove(world);
    const next = aQueue({ id: queueIdOf(2) });
    await world.store.createQueue(next, FAR, null);

    const where = { repo: aRepo, branch: next.branch, limit: 9 };
    world.expect(idsOf((await world.store.queues(where)).items)).toEqual([next.id]);
    const former = (await world.store.queues({ ...where, isDeleted: true })).items;
    world.expect(former).toEqual([deletedQueue]);
    world
      .expect((await world.store.queues({ ...where, branch: 'elsewhere', isDeleted: true })).items)
      .toEqual([]);
  },
  'a new queue has version 1 and no rows': async (world) => {
    const queue = await open(world);
    const { now, incarnation: _, ...delta } = await loaded(world);
    world.expect(now <= (await world.store.now())).toBe(true);
    world.expect(delta).toEqual({
      version: 1,
      queue,
      submissions: [],
      runs: [],
      targets: [],
      inbox: [],
      recalled: { submissions: [], targets: [], answers: [], commits: [] },
    });
  },

  'a second queue for the same repository and branch changes nothing': async (world) => {
    const { store, expect } = world;
    const queue = await open(world);
    expect(await store.createQueue(aQueue({ id: queueIdOf(2), lastPlace: 9 }), BUILT_AT, anAnswer(1))).toBe(
      'exists',
    );
    expect((await store.queues({ limit: 10 })).items).toEqual([queue]);
    expect(await store.load(queueIdOf(2), 0, noRecall)).toBe(null);
    expect(await store.answers([inputIdOf(1)])).toEqual([]);
    expect(await claim(world)).toEqual([]);
  },

  'creating the same queue twice leaves one queue': async (world) => {
    const queue = await open(world);
    world.expect(await world.store.createQueue(queue, FAR, null)).toBe('exists');
    world.expect((await world.store.queues({ limit: 10 })).items).toEqual([queue]);
  },

  'a queue with the id of an existing one is not created': async (world) => {
    const queue = await open(world);
    world.expect(await world.store.createQueue(aQueue({ branch: 'next' }), FAR, anAnswer(1))).toBe('exists');
    world.expect((await world.store.queues({ limit: 10 })).items).toEqual([queue]);
    world.expect(await world.store.answers([inputIdOf(1)])).toEqual([]);
  },

  'a new queue and its answer are stored together': async ({ store, expect }) => {
    expect(await store.createQueue(aQueue(), FAR, anAnswer(1))).toBe('created');
    expect(await store.answers([inputIdOf(1)])).toEqual([anAnswer(1)]);
  },

  'creating a queue does not replace an existing answer to the same input': async (world) => {
    const { store, expect } = world;
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { queueId: queueIdOf(2), answers: [anAnswer(1, 'first')] });
    expect(await store.createQueue(aQueue(), FAR, anAnswer(1, 'second'))).toBe('created');
    expect(await store.answers([inputIdOf(1)])).toEqual([anAnswer(1, 'first')]);
  },

  'each branch of each repository can have its own queue': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await open(world, { id: queueIdOf(3), repo: { ...aRepo, name: 'gadgets' } });
    await open(world, { id: queueIdOf(4), repo: { ...aRepo, owner: 'acme/deep' } });
    await open(world, { id: queueIdOf(5), repo: { ...aRepo, host: 'other.example' } });
    world.expect((await world.store.queues({ limit: 10 })).items.length).toBe(5);
  },

  'queues are listed in the order of repository, branch and id': async (world) => {
    const { store, expect } = world;
    const [a, b] = [
      { ...aRepo, name: 'a' },
      { ...aRepo, name: 'b' },
    ];
    await open(world, { id: queueIdOf(1), repo: b, branch: 'main' });
    await open(world, { id: queueIdOf(2), repo: a, branch: 'next' });
    await open(world, { id: queueIdOf(3), repo: a, branch: 'main' });
    await open(world, { id: queueIdOf(4), repo: { ...a, owner: 'aaa' }, branch: 'zzz' });
    await open(world, {
      id: queueIdOf(5),
      repo: { ...a, host: 'other.example', owner: 'aab' },
      branch: 'main',
    });
    await open(world, { id: queueIdOf(6), repo: { ...a, host: 'other.example' }, branch: 'main' });
    await open(world, { id: queueIdOf(7), repo: { ...a, owner: 'zzz' }, branch: 'main' });
    const listed = async (where: Partial<Parameters<typeof store.queues>[0]>) =>
      idsOf((await store.queues({ limit: 10, ...where })).items);
    expect(await listed({})).toEqual([4, 3, 2, 1, 7, 5, 6].map(queueIdOf));
    expect(await listed({ repo: a })).toEqual([3, 2].map(queueIdOf));
    expect(await listed({ repo: a, branch: 'main' })).toEqual([queueIdOf(3)]);
    expect(await listed({ branch: 'main' })).toEqual([3, 1, 7, 5, 6].map(queueIdOf));
    expect(await listed({ repo: a, branch: 'gone' })).toEqual([]);
    expect(await listed({ repositories: [b, a] })).toEqual([3, 2, 1].map(queueIdOf));
    expect(await listed({ repositories: [b, a], branch: 'main' })).toEqual([3, 1].map(queueIdOf));
    expect(await listed({ repositories: [{ ...a, owner: 'none' }] })).toEqual([]);
    expect(await listed({ repositories: [] })).toEqual([]);
  },

  'texts are sorted by code point, not by locale': async (world) => {
    const branches = [
      'B',
      'Z',
      '_',
      'a',
      'a-b',
      'aa',
      'b',
      'z',
      '\u00e4',
      '\uffe6',
      '\u{1f600}',
      '\u{1f601}',
    ];
    for (const [index, branch] of [...branches].reverse().entries())
      await open(world, { id: queueIdOf(1 + index), branch });
    const first = await world.store.queues({ limit: 4 });
    const rest = await world.store.queues({ limit: 9, cursor: first.next ?? '' });
    world.expect([...first.items, ...rest.items].map(({ branch }) => branch)).toEqual(branches);
  },

  'pages of queues have no gaps and no repeats': async (world) => {
    for (const n of [3, 1, 5, 2, 4]) await open(world, { id: queueIdOf(n), branch: `b${n}` });
    const pages: (readonly QueueId[])[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof world.store.queues>> = await world.store.queues({
        limit: 2,
        ...(cursor === null ? {} : { cursor }),
      });
      pages.push(idsOf(page.items));
      cursor = page.next;
    } while (cursor !== null && pages.length < 5);
    world.expect(pages).toEqual([[1, 2].map(queueIdOf), [3, 4].map(queueIdOf), [queueIdOf(5)]]);
  },

  'versions of live queues are listed by id, page by page, and are those that load answers': async (
    world,
  ) => {
    const { store, expect } = world;
    for (const n of [3, 1, 2]) await open(world, { id: queueIdOf(n), branch: `b${n}` });
    await write(world);
    await write(world, { queueId: queueIdOf(2), id: commitIdOf(20) });
    await remove(world);
    const first = await store.queueVersions({ limit: 1 });
    const rest = await store.queueVersions({ limit: 9, cursor: first.next ?? '' });
    const { incarnation } = await loaded(world, 0, {}, queueIdOf(2));
    expect([...first.items, ...rest.items]).toEqual([
      { id: queueIdOf(2), version: 2, incarnation },
      { id: queueIdOf(3), version: 1, incarnation },
    ]);
    expect(rest.next).toBe(null);
  },

  'facts for a queue that does not exist are dropped': async ({ store, expect }) => {
    await store.push(queueIdOf(7), [aFact(1)]);
    expect(await store.load(queueIdOf(7), 0, noRecall)).toBe(null);
    expect(await store.nextDueAt()).toBe(null);
    expect((await store.queues({ limit: 10 })).items).toEqual([]);
  },

  'a deleted queue can no longer be listed, loaded, claimed or written': async (world) => {
    const { store, expect } = world;
    await open(world);
    await store.push(queueIdOf(1), [aFact(1)]);
    const version = await remove(world);
    await store.push(queueIdOf(1), [aFact(2)]);
    expect(await store.load(queueIdOf(1), 0, noRecall)).toBe(null);
    expect((await store.queues({ limit: 10 })).items).toEqual([]);
    expect((await store.queues({ limit: 10, repo: aRepo, branch: 'main' })).items).toEqual([]);
    expect(await claim(world)).toEqual([]);
    const late = aCommit({ expected: version, effects: [anEffect(2)] });
    expect(await store.commit(late)).toEqual({ kind: 'conflict' });
  },

  'the rows of a deleted queue stay readable': async (world) => {
    const { store, expect } = world;
    await open(world);
    await remove(world);
    const id = queueIdOf(1);
    expect((await store.submissions({ queueId: id, limit: 10 })).items).toEqual([anEndedSubmission(1)]);
    expect((await store.history({ queueIds: [id], order: 'oldest_first', limit: 10 })).items).toEqual([
      { ...aMove(1), queueId: id },
    ]);
    expect(await store.run(id, runIdOf(1))).toEqual(aClosedRun(1));
    expect(await store.answers([inputIdOf(9)])).toEqual([anAnswer(9)]);
  },

  'effects of a deleted queue are still leased, postponed and settled': async (world) => {
    const { store, expect } = world;
    await open(world);
    await remove(world, [anEffect(1), anEffect(2)]);
    const [first, second] = await lease(world);
    expect([first?.effect, second?.effect]).toEqual([anEffect(1), anEffect(2)]);
    if (first === undefined || second === undefined) return;
    expect(await store.settle(first, [aFact(1)])).toBe(true);
    expect(await store.postpone(second, 0, 'unreachable')).toBe(true);
    expect(await store.settle(await leaseOne(world), [])).toBe(true);
    expect(await lease(world)).toEqual([]);
    expect(await claim(world)).toEqual([]);
    expect(await store.nextDueAt()).toBe(null);
  },

  'an effect leased when its queue was deleted can be settled, and is leased again after expiry': async (
    world,
  ) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { effects: [anEffect(1), anEffect(2)] });
    const [first, second] = await lease(world);
    await remove(world, []);
    expect(first !== undefined && (await store.settle(first, [aFact(1)]))).toBe(true);
    expect(await lease(world)).toEqual([]);
    await world.passTime(60_000);
    const back = await leaseOne(world);
    expect([back.effect, back.queueId, back.repo, back.tries]).toEqual([
      second?.effect,
      queueIdOf(1),
      aRepo,
      2,
    ]);
  },

  'effects requested before their queue was deleted are still leased': async (world) => {
    await open(world);
    await write(world, { effects: [anEffect(1)] });
    await remove(world, [anEffect(2)]);
    world.expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(1), anEffect(2)]);
  },

  'the id of a deleted queue cannot be used again': async (world) => {
    await open(world);
    await remove(world);
    world.expect(await world.store.createQueue(aQueue(), FAR, null)).toBe('exists');
    world.expect(await world.store.load(queueIdOf(1), 0, noRecall)).toBe(null);
  },

  'a new queue can replace a deleted one, and is empty': async (world) => {
    await open(world);
    await remove(world);
    const queue = await open(world, { id: queueIdOf(2) });
    const delta = await loaded(world, 0, { prs: [1] }, queueIdOf(2));
    world.expect([delta.version, delta.queue, delta.recalled.submissions]).toEqual([1, queue, []]);
    world
      .expect((await world.store.queues({ limit: 10, repo: aRepo, branch: 'main' })).items)
      .toEqual([queue]);
  },
};
