import type { Page } from '@mq/core';

/** All items of a list, page by page. */
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
