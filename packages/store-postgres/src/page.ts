import { MergeQueueError, PAGE_LIMIT, type Page } from '@mq/core';
import type { Row } from './database.js';
import { fromStoredJson } from './stored-json.js';

const CURSOR_CHARS_LIMIT = 4_000;

/** A place in an order, part by part. */
export type Key = readonly (string | number)[];

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
  const key: readonly unknown[] = Array.isArray(parts) && parts[0] === listing.name ? parts.slice(1) : [];
  if (key.length !== listing.shape.length || !key.every((part, index) => fits(part, listing.shape[index])))
    throw new MergeQueueError('CURSOR_INVALID', `The cursor is not one of a list of ${listing.name}.`);
  return key as Key;
};

const fits = (part: unknown, shape: string | undefined): boolean =>
  typeof part === shape && (typeof part !== 'number' || Number.isSafeInteger(part));

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
};

/** How many rows to ask for: one more than a page holds tells whether there is a next one. */
export const rowsWanted = (limit: number): number => {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`limit is ${limit}; it must be a whole number from 1 on.`);
  return Math.min(limit, PAGE_LIMIT) + 1;
};

/** A page of what was found by asking for `wanted` rows, each with its `value`. */
export const pageOf = <Item>(
  listing: Listing,
  rows: readonly Row[],
  wanted: number,
  keyOf: (item: Item) => Key,
): Page<Item> => {
  const items = rows.slice(0, wanted - 1).map((row) => fromStoredJson<Item>(String(row.value)));
  const last = items.at(-1);
  return {
    items,
    next: rows.length < wanted || last === undefined ? null : cursorOf(listing, keyOf(last)),
  };
};
