import type { HistoryQuery, Retention } from '@mq/core';
import {
  aClosedRun,
  aFact,
  aMove,
  anAnswer,
  anEffect,
  anEndedSubmission,
  aQueue,
  aRepo,
  aRun,
  aSubmission,
  aTargetBook,
  aVerdict,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
} from '../builders.js';
import { aChain, aReceipt } from '../receipt-builders.js';
import {
  type ContractTests,
  claim,
  dueNext,
  FAR,
  lease,
  leaseOne,
  loaded,
  numbers,
  open,
  sorted,
  type World,
  write,
} from './world.js';

/** The retention with which the stores of this chapter are created. A store that keeps more passes too. */
export const littleRetention: Retention = {
  historyRows: 3,
  closedRuns: 1,
  targetBooks: 1,
  verdicts: 2,
  deletedQueues: 1,
};

const id = queueIdOf(1);

const prune = async ({ prune }: World): Promise<void> => prune?.();

/** The guarantees with the smallest retention, whenever old rows are removed. */
export const pruning: ContractTests = {
  'only the oldest rows of the history are pruned, for every kind of read': async (world) => {
    await open(world);
    for (const n of numbers(9)) {
      await write(world, { writes: someWrites({ history: [aMove(n, { pr: 1 + (n % 2), at: n })] }) });
      await prune(world);
    }
    const read = async (query: Partial<HistoryQuery>) => {
      const asked = { queueIds: [id], order: 'oldest_first', limit: 99, ...query } as const;
      return (await world.store.history(asked)).items.map(({ sequence }) => sequence);
    };
    const left = await read({});
    world.expect(left).toEqual(numbers(9).slice(-Math.max(left.length, littleRetention.historyRows)));
    world.expect(await read({ order: 'newest_first' })).toEqual([...left].reverse());
    for (const pr of [1, 2]) world.expect(await read({ pr })).toEqual(left.filter((n) => 1 + (n % 2) === pr));
  },

  'receipts, facts, effects, answers and recallable commits are not pruned': async (world) => {
    const { store, expect } = world;
    await open(world);
    const five = numbers(5);
    for (const n of five) {
      await write(world, {
        id: commitIdOf(n),
        recallable: true,
        writes: someWrites({ receipts: aChain(n).slice(-1) }),
        effects: [anEffect(n)],
        answers: [anAnswer(10 + n)],
      });
      await store.push(id, [aFact(n)]);
      await prune(world);
    }
    const answered = five.map((n) => inputIdOf(10 + n));
    const { inbox, recalled } = await loaded(world, 0, { commits: five.map(commitIdOf), inputIds: answered });
    expect(inbox).toEqual(five.map(aFact));
    expect(sorted(recalled.commits)).toEqual(five.map(commitIdOf));
    expect(sorted(recalled.answers.map(({ inputId }) => inputId))).toEqual(answered);
    expect((await store.receipts({ queueId: id, limit: 9 })).items).toEqual(aChain(5));
    expect((await lease(world)).map(({ effect }) => effect)).toEqual(five.map(anEffect));
  },

  'open test runs and the last closed one are kept whole, and loads still report that pruned ones are closed':
    async (world) => {
      const { store, expect } = world;
      await open(world);
      await write(world, { writes: someWrites({ runs: numbers(4).map((n) => aRun(n)) }) });
      for (const n of [2, 1, 3]) {
        await write(world, { writes: someWrites({ runs: [aClosedRun(n, { closedAt: FAR + n })] }) });
        await prune(world);
      }
      expect(await store.run(id, runIdOf(3))).toEqual(aClosedRun(3, { closedAt: FAR + 3 }));
      expect(await store.run(id, runIdOf(4))).toEqual(aRun(4));
      expect((await loaded(world)).runs).toEqual([aRun(4)]);
      const closed = (await loaded(world, 2)).runs.map((run) => `${run.id} ${run.closedAt}`);
      expect(sorted(closed)).toEqual(numbers(3).map((n) => `${runIdOf(n)} ${FAR + n}`));
    },

  'impacted targets of live pull requests are kept, and of others the last written ones': async (world) => {
    await open(world);
    const live = someWrites({ submissions: [aSubmission(1)], targets: [aTargetBook(1)] });
    await write(world, { writes: live });
    for (const pr of [2, 4, 3]) {
      await write(world, { writes: someWrites({ targets: [aTargetBook(pr)] }) });
      await prune(world);
    }
    const { targets, recalled } = await loaded(world, 0, { prs: numbers(4) });
    world.expect(targets).toEqual([aTargetBook(1)]);
    const kept = recalled.targets.map(({ pr }) => pr);
    world.expect([1, 3].filter((pr) => !kept.includes(pr))).toEqual([]);
  },

  'the last submission of every pull request is kept as long as its queue exists': async (world) => {
    const { store, expect } = world;
    await open(world);
    const five = numbers(5);
    for (const pr of five) {
      await write(world, { writes: someWrites({ submissions: [aSubmission(pr)] }) });
      await write(world, { writes: someWrites({ submissions: [anEndedSubmission(pr)] }) });
      await prune(world);
    }
    const ended = (rows: readonly { readonly pr: number; readonly state: string }[]) =>
      sorted(rows.filter(({ state }) => state !== 'pending').map(({ pr }) => pr));
    const delta = await loaded(world, 1, { prs: five });
    expect(ended(delta.submissions)).toEqual(five);
    expect(ended(delta.recalled.submissions)).toEqual(five);
    expect(ended((await store.submissions({ queueId: id, limit: 9 })).items)).toEqual(five);
  },

  'the last written passes are kept': async (world) => {
    await open(world);
    for (const n of [1, 3, 2]) {
      await write(world, { writes: someWrites({ verdicts: [aVerdict(shaOf(n, 'd'))] }) });
      await prune(world);
    }
    for (const n of [3, 2])
      world.expect(await world.store.verdicts(aRepo, shaOf(n, 'd'))).toEqual([aVerdict(shaOf(n, 'd'))]);
  },

  'the last deleted queue stays readable, and of earlier deleted ones the receipts and effects': async (
    world,
  ) => {
    const { store, expect } = world;
    for (const n of [3, 1, 2]) {
      const queueId = queueIdOf(n);
      const queue = aQueue({ id: queueId, branch: `b${n}` });
      await open(world, queue);
      await write(world, { queueId, effects: [anEffect(n)] });
      const receipts = [aReceipt({ queueId })];
      const rows = { submissions: [anEndedSubmission(1)], runs: [aClosedRun(1)], history: [aMove(1)] };
      await world.passTime(1_000);
      const deletedAt = await store.now();
      await write(world, {
        queueId,
        writes: someWrites({ queue: { ...queue, deletedAt }, receipts, ...rows }),
      });
      await prune(world);
    }
    const last = queueIdOf(2);
    expect((await store.submissions({ queueId: last, limit: 9 })).items).toEqual([anEndedSubmission(1)]);
    expect(await store.run(last, runIdOf(1))).toEqual(aClosedRun(1));
    const asked = { queueIds: [last], order: 'oldest_first', limit: 9 } as const;
    expect((await store.history(asked)).items).toEqual([{ ...aMove(1), queueId: last }]);
    for (const n of numbers(3)) {
      const { items } = await store.receipts({ queueId: queueIdOf(n), limit: 9 });
      expect(items).toEqual([aReceipt({ queueId: queueIdOf(n) })]);
    }
    const held = await lease(world);
    expect(held.map(({ queueId, repo, effect }) => [queueId, repo, effect])).toEqual(
      [3, 1, 2].map((n) => [queueIdOf(n), aRepo, anEffect(n)]),
    );
    for (const one of held) expect(await store.settle(one, [aFact(1)])).toBe(true);
  },

  'pruning changes no version and removes no lease, claim or fact': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { effects: [anEffect(1), anEffect(2)] });
    const held = await leaseOne(world);
    await store.push(id, [aFact(1)]);
    await claim(world);
    const rows = { submissions: [aSubmission(1)], runs: [aRun(1)], history: [aMove(1)] };
    const three = numbers(3).map(queueIdOf);
    for (const queueId of three.slice(1)) await open(world, { id: queueId, branch: queueId });
    for (const queueId of three.slice(1)) await write(world, { queueId, writes: someWrites(rows) });
    const shown = async () => ({
      loads: await Promise.all(three.map(async (one) => ({ ...(await loaded(world, 0, {}, one)), now: 0 }))),
      history: (await store.history({ queueIds: three, order: 'oldest_first', limit: 9 })).items,
      queues: (await store.queues({ limit: 9 })).items,
      dueNext: await dueNext(store),
    });
    const before = await shown();
    await prune(world);
    expect(await shown()).toEqual(before);
    expect(await claim(world)).toEqual([]);
    expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(2)]);
    expect(await store.settle(held, [])).toBe(true);
  },
};
