import { expect, test } from 'vitest';
import { engineWorld, pr } from './engine-world.js';
import { queueRef } from './world.js';

const key = (value: string) => ({ headers: { 'idempotency-key': value } });

test('a repeated Idempotency-Key with the same body gets the first answer, whatever happened since', async () => {
  const { q, ask } = await engineWorld();
  q.world.open(1);
  const first = await ask('submitPullRequest', pr(1), key('a'));
  await q.fails('main+1');
  const again = await ask('submitPullRequest', pr(1), key('a'));
  expect(again.status).toBe(200);
  expect(again.json).toEqual(first.json);
  expect((await ask('getSubmittedPullRequest', pr(1))).json).toMatchObject({ state: 'failed', attempt: 1 });
  expect((await ask('submitPullRequest', pr(1), key('b'))).json.attempt).toBe(2);
});

test('a repeated Idempotency-Key with another body gets 422 and does nothing', async () => {
  const { q, ask } = await engineWorld();
  q.world.open(1, 2);
  await ask('submitPullRequest', pr(1), key('a'));
  const refused = await ask('submitPullRequest', pr(2), key('a'));
  expect([refused.status, refused.json.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  expect((await ask('getSubmittedPullRequest', pr(2))).status).toBe(404);
});

test('two concurrent requests with the same Idempotency-Key run once', async () => {
  const { q, api } = await engineWorld();
  await q.submit(1);
  const body = { ...queueRef, ...pr(1) };
  const answers = await q.world.act(() =>
    Promise.all([
      api.post('cancelPullRequest', body, key('a')),
      api.post('cancelPullRequest', body, key('a')),
      api.post('cancelPullRequest', body, key('a')),
    ]),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(answers[0]?.json);
  }
});

test('a repeated request that was refused gets the same refusal', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(1);
  const refused = await ask('deleteQueue', {}, key('a'));
  await q.cancel(1);
  const again = await ask('deleteQueue', {}, key('a'));
  expect([refused.status, again.status, again.json.detail]).toEqual([400, 400, refused.json.detail]);
  expect((await ask('deleteQueue', {}, key('b'))).status).toBe(200);
});

test('createQueue, updateQueue and deleteQueue run once per Idempotency-Key', async () => {
  const { ask } = await engineWorld({}, { queue: false });
  const created = await ask('createQueue', { concurrency: 2 }, key('c'));
  expect((await ask('createQueue', { concurrency: 2 }, key('c'))).json).toEqual(created.json);
  await ask('updateQueue', { concurrency: 3 }, key('u'));
  await ask('updateQueue', { concurrency: 4 });
  await ask('updateQueue', { concurrency: 3 }, key('u'));
  expect((await ask('getQueue')).json.concurrency).toBe(4);
  expect((await ask('deleteQueue', {}, key('d'))).status).toBe(200);
  expect((await ask('deleteQueue', {}, key('d'))).status).toBe(200);
});
