import { expect, test } from 'vitest';
import { linePieces, roundMaximum, stackedBars } from './chart.js';

test.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [12, 20],
  [23, 25],
  [99, 100],
  [101, 200],
])('a chart of values up to %d ends at %d', (value, maximum) => {
  expect(roundMaximum(value)).toBe(maximum);
});

test('bars of one bucket stand on each other', () => {
  const { bars, maximum } = stackedBars([
    { name: 'Merged', tone: 'good', values: [6, 0] },
    { name: 'Failed', tone: 'bad', values: [2, 1] },
  ]);
  expect(maximum).toBe(10);
  expect(bars).toEqual([
    { index: 0, tone: 'good', from: 0, to: 0.6 },
    { index: 0, tone: 'bad', from: 0.6, to: 0.8 },
    { index: 1, tone: 'bad', from: 0, to: 0.1 },
  ]);
});

test('a line has a gap where there is no value', () => {
  expect(linePieces([5, null, 10, 0], 10)).toEqual([
    [[0.125, 0.5]],
    [
      [0.625, 1],
      [0.875, 0],
    ],
  ]);
});
