import { cursorOf, type Key, type Listing, PAGE_LIMIT, type Page } from '@mq/core';
import type { Row } from './database.js';
import { documentIn } from './stored-json.js';

/** The number of rows to select: one more than the page has shows whether there is a next page. */
export const rowsWanted = (limit: number): number => {
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`limit is ${limit}; it must be a whole number of at least 1.`);
  return Math.min(limit, PAGE_LIMIT) + 1;
};

const givenIn = <Item>({ value }: Row): Item => documentIn(value);

/** Makes a page of the rows found with a limit of `wanted`. */
export const pageOf = <Item>(
  listing: Listing,
  rows: readonly Row[],
  wanted: number,
  keyOf: (item: Item) => Key,
  itemOf: (row: Row) => Item = givenIn,
): Page<Item> => {
  const items = rows.slice(0, wanted - 1).map(itemOf);
  const last = items.at(-1);
  return {
    items,
    next: rows.length < wanted || last === undefined ? null : cursorOf(listing, keyOf(last)),
  };
};
