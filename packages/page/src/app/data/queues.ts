import type { Client } from '@mq/client';
import type { Alarm, Counts, Queue, QueueRef } from './queue-view.js';
import { loadStatistics, type Span } from './statistics-view.js';

export interface Overview {
  readonly counts: Counts;
  readonly alarms: readonly Alarm[];
  readonly lastDay: Span;
}

export interface QueueSummary {
  readonly queue: Queue;
  /** Null if it is not read, or could not be: see `OVERVIEWS_LIMIT`. */
  readonly overview: Overview | null;
}

export interface Queues {
  readonly queues: readonly QueueSummary[];
  readonly isCut: boolean;
}

const QUEUES_LIMIT = 100;
/** Each costs two requests of its own. */
const OVERVIEWS_LIMIT = 25;

export const loadQueues = async (client: Client, signal: AbortSignal): Promise<Queues> => {
  const { queues, nextCursor } = await client.listQueues({ take: QUEUES_LIMIT }, { signal });
  const overviews = await Promise.allSettled(
    queues.slice(0, OVERVIEWS_LIMIT).map((queue) => loadOverview(client, queue, signal)),
  );
  signal.throwIfAborted();
  return {
    queues: queues.map((queue, index) => {
      const read = overviews[index];
      return { queue, overview: read?.status === 'fulfilled' ? read.value : null };
    }),
    isCut: nextCursor !== undefined,
  };
};

/** Pages of queues that are read to find the one of an address. */
const PAGES_LIMIT = 10;

/** The existing queues, as far as they are searched to find one by its address. */
export const loadQueueRefs = async (client: Client, signal: AbortSignal): Promise<readonly QueueRef[]> => {
  const found: QueueRef[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_LIMIT; page += 1) {
    const at = cursor === undefined ? {} : { cursor };
    const { queues, nextCursor } = await client.listQueues({ take: QUEUES_LIMIT, ...at }, { signal });
    found.push(...queues.map(({ repo, branch }) => ({ repo, targetBranch: branch })));
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return found;
};

const loadOverview = async (
  client: Client,
  { repo, branch }: Queue,
  signal: AbortSignal,
): Promise<Overview | null> => {
  const ref = { repo, targetBranch: branch };
  const [{ counts, alarms }, { total }] = await Promise.all([
    client.getQueueSnapshot({ ...ref, overviewOnly: true }, { signal }),
    loadStatistics(client, ref, 'day', signal),
  ]);
  return counts === undefined ? null : { counts, alarms: alarms ?? [], lastDay: total };
};
