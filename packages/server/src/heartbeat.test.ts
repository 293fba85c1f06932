import { memoryStore } from '@mq/store-memory';
import { expect, test } from 'vitest';
import { troubleOf } from './health.js';
import { heartbeat } from './heartbeat.js';

test('the heart beats whenever the engine gets as far as taking up wishes', async () => {
  let now = 0;
  const { store, silentForMs } = heartbeat(memoryStore(), () => now);
  now = 20_000;
  await store.due({ forMs: 1, limit: 1 });
  expect(silentForMs()).toBe(20_000);
  await store.lease({ owner: 'me', forMs: 1, limit: 1 });
  expect(silentForMs()).toBe(0);
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
