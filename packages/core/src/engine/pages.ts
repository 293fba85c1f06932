import type { Queue } from '../model/queue.js';
import { PAGE_LIMIT, type QueueQuery, type Store } from '../ports/store.js';

/** All queues that match, page by page. */
export async function* everyQueue(
  store: Store,
  where: Omit<QueueQuery, 'limit' | 'cursor'>,
): AsyncGenerator<Queue> {
  let cursor: string | undefined;
  do {
    const page = await store.queues({
      ...where,
      limit: PAGE_LIMIT,
      ...(cursor === undefined ? {} : { cursor }),
    });
    yield* page.items;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}
