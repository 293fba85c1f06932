import type { Moved } from '../model/history.js';
import type { Instant, QueueId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import type { Submission } from '../model/submission.js';
import {
  type HistoryItem,
  type HistoryQuery,
  PAGE_LIMIT,
  type Page,
  type QueueQuery,
  type Store,
} from '../ports/store.js';

type At = { readonly cursor?: string };

async function* every<Item>(read: (at: At) => Promise<Page<Item>>): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield* page.items;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

/** All queues that match, page by page. */
export const everyQueue = (
  store: Pick<Store, 'queues'>,
  where: Omit<QueueQuery, 'limit' | 'cursor'>,
): AsyncGenerator<Queue> => every((at) => store.queues({ ...where, limit: PAGE_LIMIT, ...at }));

/** Lists all of them. */
export const allQueues = async (
  store: Pick<Store, 'queues'>,
  where: Omit<QueueQuery, 'limit' | 'cursor'>,
): Promise<readonly Queue[]> => {
  const queues: Queue[] = [];
  for await (const queue of everyQueue(store, where)) queues.push(queue);
  return queues;
};

/**
 * The repositories of the queues that match, by `repoKey`. Queues of one name have different ids after their repository was
 * deleted and created again: that of the newest queue counts.
 */
export const repositoriesOf = async (
  store: Pick<Store, 'queues'>,
  where: Omit<QueueQuery, 'limit' | 'cursor'>,
  isWanted: (queue: Queue) => boolean = () => true,
): Promise<ReadonlyMap<string, RepoRef>> => {
  const newest = new Map<string, Pick<Queue, 'repo' | 'createdAt'>>();
  for await (const queue of everyQueue(store, where)) {
    const key = repoKey(queue.repo);
    const isNewest = queue.createdAt >= (newest.get(key)?.createdAt ?? queue.createdAt);
    if (isNewest && isWanted(queue)) newest.set(key, queue);
  }
  return new Map([...newest].map(([key, { repo }]) => [key, repo]));
};

/** All submissions of a queue, page by page, latest state changes first. */
export const everySubmission = (
  store: Pick<Store, 'submissions'>,
  queueId: QueueId,
): AsyncGenerator<Submission> => every((at) => store.submissions({ queueId, limit: PAGE_LIMIT, ...at }));

/** All matching history rows, page by page. */
export const everyRow = (store: Pick<Store, 'history'>, query: HistoryQuery): AsyncGenerator<HistoryItem> =>
  every((at) => store.history({ ...query, ...at }));

/** All state changes of submissions in these queues since then, oldest first. */
export async function* everyMove(
  store: Pick<Store, 'history'>,
  queueIds: readonly QueueId[],
  since: Instant,
): AsyncGenerator<Moved & { readonly queueId: QueueId }> {
  const query = { queueIds, types: ['moved'], since, order: 'oldest_first', limit: PAGE_LIMIT } as const;
  for await (const row of everyRow(store, query)) if (row.type === 'moved') yield row;
}
