import type { List } from './database.js';

const typeOids = { text: 25, bigint: 20, boolean: 16 } as const satisfies Record<List['of'], number>;

// Dimensions (1), whether there are nulls, element type, length, and lower bound (1).
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** Encodes a list in the binary format of PostgreSQL arrays, as `array_recv` reads it. */
export const arrayBytes = ({ of, items }: List): Buffer => {
  const sizes = items.map((item) => sizeOf(of, item));
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + LENGTH_BYTES + size, HEAD_BYTES));
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(items.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(typeOids[of], 8);
  bytes.writeInt32BE(items.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEAD_BYTES;
  for (const [index, item] of items.entries()) {
    const size = sizes[index] ?? 0;
    bytes.writeInt32BE(item === null ? NULL_LENGTH : size, at);
    at += LENGTH_BYTES;
    if (typeof item === 'string') bytes.write(item, at, size, 'utf8');
    else if (typeof item === 'number') writeBigint(bytes, item, at);
    else if (item !== null) bytes[at] = item ? 1 : 0;
    at += size;
  }
  return bytes;
};

const sizeOf = (of: List['of'], item: List['items'][number]): number => {
  if (item === null) return 0;
  if (of === 'bigint') return 8;
  return of === 'boolean' ? 1 : Buffer.byteLength(String(item), 'utf8');
};

const HALF = 2 ** 32;

/** Written as two halves, because allocating a BigInt per number costs garbage collection. */
const writeBigint = (bytes: Buffer, value: number, at: number): void => {
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is not a safe integer and cannot be stored`);
  bytes.writeInt32BE(Math.floor(value / HALF), at);
  bytes.writeInt32BE(value | 0, at + 4);
};
