import { ANSWERS_KEPT_MS, VERDICTS_PER_TREE } from '@mq/core';
import {
  aClosedRun,
  aCommit,
  aFact,
  aMove,
  anAnswer,
  aQueue,
  aReceipt,
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
} from '@mq/testkit';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresStoreOptions } from '../src/index.js';
import { freshStore, postgres } from './worlds.js';

const server = postgres();
afterAll(() => server.pool.end());

const id = queueIdOf(1);
const noRecall = { prs: [], inputIds: [] };

const open = async (options: Partial<PostgresStoreOptions> = {}) => {
  const made = await freshStore(server, options);
  onTestFinished(async () => {
    await made.store.close();
    await made.end();
  });
  await made.store.createQueue(aQueue(), 0, null);
  return made;
};

describe('what is kept of the past', () => {
  test('the retention keeps the newest history rows up to the limit', async () => {
    const { store } = await open({ retention: { historyRows: 3 } });
    for (let n = 1; n <= 9; n += 1) {
      const history = [aMove(n, { pr: 1 + (n % 2) })];
      await store.commit(aCommit({ expected: n, writes: someWrites({ history }) }));
    }
    await store.prune();
    const read = async (about: { pr?: number }) =>
      (await store.history({ queueIds: [id], order: 'oldest_first', limit: 99, ...about })).items.map(
        ({ sequence }) => sequence,
      );
    expect([await read({}), await read({ pr: 1 }), await read({ pr: 2 })]).toEqual([[7, 8, 9], [8], [7, 9]]);
  });

  test('the retention keeps the test runs closed last, and that the others are closed', async () => {
    const { store } = await open({ retention: { closedRuns: 1 } });
    await store.commit(aCommit({ writes: someWrites({ runs: [aRun(1), aRun(2), aRun(3)] }) }));
    const closed = [aClosedRun(1), aClosedRun(2)];
    await store.commit(aCommit({ expected: 2, writes: someWrites({ runs: closed }) }));
    await store.prune();
    expect(await store.run(id, runIdOf(1))).toBe(null);
    expect(await store.run(id, runIdOf(2))).toEqual(aClosedRun(2));
    expect(await store.run(id, runIdOf(3))).toEqual(aRun(3));
    const ends = (await store.load(id, 2, noRecall))?.runs.map((run) => [run.id, run.closedAt]);
    expect(ends?.sort()).toEqual([1, 2].map((n) => [runIdOf(n), aClosedRun(n).closedAt]));
  });

  test('the retention keeps the impacted targets of the queue, and the newest of others', async () => {
    const { store } = await open({ retention: { targetBooks: 1 } });
    await store.commit(
      aCommit({ writes: someWrites({ submissions: [aSubmission(1)], targets: [aTargetBook(1)] }) }),
    );
    for (const pr of [2, 3, 4])
      await store.commit(aCommit({ expected: pr, writes: someWrites({ targets: [aTargetBook(pr)] }) }));
    await store.prune();
    const kept = async () => {
      const recalled = await store.load(id, 0, { prs: [1, 2, 3, 4], inputIds: [] });
      return recalled?.recalled.targets.map(({ pr }) => pr).sort();
    };
    expect(await kept()).toEqual([1, 4]);

    const left = aSubmission(1, { state: 'cancelled' });
    await store.commit(aCommit({ expected: 5, writes: someWrites({ submissions: [left] }) }));
    await store.prune();
    expect(await kept()).toEqual([4]);
  });

  test('the retention keeps the passes of the trees written last', async () => {
    const { store } = await open({ retention: { verdicts: 2 } });
    const trees = [1, 2, 3].map((n) => shaOf(n, 'd'));
    await store.commit(aCommit({ writes: someWrites({ verdicts: trees.map((tree) => aVerdict(tree)) }) }));
    await store.prune();
    const kept = await Promise.all(trees.map(async (tree) => (await store.verdicts(aRepo, tree)).length));
    expect(kept).toEqual([0, 1, 1]);
  });

  test('the retention keeps the passes of a tree that can be read, and all of the tree written last', async () => {
    const { store } = await open({ retention: { verdicts: 1 } });
    const verdicts = Array.from({ length: VERDICTS_PER_TREE + 1 }, (_, n) =>
      aVerdict(shaOf(1, 'd'), { id: `check ${n}` }),
    );
    await store.commit(aCommit({ writes: someWrites({ verdicts }) }));
    await store.prune();
    expect(await store.verdicts(aRepo, shaOf(1, 'd'))).toEqual(
      verdicts.toReversed().slice(0, VERDICTS_PER_TREE),
    );
  });

  test('an answer is kept until its time ends', async () => {
    const { store, setTime } = await open();
    await setTime(1_000);
    await store.commit(aCommit({ answers: [anAnswer(1)] }));
    await setTime(1_000 + ANSWERS_KEPT_MS - 1);
    await store.prune();
    expect(await store.answers([inputIdOf(1)])).toEqual([anAnswer(1)]);
  });

  test('the retention keeps answers for their time, the queues deleted last, and every receipt', async () => {
    const { store, passTime, schema } = await open({ retention: { deletedQueues: 1 } });
    for (const n of [1, 2]) {
      const queue = aQueue({ id: queueIdOf(n), deletedAt: 5 });
      await store.createQueue({ ...queue, deletedAt: null }, 0, null);
      const writes = someWrites({
        queue,
        submissions: [aSubmission(1)],
        runs: [aRun(1)],
        targets: [aTargetBook(1)],
        history: [aMove(1)],
        receipts: [aReceipt({ queueId: queue.id })],
      });
      await store.push(queue.id, [aFact(n)]);
      await store.commit(aCommit({ id: commitIdOf(n), queueId: queue.id, writes, answers: [anAnswer(n)] }));
    }
    await passTime(25 * 3_600_000);
    await store.prune();
    const items = async (n: number) => [
      (await store.submissions({ queueId: queueIdOf(n), limit: 9 })).items.length,
      (await store.history({ queueIds: [queueIdOf(n)], order: 'oldest_first', limit: 9 })).items.length,
      (await store.receipts({ queueId: queueIdOf(n), limit: 9 })).items.length,
    ];
    expect([await items(1), await items(2)]).toEqual([
      [0, 0, 1],
      [1, 1, 1],
    ]);
    const rowsIn = async (table: string, where = 'true') => {
      const from = `"${schema.replaceAll('"', '""')}".${table} where ${where}`;
      return (await server.pool.query(`select * from ${from}`)).rows.length;
    };
    expect(await rowsIn('answers')).toBe(0);
    const left: string[] = [];
    for (const table of [
      'wakes',
      'inbox',
      'submissions',
      'runs',
      'targets',
      'history',
      'history_prs',
      'effects',
    ])
      if ((await rowsIn(table, `queue_id = '${queueIdOf(1)}'`)) > 0) left.push(table);
    expect(left).toEqual([]);
  });

  test('a limit that is not a whole number of at least 1 is refused', async () => {
    await expect(freshStore(server, { retention: { verdicts: 0 } })).rejects.toThrow(
      'retention.verdicts is 0',
    );
  });
});
