import { expect, test } from 'vitest';
import { arrayBytes } from './array-bytes.js';

const hex = (bytes: Buffer): string => bytes.toString('hex');
const head = (nulls: 0 | 1, oid: string, length: string): string =>
  `000000010000000${nulls}${oid}${length}00000001`;

test('numbers are encoded in eight bytes, also negative ones and those beyond four bytes', () => {
  const items = [0, 1, -1, 4_294_967_296, -4_294_967_297, 1_795_498_530_177, Number.MAX_SAFE_INTEGER];

  const bytes = arrayBytes({ of: 'bigint', items });

  const read = items.map((_, index) => Number(bytes.readBigInt64BE(24 + 12 * index)));
  expect(read).toEqual(items);
});

test.each([1.5, Number.NaN, 2 ** 60])('a number that is not a safe integer, like %d, is refused', (item) => {
  expect(() => arrayBytes({ of: 'bigint', items: [item] })).toThrow(RangeError);
});

test('texts are encoded with their length in bytes, nulls without content', () => {
  expect(hex(arrayBytes({ of: 'text', items: ['é', null, ''] }))).toBe(
    `${head(1, '00000019', '00000003')}00000002c3a9ffffffff00000000`,
  );
});

test('booleans are encoded in one byte, and an empty list as its header', () => {
  expect(hex(arrayBytes({ of: 'boolean', items: [true, false] }))).toBe(
    `${head(0, '00000010', '00000002')}00000001010000000100`,
  );
  expect(hex(arrayBytes({ of: 'text', items: [] }))).toBe(head(0, '00000019', '00000000'));
});
