import { expect, test } from 'vitest';
import * as again from './mutation-vitest.mjs';

test('tests are named by their describe blocks, and numbered if they have the same name', async () => {
  const collected = await again.collect('a.test.ts', async () => {
    again.test('adds', () => {});
    again.describe('a sum', () => {
      again.describe('of two', () => {
        again.test.each([1, 2])('is whole', () => {});
      });
    });
  });

  expect(collected.map(({ id, name }) => [id, name])).toEqual([
    ['a.test.ts#1', 'adds'],
    ['a.test.ts#2', 'a sum > of two > is whole'],
    ['a.test.ts#3', 'a sum > of two > is whole'],
  ]);
});

test('what has to be done after a test is done even if it fails, and once more the next time', async () => {
  const done: string[] = [];
  const [failing] = await again.collect('b.test.ts', async () => {
    again.afterEach(() => void done.push('after, outside'));
    again.describe('a sum', () => {
      again.afterEach(() => void done.push('after, inside'));
      again.test('fails', () => again.expect(1).toBe(2));
    });
  });
  if (failing === undefined) throw new Error('nothing was collected');

  await expect(again.perform(failing)).rejects.toThrow('expected 1 to be 2');
  await expect(again.perform(failing)).rejects.toThrow('expected 1 to be 2');

  const after = ['after, inside', 'after, outside'];
  expect(done).toEqual([...after, ...after]);
});

test('rows are handed over as they are, and lists one by one', async () => {
  const handed: unknown[][] = [];
  const rows = [{ row: 1 }, [2, 'two']];
  const collected = await again.collect('c.test.ts', async () => {
    again.test.each(rows)('of a row', (...values: unknown[]) => void handed.push(values));
  });

  for (const one of collected) await again.perform(one);

  expect(handed).toEqual([[{ row: 1 }], [2, 'two']]);
});
