import { expect, test } from 'vitest';
import { Passage } from './passage.js';

test('whatever passes, those that are there are found in the order in which they came', () => {
  const passage = new Passage<number, string>();
  passage.set(-1, 'stays');
  for (let n = 0; n < 5_000; n += 1) {
    passage.set(n, `${n}`);
    if (n >= 3) passage.delete(n - 3);
  }

  expect([...passage]).toEqual([
    [-1, 'stays'],
    [4_997, '4997'],
    [4_998, '4998'],
    [4_999, '4999'],
  ]);
  expect([passage.size, passage.get(-1), passage.get(0)]).toEqual([4, 'stays', undefined]);
  expect([...passage.keys()]).toEqual([-1, 4_997, 4_998, 4_999]);
  expect([...passage.values()]).toEqual(['stays', '4997', '4998', '4999']);
});

test('many who stay are there, and one that is set anew keeps its place', () => {
  const passage = new Passage<number, string>();
  for (let n = 0; n < 3_000; n += 1) passage.set(n, 'first');
  for (let n = 0; n < 3_000; n += 1) passage.set(n, 'second');

  expect(passage.size).toBe(3_000);
  expect([...passage].map(([n]) => n)).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
  expect(new Set(passage.values())).toEqual(new Set(['second']));
});
