import { describe, expect, test } from 'vitest';
import { cutName, durationOf, holdersOf, listed, quoted, timeOf } from './phrases.js';

describe('formatting', () => {
  test.each([
    [-5, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '59 min'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [100_800_000, '1 d 4 h'],
  ])('%i ms is shown as %s', (ms, words) => {
    expect(durationOf(ms)).toBe(words);
  });

  test('times are shown in UTC', () => {
    expect(timeOf(Date.UTC(2026, 4, 4, 9, 8, 7, 6))).toBe('2026-05-04 09:08:07 UTC');
  });

  test.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'a, b, c, d, e and 2 more'],
  ])('%j is listed as "%s"', (names, words) => {
    expect(listed(names)).toBe(words);
  });

  test('holders of slots are listed per test run, so that a batch shows as one', () => {
    const run = (...prs: readonly number[]) => ({ batch: prs.map((pr) => ({ pr })) });

    expect(holdersOf([run(1), run(2)])).toBe('#1 and #2');
    expect(holdersOf([run(1, 2), run(3)])).toBe('the batch of #1 and #2, and #3');
    expect(holdersOf([1, 3, 5, 7, 9, 11].map((pr) => run(pr, pr + 1)))).toMatch(/, and 1 more$/);
  });

  test('a quoted text is one line without its full stop, and is cut', () => {
    expect(quoted(' Not\n\tnow. ', '')).toBe('Not now');
    expect(quoted(null, 'no reason was given')).toBe('no reason was given');
    expect(quoted('...', 'nothing')).toBe('nothing');
    expect(quoted('x'.repeat(301), '')).toBe(`${'x'.repeat(300)}…`);
    expect(quoted('x'.repeat(300), '')).toBe('x'.repeat(300));
    expect(cutName('x'.repeat(81))).toBe(`${'x'.repeat(80)}…`);
    expect(cutName('x'.repeat(80))).toBe('x'.repeat(80));
  });
});
