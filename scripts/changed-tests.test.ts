import { describe, expect, test } from 'vitest';
import { chooseTests } from './changed-tests.mjs';

const times = {
  'a/judge.test.ts': 900,
  'a/fast.test.ts': 10,
  'a/slow.test.ts': 500,
  'a/late.story.test.ts': 800,
};
const related = Object.keys(times);

describe('chooseTests', () => {
  test('chooseTests runs the fastest until the budget is used up', () => {
    expect(chooseTests({ related, changed: ['b/other.ts'], times, budgetMs: 600 })).toEqual({
      chosen: ['a/fast.test.ts', 'a/slow.test.ts'],
      left: ['a/late.story.test.ts', 'a/judge.test.ts'],
    });
  });

  test('chooseTests runs the tests beside a change and changed tests first, whatever they take', () => {
    const changed = ['a/judge.ts', 'a/late.story.test.ts'];
    expect(chooseTests({ related, changed, times, budgetMs: 600 })).toEqual({
      chosen: ['a/late.story.test.ts', 'a/judge.test.ts'],
      left: ['a/fast.test.ts', 'a/slow.test.ts'],
    });
  });

  test('chooseTests assumes a second of a test that has never run', () => {
    const { chosen } = chooseTests({
      related: ['a/x.test.ts', 'a/y.test.ts'],
      changed: [],
      times: {},
      budgetMs: 1_500,
    });
    expect(chosen).toEqual(['a/x.test.ts']);
  });
});
