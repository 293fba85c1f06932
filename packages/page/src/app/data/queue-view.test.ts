import { expect, test } from 'vitest';
import { changedRows } from './queue-view.js';

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

test('a change with an order has the rows in that order, and none that it does not name', () => {
  const change = { rows: [], removed: [], order: [3, 1, 9] };
  expect(changedRows(before, change, keyOf)).toEqual([before[2], before[0]]);
});

test('without a change the rows are the same object, so that nothing is drawn again', () => {
  expect(changedRows(before, undefined, keyOf)).toBe(before);
});
