import { expect, test } from 'vitest';
import { changedRows, follows } from './queue-view.js';

interface Entry {
  readonly key: number;
  readonly text: string;
}

const keyOf = ({ key }: Entry): number => key;
const before: readonly Entry[] = [
  { key: 1, text: 'one' },
  { key: 2, text: 'two' },
  { key: 3, text: 'three' },
];

test('a change replaces rows in their place, removes some, and adds others', () => {
  const change = {
    rows: [
      { key: 2, text: 'second' },
      { key: 4, text: 'four' },
    ],
    removed: [1],
  };
  expect(changedRows(before, change, keyOf).map(({ text }) => text)).toEqual(['second', 'three', 'four']);
});

test('a change with an order has the rows in that order, and no others', () => {
  const change = { rows: [], removed: [], order: [3, 1, 9] };
  expect(changedRows(before, change, keyOf)).toEqual([before[2], before[0]]);
});

test('without a change the rows are the same object, so that nothing is drawn again', () => {
  expect(changedRows(before, undefined, keyOf)).toBe(before);
});

test('what a stream brings is applied to what it changes or to something newer, and not to something else', () => {
  const change = { since: 'a.5', version: 'a.10' };
  expect(['a.5', 'a.7', 'a.10'].map((held) => follows(held, change))).toEqual([true, true, true]);
  expect(['a.4', 'a.11', 'b.7'].map((held) => follows(held, change))).toEqual([false, false, false]);
  expect(follows('b.7', { since: null, version: 'a.1' })).toBe(true);
});
