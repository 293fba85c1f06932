import type { RequestOrigin } from '@mq/core';
import { expect, test } from 'vitest';
import { tokenAuthenticator } from '../src/index.js';
import { apiWith, everything, queueRef, repo, scriptedQueue } from './world.js';

const other = { ...everything, id: 'token-9', token: 'secret-of-another-token' };

const setup = async () => {
  const { mq, asked } = scriptedQueue({
    deleteQueue: async () => undefined,
    setImpactedTargets: async () => ({ sha: 'a'.repeat(40) as never, impactedTargets: [], warnings: [] }),
    listQueues: async () => ({ items: [], next: null }),
  });
  const api = await apiWith({ mq, authenticate: tokenAuthenticator([everything, other]) });
  const keysOf = async (
    name: string,
    body: unknown,
    key: string,
    token = everything.token,
  ): Promise<RequestOrigin['idempotency']> => {
    const answer = await api.post(name, body, { token, headers: { 'idempotency-key': key } });
    expect(answer.status).toBe(200);
    return (asked.at(-1)!.request as RequestOrigin).idempotency;
  };
  return { ...api, asked, keysOf };
};

test('the same Idempotency-Key, token, path and body give the same id and digest, in any order of the fields of the body', async () => {
  const { keysOf } = await setup();
  const one = await keysOf('deleteQueue', { repo, targetBranch: 'main' }, 'key-1');
  const same = await keysOf(
    'deleteQueue',
    { targetBranch: 'main', unknown: 1, repo: { name: repo.name, owner: repo.owner, host: repo.host } },
    'key-1',
  );
  expect(one).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), digest: expect.any(String) });
  expect(same).toEqual(one);
});

test('another body with the same Idempotency-Key gives the same id and another digest', async () => {
  const { keysOf } = await setup();
  const one = await keysOf('deleteQueue', queueRef, 'key-1');
  const changed = await keysOf('deleteQueue', { ...queueRef, targetBranch: 'next' }, 'key-1');
  expect(changed?.id).toBe(one?.id);
  expect(changed?.digest).not.toBe(one?.digest);
});

test('an Idempotency-Key is scoped by token and path', async () => {
  const { keysOf } = await setup();
  const targets = { ...queueRef, pr: { number: 1 }, impactedTargets: [] };
  const ids = [
    await keysOf('deleteQueue', queueRef, 'key-1'),
    await keysOf('deleteQueue', queueRef, 'key-2'),
    await keysOf('deleteQueue', queueRef, 'key-1', other.token),
    await keysOf('setImpactedTargets', targets, 'key-1'),
  ].map((key) => key?.id);
  expect(new Set(ids).size).toBe(4);
});

test('a request without an Idempotency-Key and a read with one pass no idempotency to the engine', async () => {
  const { post, asked } = await setup();
  await post('deleteQueue', queueRef);
  await post('listQueues', {}, { headers: { 'idempotency-key': 'key-1' } });
  for (const { request } of asked) expect(request).not.toHaveProperty('idempotency');
});

test.each(['', ' ', 'two words', 'x'.repeat(256), 'ü'])('the Idempotency-Key %j gets 400', async (key) => {
  const { post, asked } = await setup();
  const answer = await post('deleteQueue', queueRef, { headers: { 'idempotency-key': key } });
  expect(answer.status).toBe(400);
  expect(answer.json.errors[0].path).toBe('Idempotency-Key');
  expect(asked).toEqual([]);
});
