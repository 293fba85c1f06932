import { expect, test } from 'vitest';
import { Batcher, type BatcherOptions } from './batching.js';

/** Completes nothing until the test says so. */
const held = (options?: BatcherOptions) => {
  const groups: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const together = new Batcher<number, string>(async (items) => {
    groups.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.includes(13)) throw new Error('no luck');
    return items.map((item) => `done ${item}`);
  }, options);
  const end = async (): Promise<void> => {
    for (let n = 0; ends.length === 0 && n < 10; n += 1) await Promise.resolve();
    ends.shift()?.();
  };
  return { together, groups, end };
};

const turns = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};

test('requests of one turn share a group, and later ones join the next group', async () => {
  const { together, groups, end } = held();
  const first = [together.add(1), together.add(2)];
  await Promise.resolve();
  const later = [together.add(3), together.add(4)];
  await end();
  expect(await Promise.all(first)).toEqual(['done 1', 'done 2']);
  await end();
  expect(await Promise.all(later)).toEqual(['done 3', 'done 4']);
  expect(groups).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('a failing group rejects all of its requests, and the next one runs', async () => {
  const { together, end } = held();
  const outcomes = Promise.allSettled([together.add(12), together.add(13)]);
  await end();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = together.add(14);
  await end();
  expect(await next).toBe('done 14');
});

test('groups have at most a hundred items', async () => {
  const { together, groups, end } = held();
  const all = Array.from({ length: 150 }, (_, n) => together.add(1_000 + n));
  await end();
  await end();
  await Promise.all(all);
  expect(groups.map(({ length }) => length)).toEqual([100, 50]);
});

test('with a limit of several groups, requests wait only while that many are in progress', async () => {
  const { together, groups, end } = held({ groupsLimit: 2 });
  const all: Promise<string>[] = [];
  for (const group of [[1, 2], [3], [4]]) {
    all.push(...group.map((n) => together.add(n)));
    await turns();
  }
  expect(groups).toEqual([[1, 2], [3]]);
  for (let n = 0; n < 3; n += 1) await end();
  await Promise.all(all);
  expect(groups).toEqual([[1, 2], [3], [4]]);
});

test('by default one group is in progress at a time', async () => {
  const { together, groups, end } = held();
  const all = [together.add(1)];
  await turns();
  all.push(together.add(2));
  await turns();
  expect(groups).toEqual([[1]]);
  await end();
  await end();
  await Promise.all(all);
});

test('without a limit of groups, surplus items start further groups at once', async () => {
  const { together, groups, end } = held({ groupsLimit: Number.POSITIVE_INFINITY, itemsLimit: 2 });
  const all = [1, 2, 3, 4, 5].map((n) => together.add(n));
  await turns();
  expect(groups).toEqual([[1, 2], [3, 4], [5]]);
  for (let n = 0; n < 3; n += 1) await end();
  await Promise.all(all);
});
