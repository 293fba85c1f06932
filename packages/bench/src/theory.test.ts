import { Random } from '@mq/random';
import { describe, expect, test } from 'vitest';
import {
  bestHalving,
  bestPrefixSize,
  entropy,
  optimum,
  PrefixPlan,
  prefixBisection,
  simulatedHalving,
} from './theory.js';

const rates = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];

describe('runs per pull request', () => {
  test.each([
    [0.02, 0.142],
    [0.05, 0.288],
    [0.1, 0.473],
    [0.15, 0.614],
    [0.2, 0.728],
    [0.3, 0.888],
  ])('runs per pull request of the best plan at a failure rate of %f are %f', (rate, runs) => {
    expect(optimum(rate).runs).toBeCloseTo(runs, 3);
  });

  test.each(rates)(
    'at a failure rate of %f the bound, the best plan, ours and halving are in this order',
    (rate) => {
      const ours = prefixBisection(rate, bestPrefixSize(rate));
      const inOrder = [entropy(rate), optimum(rate).runs, ours, bestHalving(rate).runs];
      expect(inOrder.map((runs) => runs + 1e-6).every((runs, at) => runs >= (inOrder[at - 1] ?? 0))).toBe(
        true,
      );
    },
  );

  test('our plan, executed, matches its formula', () => {
    const random = new Random(1);
    const broken = Array.from({ length: 200_100 }, () => random.chance(0.1));
    const plan = new PrefixPlan(7, (pr) => broken[pr] ?? false);
    expect(plan.advanceTo(200_000) / plan.decided).toBeCloseTo(prefixBisection(0.1, 7), 2);
  });

  test('halving, executed, matches its formula', () => {
    const { size, runs } = bestHalving(0.1);
    expect(simulatedHalving(0.1, size, 50_000, new Random(1))).toBeCloseTo(runs, 2);
  });

  test('one culprit in 16 takes the first test run and one per halving', () => {
    const plan = new PrefixPlan(16, (pr) => pr === 11);
    expect(plan.advanceTo(11)).toBe(1 + 4);
  });
});
