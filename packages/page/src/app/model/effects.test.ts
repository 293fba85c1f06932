import { expect, test } from 'vitest';
import type { PreviewAnswer } from '../data/commands.js';
import { effectsOf } from './effects.js';

const nothing: PreviewAnswer = {
  refusal: null,
  started: [],
  startedCount: 0,
  cancelled: [],
  cancelledCount: 0,
  ciMinutesLost: 0,
  moves: [],
  movesCount: 0,
  positions: [],
  positionsCount: 0,
  merges: [],
};

test('a preview is said in sentences, the costs first', () => {
  const run = { purpose: 'test' as const, prNumbers: [42], testedOnTopOf: [41] };
  const cancelled = { ...run, testRunId: 'r', cause: 'restarted', hadPassed: false, ciMinutes: 12 };
  expect(
    effectsOf({
      ...nothing,
      cancelled: [cancelled],
      cancelledCount: 1,
      ciMinutesLost: 12.2,
      started: [run],
      startedCount: 1,
      moves: [{ prNumber: 42, from: 'testing', to: 'cancelled', reason: null }],
      movesCount: 1,
      positions: [
        { prNumber: 43, from: 3, to: 2 },
        { prNumber: 42, from: 2, to: null },
      ],
      positionsCount: 2,
    }),
  ).toEqual([
    '1 test run would be cancelled (#42); 12 CI minutes would be lost.',
    '1 test run would start: #42 on top of #41.',
    '#42 would go from testing to cancelled.',
    '#43 would be number 2 in line, not 3.',
  ]);
});

test('a preview without effects has no sentence', () => {
  expect(effectsOf(nothing)).toEqual([]);
});
