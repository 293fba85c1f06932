import { PAGE_LIMIT, type Submission, type SubmissionQuery } from '@mq/core';
import { aMove, anEndedSubmission, aSubmission, queueIdOf, someWrites } from '../builders.js';
import { type ContractTests, codeOf, loaded, numbers, open, rejection, type World, write } from './world.js';

const queueId = queueIdOf(1);

const put = (world: World, submissions: readonly Submission[]): Promise<number> =>
  write(world, { writes: someWrites({ submissions }) });

const listed = async ({ store }: World, query: Partial<SubmissionQuery> = {}): Promise<readonly number[]> =>
  (await store.submissions({ queueId, limit: 100, ...query })).items.map(({ pr }) => pr);

export const submissions: ContractTests = {
  'submissions are listed by the start of their state, newest first': async (world) => {
    await open(world);
    await put(world, [
      aSubmission(1, { stateSince: 20 }),
      aSubmission(2, { stateSince: 30 }),
      anEndedSubmission(3, { stateSince: 10 }),
      aSubmission(4, { stateSince: 20 }),
    ]);
    world.expect(await listed(world)).toEqual([2, 4, 1, 3]);
    await put(world, [anEndedSubmission(3, { stateSince: 40 })]);
    world.expect(await listed(world)).toEqual([3, 2, 4, 1]);
  },

  'submissions are filtered by pull request, state and time, including both bounds': async (world) => {
    await open(world);
    await put(world, [
      ...numbers(4).map((pr) => aSubmission(pr, { stateSince: pr })),
      anEndedSubmission(5, { stateSince: 5 }),
    ]);
    world.expect(await listed(world, { prs: [2, 5, 9, 2] })).toEqual([5, 2]);
    world.expect(await listed(world, { prs: [] })).toEqual([]);
    world.expect(await listed(world, { states: ['cancelled', 'merged'] })).toEqual([5]);
    world.expect(await listed(world, { states: [] })).toEqual([]);
    world.expect(await listed(world, { since: 2, until: 4 })).toEqual([4, 3, 2]);
    world.expect(await listed(world, { since: 1.5, until: 3.5 })).toEqual([3, 2]);
    world.expect(await listed(world, { prs: [1, 2, 5], states: ['pending'], since: 2 })).toEqual([2]);
    world.expect(await listed(world, { queueId: queueIdOf(2) })).toEqual([]);
  },

  'a pull request may have any number up to 32 bits': async (world) => {
    const pr = 4_294_967_295;
    await open(world);
    await put(world, [aSubmission(pr), aSubmission(1)]);
    world.expect(await listed(world, { prs: [pr] })).toEqual([pr]);
    const { recalled } = await loaded(world, 0, { prs: [pr] });
    world.expect(recalled.submissions).toEqual([aSubmission(pr)]);
  },

  'pages of submissions have no gaps and no repeats': async (world) => {
    const { store, expect } = world;
    await open(world);
    await put(
      world,
      numbers(7).map((pr) => aSubmission(pr, { stateSince: Math.ceil(pr / 3) })),
    );
    const first = await store.submissions({ queueId, limit: 3 });
    await put(world, [aSubmission(8, { stateSince: 99 })]);
    const second = await store.submissions({ queueId, limit: 3, cursor: first.next ?? '' });
    const third = await store.submissions({ queueId, limit: 3, cursor: second.next ?? '' });
    expect([first, second, third].map(({ items }) => items.map(({ pr }) => pr))).toEqual([
      [7, 6, 5],
      [4, 3, 2],
      [1],
    ]);
    expect(third.next).toBe(null);
  },

  'the last page has no cursor, also if it is full': async (world) => {
    await open(world);
    await put(
      world,
      numbers(4).map((pr) => aSubmission(pr)),
    );
    world.expect((await world.store.submissions({ queueId, limit: 4 })).next).toBe(null);
    world.expect((await world.store.submissions({ queueId, limit: 3 })).next === null).toBe(false);
  },

  'a page has at most the page limit, whatever limit is requested': async (world) => {
    await open(world);
    await put(
      world,
      numbers(PAGE_LIMIT + 1).map((pr) => aSubmission(pr)),
    );
    const first = await world.store.submissions({ queueId, limit: PAGE_LIMIT + 500 });
    world.expect(first.items.length).toBe(PAGE_LIMIT);
    const rest = await world.store.submissions({ queueId, limit: 10, cursor: first.next ?? '' });
    world.expect([rest.items.length, rest.next]).toEqual([1, null]);
  },

  'a limit that is not a positive integer rejects': async ({ store, expect }) => {
    for (const limit of [0, -1, 1.5, Number.NaN]) {
      const asks = [
        () => store.submissions({ queueId, limit }),
        () => store.queues({ limit }),
        () => store.history({ queueIds: [queueId], order: 'oldest_first', limit }),
        () => store.receipts({ queueId, limit }),
      ];
      for (const ask of asks) expect((await rejection(ask())) instanceof Error).toBe(true);
    }
  },

  'a cursor that the store did not return for this list rejects with CURSOR_INVALID': async (world) => {
    const { store, expect } = world;
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, {
      writes: someWrites({ submissions: [aSubmission(1), aSubmission(2)], history: [aMove(1), aMove(2)] }),
    });
    const { next } = await store.submissions({ queueId, limit: 1 });
    const foreign = (await store.queues({ limit: 1 })).next;
    if (next === null || foreign === null) throw new Error('Expected a second page.');
    const history = { queueIds: [queueId], order: 'oldest_first', limit: 1 } as const;
    for (const cursor of ['', 'x', '{}', 'null', `${next}x`, next.slice(0, -2), 'é'.repeat(9_000)])
      for (const ask of [
        () => store.submissions({ queueId, limit: 1, cursor }),
        () => store.queues({ limit: 1, cursor }),
        () => store.history({ ...history, cursor }),
        () => store.receipts({ queueId, limit: 1, cursor }),
      ])
        expect(codeOf(await rejection(ask()))).toBe('CURSOR_INVALID');
    expect(codeOf(await rejection(store.submissions({ queueId, limit: 1, cursor: foreign })))).toBe(
      'CURSOR_INVALID',
    );
    expect(codeOf(await rejection(store.history({ ...history, cursor: next })))).toBe('CURSOR_INVALID');
  },
};
