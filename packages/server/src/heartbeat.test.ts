import type { Store } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { aCommit, aQueue, queueIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { troubleOf } from './health.js';
import { heartbeat } from './heartbeat.js';

test('the heart beats whenever the engine gets as far as leasing effects', async () => {
  let now = 5_000;
  const { store, silentForMs } = heartbeat(memoryStore(), () => now);
  expect(silentForMs()).toBe(0);
  now = 25_000;
  await store.due({ forMs: 1, limit: 1 });
  expect(silentForMs()).toBe(20_000);
  await store.lease({ owner: 'me', forMs: 1, limit: 1 });
  expect(silentForMs()).toBe(0);
});

test('decisions that cannot be stored are noticed until one is stored, or no retry is left', async () => {
  let now = 0;
  const { store, failingForMs } = heartbeat(memoryStore(), () => now);
  const decide = (id = queueIdOf(1)) => store.commit(aCommit({ queueId: id })).catch(() => 'failed');
  await store.createQueue(aQueue(), 0, null);
  await store.close();
  for (const at of [0, 10_000, 20_000]) {
    now = at;
    expect(await decide()).toBe('failed');
  }
  now = 25_000;
  expect(failingForMs()).toBe(20_000);
  now = 120_000;
  expect(failingForMs()).toBe(0);
  expect(await decide()).toBe('failed');
  expect(failingForMs()).toBe(0);
});

test('a repeated failure is reported as long as it is retried', async () => {
  let now = 0;
  const { store, failingForMs } = heartbeat(
    { ...({} as Store), commit: () => Promise.reject(new Error('full')) },
    () => now,
  );
  for (now = 0; now <= 240_000; now += 80_000) await store.commit(aCommit()).catch(() => undefined);
  expect(failingForMs()).toBe(240_000);
});

test('the time that a try took before it failed counts', async () => {
  let now = 0;
  const commit = async () => {
    now += 60_000;
    throw new Error('no answer');
  };
  const { store, failingForMs } = heartbeat({ ...({} as Store), commit }, () => now);
  await store.commit(aCommit()).catch(() => undefined);
  expect(failingForMs()).toBe(60_000);
});

test('a stored decision sets the time of failing writes back to zero', async () => {
  let isFull = true;
  let now = 0;
  const memory = memoryStore();
  const { store, failingForMs } = heartbeat(
    {
      ...({} as Store),
      commit: (commit) => (isFull ? Promise.reject(new Error('full')) : memory.commit(commit)),
    },
    () => now,
  );
  await memory.createQueue(aQueue(), 0, null);
  await store.commit(aCommit()).catch(() => undefined);
  now = 20_000;
  await store.commit(aCommit()).catch(() => undefined);
  isFull = false;
  expect(failingForMs()).toBe(20_000);
  expect((await store.commit(aCommit())).kind).toBe('committed');
  expect(failingForMs()).toBe(0);
});

test('a watched store answers what the store answers', async () => {
  const { store } = heartbeat(memoryStore());
  expect(await store.queues({ limit: 1 })).toEqual({ items: [], next: null });
  await store.close();
  await expect(store.now()).rejects.toThrow();
});

test('nothing is served before and after the phase of serving', () => {
  expect(troubleOf({ phase: () => 'starting' })).toBe('The service is starting.');
  expect(troubleOf({ phase: () => 'serving' })).toBe(null);
  expect(troubleOf({ phase: () => 'stopping' })).toBe('The service is stopping.');
});
