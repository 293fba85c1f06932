import { expect, test } from 'vitest';
import { Asking } from './asking.js';

/** The faults of a process that asks `times` questions, each so long after the one before. */
const asked = (times: number, everyMs: number, questionOf: (n: number) => unknown = () => 1) => {
  const asking = new Asking();
  return Array.from({ length: times }, (_, n) =>
    asking.faultsOf('getChecks', [questionOf(n)], n * everyMs),
  ).flat();
};

test('the same question put again at once is a fault, and put every two seconds is none', () => {
  expect(asked(100, 1)).not.toEqual([]);
  expect(asked(1_000, 2_000)).toEqual([]);
});

test('the same question put two times a second for a minute is a fault', () => {
  expect(asked(120, 500)).not.toEqual([]);
});

test('different questions without a pause are a fault once they are a thousand a minute', () => {
  expect(asked(500, 10, (n) => n)).toEqual([]);
  expect(asked(1_000, 10, (n) => n)).not.toEqual([]);
});
