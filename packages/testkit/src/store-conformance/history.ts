import { type HistoryQuery, type HistoryRow, PAGE_LIMIT } from '@mq/core';
import { allPages } from '../all-pages.js';
import {
  aMove,
  anActor,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
  submissionIdOf,
} from '../builders.js';
import { type ContractTests, numbers, open, type World, write } from './world.js';

const queueId = queueIdOf(1);
/** More than a page, and far fewer than any store may prune. */
const YOUNG_ROWS = PAGE_LIMIT + 500;
const about = { settingsVersion: 1, actor: anActor } as const;

const aRunRow: Extract<HistoryRow, { readonly type: 'run' }> = {
  ...{ type: 'run', sequence: 2, at: 20, settingsVersion: 1, runId: runIdOf(1), change: 'created' },
  purpose: 'test',
  ...{ prs: [1, 2], attempts: [1, 1], outcome: null, cause: null, testingSince: null },
  ...{ isTested: false, candidate: null, base: shaOf(1), stack: [], ref: null },
};

const anAside: Extract<HistoryRow, { readonly type: 'aside' }> = {
  ...{ type: 'aside', sequence: 8, at: 60, settingsVersion: 1, submissionId: submissionIdOf(2), pr: 2 },
  ...{ attempt: 1, lack: 'mergeable', detail: 'A review is missing.', since: null },
};

const rowsOfEveryType: readonly HistoryRow[] = [
  aMove(1, { pr: 1, at: 10 }),
  aRunRow,
  { ...about, type: 'configured', sequence: 3, at: 30, settings: { concurrency: 4 }, wanted: 'paused' },
  { ...about, type: 'commanded', sequence: 4, at: 40, command: 'cancel', inputId: inputIdOf(1), pr: 2 },
  { ...about, type: 'commanded', sequence: 5, at: 50, command: 'configure', inputId: inputIdOf(2), pr: null },
  {
    type: 'alarm',
    sequence: 6,
    at: 60,
    settingsVersion: 1,
    code: 'TREE_MISMATCH',
    sentence: 'Check the target.',
  },
  aMove(7, { pr: 2, at: 60 }),
  anAside,
  {
    ...{ type: 'put_off', sequence: 9, at: 60, settingsVersion: 1, submissionId: submissionIdOf(2), pr: 2 },
    ...{ attempt: 1, reason: 'HOST_NOT_READY', detail: 'Retry later.' },
  } as const,
];

const begin = async (world: World): Promise<void> => {
  await open(world);
  await write(world, { writes: someWrites({ history: rowsOfEveryType.slice(0, 3) }) });
  await write(world, { writes: someWrites({ history: rowsOfEveryType.slice(3) }) });
};

const read = ({ store }: World, query: Partial<HistoryQuery> = {}) =>
  store.history({ queueIds: [queueId], order: 'oldest_first', limit: 100, ...query });

const sequences = async (world: World, query: Partial<HistoryQuery> = {}): Promise<readonly number[]> =>
  (await read(world, query)).items.map(({ sequence }) => sequence);

/** Twelve rows of one instant: three pull requests in rotation, the last four of other types, the last row about two of them. */
const inTurns = (from: number): readonly HistoryRow[] =>
  numbers(12).map((n): HistoryRow => {
    const [sequence, pr] = [from + n - 1, 1 + ((n - 1) % 3)];
    if (n === 12) return { ...aRunRow, sequence, at: 10, prs: [1, 2] };
    if (n <= 8) return aMove(sequence, { pr, at: 10 });
    return { ...anAside, sequence, at: 10, pr };
  });

const walk = async (world: World, query: Partial<HistoryQuery>): Promise<readonly number[]> =>
  (await allPages((at) => read(world, { ...query, ...at }))).map(({ sequence }) => sequence);

export const history: ContractTests = {
  'the whole history is read in both directions': async (world) => {
    await begin(world);
    const items = rowsOfEveryType.map((row) => ({ ...row, queueId }));
    world.expect(await read(world)).toEqual({ items, next: null });
    world.expect(await read(world, { order: 'newest_first' })).toEqual({
      items: items.reverse(),
      next: null,
    });
  },

  'the history of a pull request has its moves, holds, test runs and commands': async (world) => {
    await begin(world);
    world.expect(await sequences(world, { pr: 2 })).toEqual([2, 4, 7, 8, 9]);
    world.expect(await sequences(world, { pr: 1, order: 'newest_first' })).toEqual([2, 1]);
    world.expect(await sequences(world, { pr: 3 })).toEqual([]);
  },

  'the history is filtered by type and by time, including both bounds': async (world) => {
    await begin(world);
    world.expect(await sequences(world, { types: ['moved', 'alarm'] })).toEqual([1, 6, 7]);
    world.expect(await sequences(world, { types: [] })).toEqual([]);
    world.expect(await sequences(world, { queueIds: [] })).toEqual([]);
    world.expect(await sequences(world, { since: 20, until: 40 })).toEqual([2, 3, 4]);
    world.expect(await sequences(world, { since: 60 })).toEqual([6, 7, 8, 9]);
    world.expect(await sequences(world, { types: ['aside', 'put_off'] })).toEqual([8, 9]);
    world.expect(await sequences(world, { until: 10 })).toEqual([1]);
    world.expect(await sequences(world, { since: 9.5, until: 10.5 })).toEqual([1]);
    world.expect(await sequences(world, { since: 10.5, until: 19.5 })).toEqual([]);
    world.expect(await sequences(world, { pr: 2, since: 19.5, until: 39.5 })).toEqual([2]);
    world.expect(await sequences(world, { since: 20, until: 40, order: 'newest_first' })).toEqual([4, 3, 2]);
    world.expect(await sequences(world, { since: 61 })).toEqual([]);
    world.expect(await sequences(world, { pr: 2, types: ['moved'], since: 20 })).toEqual([7]);
    world.expect(await sequences(world, { pr: 2, since: 20, until: 40 })).toEqual([2, 4]);
  },

  'pages of history have no gaps and no repeats while rows are added': async (world) => {
    await open(world);
    const rows = (from: number, to: number) =>
      numbers(to)
        .slice(from - 1)
        .map((sequence) => aMove(sequence, { at: Math.ceil(sequence / 3) }));
    await write(world, { writes: someWrites({ history: rows(1, 8) }) });
    const up = await read(world, { limit: 4 });
    const down = await read(world, { limit: 4, order: 'newest_first' });
    await write(world, { writes: someWrites({ history: rows(9, 10) }) });
    const numbersOf = (page: typeof up) => page.items.map(({ sequence }) => sequence);
    const upNext = await read(world, { limit: 4, cursor: up.next ?? '' });
    const downNext = await read(world, { limit: 4, order: 'newest_first', cursor: down.next ?? '' });
    world.expect([numbersOf(up), numbersOf(upNext)]).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ]);
    world.expect(await sequences(world, { cursor: upNext.next ?? '' })).toEqual([9, 10]);
    world
      .expect([numbersOf(down), numbersOf(downNext), downNext.next])
      .toEqual([[8, 7, 6, 5], [4, 3, 2, 1], null]);
  },

  'recent rows are not pruned, however many are written at once': async (world) => {
    await open(world);
    const rows = numbers(YOUNG_ROWS).map((sequence) => aMove(sequence, { at: sequence }));
    await write(world, { writes: someWrites({ history: rows.slice(0, -1) }) });
    await write(world, { writes: someWrites({ history: rows.slice(-1) }) });
    const first = await read(world, { limit: PAGE_LIMIT });
    const second = await read(world, { limit: PAGE_LIMIT, cursor: first.next ?? '' });
    world
      .expect([...first.items, ...second.items].map(({ sequence }) => sequence))
      .toEqual(numbers(YOUNG_ROWS));
  },

  'pages of a filtered history contain only matching rows': async (world) => {
    await begin(world);
    const first = await read(world, { types: ['moved', 'commanded'], limit: 2 });
    const second = await read(world, { types: ['moved', 'commanded'], limit: 2, cursor: first.next ?? '' });
    world.expect([first, second].map(({ items }) => items.map(({ sequence }) => sequence))).toEqual([
      [1, 4],
      [5, 7],
    ]);
    world.expect(second.next).toBe(null);
  },

  'pages have no gaps and no repeats within the rows of one commit, with every filter': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ history: inTurns(1) }) });
    await write(world, { writes: someWrites({ history: inTurns(13) }) });
    await write(world, { writes: someWrites({ history: inTurns(25).slice(0, 5) }) });
    const all = numbers(29);
    const late = all.filter((n) => n % 12 > 8 || n % 12 === 0);
    const ofTwo = all.filter((n) => n % 3 === 2 || n % 12 === 0);
    for (const limit of [1, 2, 5, 29]) {
      world.expect(await walk(world, { limit })).toEqual(all);
      world.expect(await walk(world, { limit, order: 'newest_first' })).toEqual([...all].reverse());
      for (const [query, found] of [
        [{ types: ['aside', 'run'] }, late],
        [{ pr: 2 }, ofTwo],
        [{ pr: 2, types: ['aside', 'run'] }, ofTwo.filter((n) => late.includes(n))],
      ] as const) {
        world.expect(await walk(world, { limit, ...query })).toEqual(found);
        const newest = await walk(world, { limit, ...query, order: 'newest_first' });
        world.expect(newest).toEqual([...found].reverse());
      }
    }
  },

  'the histories of several queues are merged by time, queue and sequence': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const moves = (...instants: readonly number[]) =>
      someWrites({ history: instants.map((at, index) => aMove(index + 1, { at })) });
    await write(world, { writes: moves(10, 30, 30, 50) });
    await write(world, { queueId: queueIdOf(2), writes: moves(20, 30, 40) });
    const both = { queueIds: [queueIdOf(2), queueIdOf(1), queueIdOf(2), queueIdOf(9)] };
    const named = async (query: Partial<HistoryQuery>) =>
      (await read(world, { ...both, ...query })).items.map(
        (row) => `${row.queueId.slice(-1)}:${row.sequence}`,
      );
    const merged = ['1:1', '2:1', '1:2', '1:3', '2:2', '2:3', '1:4'];
    world.expect(await named({})).toEqual(merged);
    world.expect(await named({ order: 'newest_first' })).toEqual([...merged].reverse());
    const first = await read(world, { ...both, limit: 3 });
    world.expect(await named({ cursor: first.next ?? '' })).toEqual(merged.slice(3));
    world.expect(await named({ since: 30, until: 40 })).toEqual(['1:2', '1:3', '2:2', '2:3']);
  },
};
