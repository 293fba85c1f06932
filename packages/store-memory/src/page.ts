import { MergeQueueError, PAGE_LIMIT, type Page } from '@mq/core';

/** A place in an order: compared part by part. */
export type Key = readonly (string | number)[];

export const CURSOR_CHARS_LIMIT = 4_000;

export const compareKeys = (one: Key, other: Key): number => {
  for (const [index, part] of one.entries()) {
    const counterpart = other[index];
    if (counterpart === undefined || part === counterpart) continue;
    return part < counterpart ? -1 : 1;
  }
  return 0;
};

/** One kind of list: what its cursors are called and of what parts its keys are made. */
export interface Listing {
  readonly name: string;
  readonly shape: readonly ('string' | 'number')[];
}

const cursorOf = (listing: Listing, key: Key): string =>
  Buffer.from(JSON.stringify([listing.name, ...key])).toString('base64url');

/** The key after which a page begins; null for the first page. A cursor that no page gave out is refused. */
export const readCursor = (listing: Listing, cursor: string | undefined): Key | null => {
  if (cursor === undefined) return null;
  const parts = cursor.length <= CURSOR_CHARS_LIMIT ? parsed(cursor) : null;
  const key = Array.isArray(parts) && parts[0] === listing.name ? parts.slice(1) : [];
  const fits =
    key.length === listing.shape.length && key.every((part, index) => typeof part === listing.shape[index]);
  if (!fits)
    throw new MergeQueueError('CURSOR_INVALID', `The cursor is not one of a list of ${listing.name}.`);
  return key;
};

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
};

/** The first `limit` items, at most `PAGE_LIMIT`, and where the next page begins. Takes no more than it needs. */
export const pageOf = <Item>(
  listing: Listing,
  items: Iterable<Item>,
  limit: number,
  keyOf: (item: Item) => Key,
): Page<Item> => {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`limit is ${limit}; it must be a whole number from 1 on.`);
  const taken: Item[] = [];
  let last: Item | null = null;
  for (const item of items) {
    if (last !== null && taken.length >= Math.min(limit, PAGE_LIMIT))
      return { items: taken, next: cursorOf(listing, keyOf(last)) };
    taken.push(item);
    last = item;
  }
  return { items: taken, next: null };
};
