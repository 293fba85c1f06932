import { expect, test } from 'vitest';
import { Overlay } from './overlay.js';

test('an overlay counts matching rows, including added ones and without those that no longer match', () => {
  const overlay = new Overlay(new Map([1, 2, 3].map((id) => [id, 'live'])));
  overlay.put(1, 'ended');
  overlay.put(2, 'live');
  overlay.put(4, 'live');
  overlay.put(5, 'ended');
  const isLive = (row: string) => row === 'live';

  expect(overlay.count(isLive)).toBe(3);
  expect(overlay.all(isLive)).toHaveLength(3);
});
