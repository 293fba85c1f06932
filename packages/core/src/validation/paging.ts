import { MergeQueueError } from '../errors.js';
import { PAGE_LIMIT } from '../ports/store.js';

/** A position in an order, part by part. */
export type Key = readonly (string | number)[];

/** A kind of list: the name in its cursors, and the types of the parts of its keys. */
export interface Listing {
  readonly name: string;
  readonly shape: readonly ('string' | 'number')[];
}

/** Longer cursors are invalid. */
export const CURSOR_CHARS_LIMIT = 4_000;

/** The cursor of a page that begins after this key. */
export const cursorOf = (listing: Listing, key: Key): string =>
  Buffer.from(JSON.stringify([listing.name, ...key])).toString('base64url');

/**
 * The key after which a page begins; null for the first page. Throws CURSOR_INVALID for a cursor of another kind of
 * list.
 */
export const readCursor = (listing: Listing, cursor: string | undefined): Key | null => {
  if (cursor === undefined) return null;
  const parts = cursor.length <= CURSOR_CHARS_LIMIT ? parsed(cursor) : null;
  const key: readonly unknown[] = Array.isArray(parts) && parts[0] === listing.name ? parts.slice(1) : [];
  if (!isKeyOf(listing, key))
    throw new MergeQueueError('CURSOR_INVALID', `The cursor does not belong to a list of ${listing.name}.`, [
      { path: ['cursor'], message: 'must be the nextCursor of the previous page, unchanged' },
    ]);
  return key;
};

const isKeyOf = ({ shape }: Listing, key: readonly unknown[]): key is Key =>
  key.length === shape.length && key.every((part, index) => fits(part, shape[index]));

const fits = (part: unknown, shape: string | undefined): boolean =>
  typeof part === shape && (typeof part !== 'number' || Number.isSafeInteger(part));

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
};

/** The length of a page if the request does not say. */
export const DEFAULT_TAKE = 50;

/** The length of a page: at most `PAGE_LIMIT`. */
export const takenOf = (limit: number | undefined, otherwise: number): number =>
  limit === undefined ? otherwise : Math.min(limit, PAGE_LIMIT);
