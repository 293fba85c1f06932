import { expect, test } from 'vitest';
import { durationText, relativeText } from './time.js';

const MINUTE = 60_000;

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [6 * MINUTE, '6 min'],
  [125 * MINUTE, '2 h 5 min'],
  [120 * MINUTE, '2 h'],
  [26 * 60 * MINUTE, '26 h'],
  [72 * 60 * MINUTE, '3 d'],
  [-5, '0 s'],
])('a duration of %i ms is said as "%s"', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('an instant is said by its distance from now', () => {
  expect(relativeText(0, 6 * MINUTE)).toBe('6 min ago');
  expect(relativeText(6 * MINUTE, 0)).toBe('in 6 min');
  expect(relativeText(1_000, 0)).toBe('now');
});
