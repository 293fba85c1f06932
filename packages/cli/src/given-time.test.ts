import { expect, test } from 'vitest';
import { requireDuration, requireFutureInstant, requirePastInstant } from './given-time.js';

const NOW = Date.parse('2026-05-04T14:05:00Z');

test('a duration is counted back for a past instant, and ahead for a future one', () => {
  expect(requirePastInstant('--since', '5m', NOW)).toBe('2026-05-04T14:00:00.000Z');
  expect(requireFutureInstant('--expires', '5m', NOW)).toBe('2026-05-04T14:10:00.000Z');
  expect(requireFutureInstant('--expires', 'never', NOW)).toBeNull();
  expect(requireDuration('--overlap', '0')).toBe(0);
});

test.each([
  ['a duration', requireDuration],
  ['a past instant', requirePastInstant],
  ['a future instant', requireFutureInstant],
])('%s that cannot be read is refused with its argument and examples', (_, require) => {
  expect(() => require('--name', 'soon', NOW)).toThrow(
    expect.objectContaining({
      code: 'TIME_WRONG',
      message: '--name "soon" is no time.',
      remedy: expect.stringContaining('30m, 2h'),
    }),
  );
});
