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
      message: '--name "soon" is not a time.',
      remedy: expect.stringContaining('30m, 2h'),
    }),
  );
});

test('a past instant that is in the future is refused, but not one by a clock that is a little ahead', () => {
  expect(() => requirePastInstant('--at', '2026-05-04T14:06:01Z', NOW)).toThrow(
    expect.objectContaining({ code: 'TIME_WRONG', message: expect.stringContaining('is in the future') }),
  );
  expect(requirePastInstant('--at', '2026-05-04T14:06:00Z', NOW)).toBe('2026-05-04T14:06:00.000Z');
});

test('a time of day is read as it is shown, with its seconds', () => {
  const shown = new Date(NOW - 90_000);
  const text = [shown.getHours(), shown.getMinutes(), shown.getSeconds()]
    .map((one) => String(one).padStart(2, '0'))
    .join(':');
  expect(requirePastInstant('--at', text, NOW)).toBe(shown.toISOString());
  expect(() => requirePastInstant('--at', '14:05:60', NOW)).toThrow('is not a time');
});

test('a future instant that has passed is refused', () => {
  expect(() => requireFutureInstant('<until>', '2026-05-04T14:04:59Z', NOW)).toThrow(
    expect.objectContaining({ code: 'TIME_WRONG', message: '<until> "2026-05-04T14:04:59Z" has passed.' }),
  );
});
