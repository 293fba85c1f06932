import { expect, test } from 'vitest';
import { NOW } from '../../test/answers.js';
import { type Preview, previewText } from './preview.js';
import type { Style } from './style.js';
import { clock } from './time.js';

type Moved = Preview['moves'][number];

const style = (width: number): Style => ({ width, hasColours: false, now: NOW });

test('a preview says lost CI time as people do, and one move for each pull request', () => {
  const run = { purpose: 'test' as const, prNumbers: [3], testedOnTopOf: [2] };
  const move = (from: Moved['from'], to: Moved['to']): Moved =>
    ({ prNumber: 7, from, to, reason: null }) as Moved;
  const text = previewText(
    {
      ...{ refusal: null, started: [], startedCount: 0, positions: [], positionsCount: 0, merges: [] },
      cancelled: [{ ...run, testRunId: 'r', cause: 'superseded', hadPassed: false, ciMinutes: 0.138 }],
      ...{ cancelledCount: 1, ciMinutesLost: 0.138, movesCount: 3 },
      moves: [move(null, 'not_ready'), move('not_ready', 'pending'), move('pending', 'testing')],
    } as unknown as Preview,
    style(100),
  );

  expect(text).toContain('1 test run would be cancelled (8 s of CI time lost):');
  expect(text).toContain('#3 on top of #2: stopped after 8 s');
  expect(text).toContain('States would change:\n  #7: not in the queue → testing\n');
});

test('a preview of a pause says which expected merges it delays, and why none is known', () => {
  const at = (minutes: number) => ({
    status: 'available',
    expectedMergeAt: new Date(NOW + minutes * 60_000).toISOString(),
  });
  const paused = { status: 'unavailable', reason: 'paused', sentence: 'The queue is paused.' };
  const none = { started: [], startedCount: 0, cancelled: [], cancelledCount: 0, ciMinutesLost: 0 };
  const still = { ...none, refusal: null, moves: [], movesCount: 0, positions: [], positionsCount: 0 };
  const textOf = (merges: readonly object[]) =>
    previewText({ ...still, merges } as unknown as Preview, style(100));
  const time = (minutes: number) => clock(at(minutes).expectedMergeAt, NOW);

  expect(
    textOf([
      { prNumber: 8, before: at(6), after: paused },
      { prNumber: 9, before: at(7), after: paused },
      { prNumber: 10, before: at(8), after: at(9) },
      { prNumber: 11, before: at(8), after: at(8) },
    ]),
  ).toBe(
    [
      'No test run, state or position would change at once.',
      'Expected merges would change:',
      `  #8 (${time(6)}), #9 (${time(7)}) → not known. The queue is paused.`,
      `  #10: ${time(8)} → ${time(9)}`,
      'A preview: nothing was changed.',
    ].join('\n'),
  );
  expect(textOf([])).toMatch(/^No test run, state or position would change\.\n/);
});
