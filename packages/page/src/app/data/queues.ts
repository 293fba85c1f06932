import type { AnswerOf, Client } from '@mq/client';
import type { Alarm, Counts, Queue } from './queue-view.js';

export interface QueueSummary {
  readonly queue: Queue;
  /** Null where it is not read, or could not be: see `OVERVIEWS_LIMIT`. */
  readonly overview: { readonly counts: Counts; readonly alarms: readonly Alarm[] } | null;
}

export interface Queues {
  readonly queues: readonly QueueSummary[];
  readonly isCut: boolean;
}

const QUEUES_LIMIT = 100;
/** Each costs a request of its own. */
const OVERVIEWS_LIMIT = 25;

export const loadQueues = async (client: Client, signal: AbortSignal): Promise<Queues> => {
  const { queues, nextCursor } = await client.listQueues({ take: QUEUES_LIMIT }, { signal });
  const overviews = await Promise.allSettled(
    queues
      .slice(0, OVERVIEWS_LIMIT)
      .map(({ repo, branch }) =>
        client.getQueueSnapshot({ repo, targetBranch: branch, overviewOnly: true }, { signal }),
      ),
  );
  signal.throwIfAborted();
  return {
    queues: queues.map((queue, index) => {
      const read = overviews[index];
      return { queue, overview: read?.status === 'fulfilled' ? overviewOf(read.value) : null };
    }),
    isCut: nextCursor !== undefined,
  };
};

const overviewOf = ({ counts, alarms }: AnswerOf<'getQueueSnapshot'>): QueueSummary['overview'] =>
  counts === undefined ? null : { counts, alarms: alarms ?? [] };
