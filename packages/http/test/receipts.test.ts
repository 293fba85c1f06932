import { type Receipt, verifyReceipts } from '@mq/core';
import { aChain, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { engineWorld } from './engine-world.js';
import { apiWith, pathsOf, queueRef, readOnly, repo, scriptedQueue } from './world.js';

test('receipts are answered exactly as stored, so that clients can check their hashes', async () => {
  const chain = aChain(3).map((receipt) => ({ ...receipt, later: { release: 2 } }));
  const head = { count: 3, hash: chain[2]?.hash ?? null };
  const { mq } = scriptedQueue({ receipts: async () => ({ items: chain, next: 'more', head }) });
  const { post } = await apiWith({ mq });
  const { json } = await post('listReceipts', queueRef, { token: readOnly.token });
  expect(json).toEqual({ receipts: chain, chain: head, nextCursor: 'more' });
});

test('listReceipts passes its parameters to the engine', async () => {
  const { mq, asked } = scriptedQueue({ receipts: async () => ({ items: [], next: null, head: null }) });
  const { post } = await apiWith({ mq });
  const body = { ...queueRef, queueId: queueIdOf(2), pr: { number: '7' }, after: 4, take: 3, cursor: 'c' };
  expect((await post('listReceipts', body)).json).toEqual({ receipts: [], chain: null });
  const wanted = { repo, targetBranch: 'main', queueId: queueIdOf(2), pr: 7, after: 4, take: 3, cursor: 'c' };
  expect(asked).toEqual([{ method: 'receipts', request: wanted }]);
});

test.each([
  [{ after: -1 }, 'after'],
  [{ after: 1.5 }, 'after'],
  [{ pr: { number: 0 } }, 'pr.number'],
  [{ queueId: '' }, 'queueId'],
  [{ take: 101 }, 'take'],
])('listReceipts refuses %j', async (extra, path) => {
  const { post } = await apiWith({});
  expect(pathsOf(await post('listReceipts', { ...queueRef, ...extra }))).toEqual([path]);
});

test('the receipts of a queue are read page by page and verified by the reader', async () => {
  const { q, ask } = await engineWorld({ concurrency: 3 });
  await q.submit(1, 2, 3);
  for (const content of ['main+1', 'main+1+2', 'main+1+2+3']) await q.passes(content);
  const receipts: Receipt[] = [];
  let page = (await ask('listReceipts', { take: 2 })).json;
  receipts.push(...page.receipts);
  page = (await ask('listReceipts', { take: 2, cursor: page.nextCursor })).json;
  receipts.push(...page.receipts);
  expect(page).not.toHaveProperty('nextCursor');
  expect(verifyReceipts(receipts, { heads: [page.chain] }).faults).toEqual([]);
  expect(receipts.map(({ pr, submitted }) => [pr, submitted?.by.name])).toEqual(
    [1, 2, 3].map((pr) => [pr, expect.any(String)]),
  );
  const ofOne = (await ask('listReceipts', { pr: { number: 2 } })).json;
  expect(ofOne.receipts).toEqual(receipts.slice(1, 2));
});

test('receipts of a queue that does not exist get 404', async () => {
  const { ask } = await engineWorld();
  expect((await ask('listReceipts', { queueId: queueIdOf(9) })).json).toMatchObject({
    status: 404,
    code: 'QUEUE_NOT_FOUND',
  });
});

test('a receipt names the submitter by the name of the token', async () => {
  const { api, ask, q } = await engineWorld();
  q.world.open(1);
  await q.world.act(() => api.post('submitPullRequest', { ...queueRef, pr: { number: 1 } }));
  await q.passes('main+1');
  const [receipt] = (await ask('listReceipts')).json.receipts;
  expect(receipt.submitted.by).toEqual({ kind: 'api', name: 'bootstrap' });
});
