import { describe, expect, test } from 'vitest';
import { CURSOR_CHARS_LIMIT, cursorOf, type Listing, readCursor } from './paging.js';

const rows: Listing = { name: 'rows', shape: ['number', 'string'] };
const raw = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');

describe('a cursor', () => {
  test('a cursor is decoded to its key', () => {
    expect(readCursor(rows, cursorOf(rows, [7, 'ümläut']))).toEqual([7, 'ümläut']);
    expect(readCursor(rows, undefined)).toBeNull();
  });

  test.each([
    ['of another list', cursorOf({ ...rows, name: 'runs' }, [7, 'a'])],
    ['of too few parts', raw(['rows', 7])],
    ['of too many parts', raw(['rows', 7, 'a', 'b'])],
    ['of parts of another kind', raw(['rows', '7', 'a'])],
    ['with half a number', raw(['rows', 7.5, 'a'])],
    ['with a number that none is exactly', raw(['rows', 2 ** 60, 'a'])],
    ['that is not a list', raw({ name: 'rows' })],
    ['that is not JSON', 'nothing'],
    ['that is longer than any that was given out', cursorOf(rows, [7, 'a'.repeat(CURSOR_CHARS_LIMIT)])],
  ])('%s is refused', (_, cursor) => {
    expect(() => readCursor(rows, cursor)).toThrow(expect.objectContaining({ code: 'CURSOR_INVALID' }));
  });
});
