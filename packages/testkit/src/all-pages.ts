import type { Page } from '@mq/core';

/** Reads all pages of a list and returns their items. */
export const allPages = async <Item>(
  read: (at: { readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Item> = await read(cursor === undefined ? {} : { cursor });
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
};
