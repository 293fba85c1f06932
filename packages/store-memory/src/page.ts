import { cursorOf, type Key, type Listing, PAGE_LIMIT, type Page } from '@mq/core';

/** Compares keys part by part. */
export const compareKeys = (one: Key, other: Key): number => {
  for (const [index, part] of one.entries()) {
    const counterpart = other[index];
    if (counterpart === undefined || part === counterpart) continue;
    if (typeof part === 'string' && typeof counterpart === 'string') return compareTexts(part, counterpart);
    return part < counterpart ? -1 : 1;
  }
  return 0;
};

/** Compares by code point, like the bytes of UTF-8. `<` compares UTF-16 units, which sorts surrogates before U+E000. */
const compareTexts = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1)
    if (one.charCodeAt(at) !== other.charCodeAt(at))
      return (one.codePointAt(at) ?? 0) - (other.codePointAt(at) ?? 0);
  return one.length - other.length;
};

/**
 * The first `limit` items, at most `PAGE_LIMIT`, and the cursor of the next page. Consumes no more items than needed.
 */
export const pageOf = <Item>(
  listing: Listing,
  items: Iterable<Item>,
  limit: number,
  keyOf: (item: Item) => Key,
): Page<Item> => {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`limit is ${limit}; it must be a whole number of at least 1.`);
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
