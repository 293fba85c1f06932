import { describe, expect, test } from 'vitest';
import { isFlaky, withFlakes, withTests } from './flakes.js';

describe('a check', () => {
  test('a check is flaky once one in 50 of its tests has failed by chance', () => {
    const isFlakyAt = (tests: number, flakes: number) =>
      isFlaky({ flakeCounts: { build: { tests, flakes } } }, 'build');

    expect([isFlakyAt(50, 1), isFlakyAt(51, 1), isFlakyAt(10, 0)]).toEqual([true, false, false]);
    expect([isFlaky({}, 'build'), isFlaky({ flakeCounts: {} }, 'build')]).toEqual([false, false]);
  });

  test('a check has later tests count more: after 500 of them both counts are halved', () => {
    const after = (tests: number) =>
      withTests({ flakeCounts: { build: { tests, flakes: 20 } } }, ['build'], ['build']).build;

    expect(after(499)).toEqual({ tests: 500, flakes: 20 });
    expect(after(500)).toEqual({ tests: 251, flakes: 10 });
    expect(withTests({}, ['build'], ['build'])).toEqual({ build: { tests: 1, flakes: 0 } });
  });

  test('a check keeps its counts while it is required', () => {
    const flakeCounts = { build: { tests: 3, flakes: 1 }, old: { tests: 9, flakes: 0 } };

    expect(withTests({ flakeCounts }, ['lint'], ['build', 'lint'])).toEqual({
      build: { tests: 3, flakes: 1 },
      lint: { tests: 1, flakes: 0 },
    });
  });

  test('a check counts a failure by chance for itself alone', () => {
    const flakeCounts = { build: { tests: 3, flakes: 1 }, lint: { tests: 9, flakes: 0 } };

    expect(withFlakes({ flakeCounts }, ['build', 'gone'])).toEqual({
      build: { tests: 3, flakes: 2 },
      lint: { tests: 9, flakes: 0 },
    });
  });
});
