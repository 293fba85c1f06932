import type { Page, Store } from '@mq/core';

/** The same store, but that no page of a list has more than so many rows: the reader has to ask for the next one. */
export const pagedStore = (store: Store, rowsPerPage: number): Store => {
  const paged =
    <Query extends { readonly limit: number }, Item>(read: (query: Query) => Promise<Page<Item>>) =>
    (query: Query): Promise<Page<Item>> =>
      read({ ...query, limit: Math.min(query.limit, rowsPerPage) });
  const lists: Pick<Store, 'queues' | 'submissions' | 'history' | 'receipts'> = {
    queues: paged((query) => store.queues(query)),
    submissions: paged((query) => store.submissions(query)),
    history: paged((query) => store.history(query)),
    receipts: paged((query) => store.receipts(query)),
  };
  return new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(key in lists ? lists : target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
};
