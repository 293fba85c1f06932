import type { Page, Store } from '@mq/core';

/** The same store with at most `rowsPerPage` rows per page of a list, so that readers must follow cursors. */
export const pagedStore = (store: Store, rowsPerPage: number): Store => {
  const paged =
    <Query extends { readonly limit: number }, Item>(read: (query: Query) => Promise<Page<Item>>) =>
    (query: Query): Promise<Page<Item>> =>
      read({ ...query, limit: Math.min(query.limit, rowsPerPage) });
  const lists: Pick<Store, 'queues' | 'queueVersions' | 'submissions' | 'history' | 'receipts'> = {
    queues: paged((query) => store.queues(query)),
    queueVersions: paged((query) => store.queueVersions(query)),
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
