import { memoryStore } from '@mq/store-memory';
import { expect, test } from 'vitest';
import { storeConformance } from './store-conformance.js';
import { codeOf, rejection } from './world.js';

test('every store that a test opened is closed, also if the test fails', async () => {
  const tries: (() => Promise<void>)[] = [];
  const opened: ReturnType<typeof memoryStore>[] = [];
  const opening = async () => {
    const store = memoryStore();
    opened.push(store);
    return store;
  };
  // `another` opens a store with other data, so that the tests with several processes fail.
  const makeStore = async () => ({ store: await opening(), another: opening, passTime: async () => {} });
  const runner = {
    describe: (_: string, body: () => void) => body(),
    test: (_: string, body: () => Promise<void>) => tries.push(body),
    expect,
  };
  storeConformance(runner, makeStore);
  const rejections = await Promise.all(tries.map((keep) => rejection(keep())));
  expect(rejections.filter((error) => error !== null).length).toBeGreaterThan(9);
  expect(opened.length).toBeGreaterThan(tries.length);
  const codes = await Promise.all(opened.map(async (store) => codeOf(await rejection(store.now()))));
  expect(new Set(codes)).toEqual(new Set(['CLOSED']));
});
