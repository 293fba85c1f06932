import {
  aClosedRun,
  aCommit,
  aFact,
  aMove,
  anEffect,
  aQueue,
  aReceipt,
  aRepo,
  aRun,
  aSubmission,
  aTargetBook,
  aVerdict,
  commitIdOf,
  effectIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
  virtualClock,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryStore } from './memory-store.js';

const id = queueIdOf(1);
const noRecall = { prs: [], inputIds: [] };

describe('a memory store', () => {
  test('a memory store keeps the newest history rows up to the limit', async () => {
    const store = memoryStore({ retention: { historyRows: 3 } });
    await store.createQueue(aQueue(), 0, null);
    for (let n = 1; n <= 9; n += 1)
      await store.commit(
        aCommit({ expected: n, writes: someWrites({ history: [aMove(n, { pr: 1 + (n % 2) })] }) }),
      );
    const read = async (about: { pr?: number }) =>
      (await store.history({ queueIds: [id], order: 'oldest_first', limit: 99, ...about })).items.map(
        ({ sequence }) => sequence,
      );
    expect(await read({})).toEqual([7, 8, 9]);
    expect(await read({ pr: 1 })).toEqual([8]);
    expect(await read({ pr: 2 })).toEqual([7, 9]);
  });

  test('a memory store keeps the limit of history rows also when one commit adds many', async () => {
    const store = memoryStore({ retention: { historyRows: 3 } });
    await store.createQueue(aQueue(), 0, null);
    const history = [1, 2, 3, 4, 5, 6].map((n) => aMove(n, { pr: 1 + (n % 2) }));
    await store.commit(aCommit({ writes: someWrites({ history }) }));

    const { items } = await store.history({ queueIds: [id], order: 'newest_first', limit: 99 });
    expect(items.map(({ sequence }) => sequence)).toEqual([6, 5, 4]);
  });

  test('a memory store tells replicas that test runs beyond the retention are closed', async () => {
    const store = memoryStore({ retention: { closedRuns: 1 } });
    await store.createQueue(aQueue(), 0, null);
    await store.commit(aCommit({ writes: someWrites({ runs: [aRun(1), aRun(2), aRun(3)] }) }));
    await store.commit(
      aCommit({ expected: 2, writes: someWrites({ runs: [aClosedRun(1), aClosedRun(2)] }) }),
    );
    expect(await store.run(id, runIdOf(1))).toBe(null);
    expect(await store.run(id, runIdOf(2))).toEqual(aClosedRun(2));
    expect(await store.run(id, runIdOf(3))).toEqual(aRun(3));
    const runs = (await store.load(id, 2, noRecall))?.runs ?? [];
    expect(runs.map((run) => [run.id, run.closedAt])).toEqual(
      [1, 2].map((n) => [runIdOf(n), aClosedRun(n).closedAt]),
    );
    expect(runs.map(({ candidate }) => candidate === null)).toEqual([true, false]);
  });

  test('a memory store prunes the impacted targets written longest ago of pull requests outside the queue', async () => {
    const store = memoryStore({ retention: { targetBooks: 1 } });
    await store.createQueue(aQueue(), 0, null);
    await store.commit(
      aCommit({ writes: someWrites({ submissions: [aSubmission(1)], targets: [aTargetBook(1)] }) }),
    );
    for (const pr of [2, 3, 4])
      await store.commit(aCommit({ expected: pr, writes: someWrites({ targets: [aTargetBook(pr)] }) }));
    const kept = async () => {
      const recalled = await store.load(id, 0, { prs: [1, 2, 3, 4], inputIds: [] });
      return recalled?.recalled.targets.map(({ pr }) => pr).sort();
    };
    expect(await kept()).toEqual([1, 4]);

    const left = aSubmission(1, { state: 'cancelled' });
    await store.commit(aCommit({ expected: 5, writes: someWrites({ submissions: [left] }) }));
    expect(await kept()).toEqual([4]);
  });

  test('a memory store keeps rewritten impacted targets longer than older ones', async () => {
    const store = memoryStore({ retention: { targetBooks: 2 } });
    await store.createQueue(aQueue(), 0, null);
    for (const [index, pr] of [1, 2, 1, 3].entries())
      await store.commit(
        aCommit({ expected: index + 1, writes: someWrites({ targets: [aTargetBook(pr)] }) }),
      );

    const delta = await store.load(id, 0, { prs: [1, 2, 3], inputIds: [] });
    expect(delta?.recalled.targets.map(({ pr }) => pr)).toEqual([1, 3]);
  });

  test('a memory store keeps the impacted targets of a pull request submitted after their upload', async () => {
    const store = memoryStore({ retention: { targetBooks: 1 } });
    await store.createQueue(aQueue(), 0, null);
    await store.commit(aCommit({ writes: someWrites({ targets: [aTargetBook(1)] }) }));
    await store.commit(aCommit({ expected: 2, writes: someWrites({ submissions: [aSubmission(1)] }) }));
    for (const pr of [3, 4])
      await store.commit(aCommit({ expected: pr, writes: someWrites({ targets: [aTargetBook(pr)] }) }));

    const delta = await store.load(id, 0, { prs: [1, 3, 4], inputIds: [] });
    expect(delta?.recalled.targets.map(({ pr }) => pr)).toEqual([1, 4]);
  });

  test('a memory store prunes the passes of the trees written longest ago', async () => {
    const store = memoryStore({ retention: { verdicts: 2 } });
    await store.createQueue(aQueue(), 0, null);
    const trees = [1, 2, 3].map((n) => shaOf(n, 'd'));
    await store.commit(aCommit({ writes: someWrites({ verdicts: trees.map((tree) => aVerdict(tree)) }) }));
    const kept = await Promise.all(trees.map(async (tree) => (await store.verdicts(aRepo, tree)).length));
    expect(kept).toEqual([0, 1, 1]);
  });

  test('a memory store keeps the passes of a tree longer when it passes again', async () => {
    const store = memoryStore({ retention: { verdicts: 2 } });
    await store.createQueue(aQueue(), 0, null);
    const trees = [1, 2, 1, 3].map((n) => shaOf(n, 'd'));
    for (const [index, tree] of trees.entries())
      await store.commit(
        aCommit({ expected: index + 1, writes: someWrites({ verdicts: [aVerdict(tree)] }) }),
      );

    const kept = [1, 2, 3].map(async (n) => (await store.verdicts(aRepo, shaOf(n, 'd'))).length);
    expect(await Promise.all(kept)).toEqual([1, 0, 1]);
  });

  test('a memory store offers effects with expired leases in the order of their creation, regardless of renewals', async () => {
    const clock = virtualClock();
    const store = memoryStore({ clock });
    await store.createQueue(aQueue(), 0, null);
    await store.commit(aCommit({ effects: [1, 2, 3].map((n) => anEffect(n)) }));
    const ask = { owner: 'me', forMs: 10, limit: 9 };
    const held = await store.lease(ask);
    await store.renew(held.toReversed(), 50);
    await clock.advance(50);

    expect((await store.lease(ask)).map(({ effect }) => effect.id)).toEqual([1, 2, 3].map(effectIdOf));
  });

  test('a memory store keeps the newest passes of one tree up to the total limit', async () => {
    const store = memoryStore({ retention: { verdicts: 2 } });
    await store.createQueue(aQueue(), 0, null);
    const tree = shaOf(1, 'd');
    const verdicts = ['a', 'b', 'c'].map((name) => {
      const verdict = aVerdict(tree);
      return { ...verdict, check: { ...verdict.check, id: name } };
    });
    await store.commit(aCommit({ writes: someWrites({ verdicts }) }));
    expect((await store.verdicts(aRepo, tree)).map(({ check }) => check.id)).toEqual(['c', 'b']);
  });

  test('a memory store prunes the queues deleted first', async () => {
    const store = memoryStore({ retention: { deletedQueues: 1 } });
    for (const n of [1, 2]) {
      const queue = aQueue({ id: queueIdOf(n), deletedAt: 5 });
      await store.createQueue({ ...queue, deletedAt: null }, 0, null);
      const writes = someWrites({ queue, history: [aMove(1)] });
      await store.commit(aCommit({ id: commitIdOf(n), queueId: queue.id, writes }));
    }
    const { items } = await store.history({
      queueIds: [id, queueIdOf(2)],
      order: 'oldest_first',
      limit: 9,
    });
    expect(items.map(({ queueId }) => queueId)).toEqual([queueIdOf(2)]);
  });

  test('a memory store keeps the receipts of pruned queues', async () => {
    const store = memoryStore({ retention: { deletedQueues: 1 } });
    for (const n of [1, 2]) {
      const queue = aQueue({ id: queueIdOf(n), deletedAt: 5 });
      await store.createQueue({ ...queue, deletedAt: null }, 0, null);
      const writes = someWrites({ queue, receipts: [aReceipt({ queueId: queue.id })] });
      await store.commit(aCommit({ id: commitIdOf(n), queueId: queue.id, writes }));
    }
    expect((await store.receipts({ queueId: id, limit: 9 })).items).toEqual([aReceipt()]);
  });

  test('a memory store refuses a receipt that skips a number of its chain', async () => {
    const store = memoryStore();
    await store.createQueue(aQueue(), 0, null);
    const writes = someWrites({ receipts: [aReceipt({ number: 2 })] });
    await expect(store.commit(aCommit({ writes }))).rejects.toThrow('does not follow number 0');
    expect((await store.receipts({ queueId: id, limit: 9 })).items).toEqual([]);
  });

  test.each([0, -1, 1.5, Number.NaN])(
    'a memory store refuses a retention of %s history rows',
    (historyRows) => {
      expect(() => memoryStore({ retention: { historyRows } })).toThrow(
        /retention\.historyRows is .* whole number/,
      );
    },
  );

  test('a memory store sends hints to each listener until it unsubscribes, also if two share a function', async () => {
    const store = memoryStore();
    let hints = 0;
    const listener = () => {
      hints += 1;
    };
    const [first] = [store.onWake?.(listener), store.onWake?.(listener)];
    await store.createQueue(aQueue(), 0, null);
    await Promise.resolve();
    expect(hints).toBe(2);

    first?.();
    await store.push(id, [aFact(1)]);
    await Promise.resolve();
    expect(hints).toBe(3);
  });

  test('a memory store never lets its time go back', async () => {
    let time = 100;
    const store = memoryStore({ clock: { now: () => time } });
    expect(await store.now()).toBe(100);
    time = 50;
    expect(await store.now()).toBe(100);
  });

  test('a memory store refuses a page limit of 0', async () => {
    await expect(memoryStore().queues({ limit: 0 })).rejects.toThrow('limit is 0');
  });

  test('a memory store dumps its content, also when closed', async () => {
    const store = memoryStore();
    await store.createQueue(aQueue(), 7, null);
    await store.commit(aCommit({ writes: someWrites({ submissions: [aSubmission(1)] }), wakeAt: 7 }));
    await store.close();
    expect(store.dump().queues).toMatchObject([{ version: 2, wakeAt: 7, submissions: [aSubmission(1)] }]);
  });
});
