import type { AnswerOf, Client } from '@mq/client';

export interface QueueSummary {
  readonly queue: AnswerOf<'listQueues'>['queues'][number];
  /** Null where it is not read: see `DEPTHS_LIMIT`. */
  readonly depth: { readonly testing: number; readonly waiting: number; readonly notReady: number } | null;
}

export interface Queues {
  readonly queues: readonly QueueSummary[];
  readonly isCut: boolean;
}

const QUEUES_LIMIT = 100;
/** Each costs a request of its own. */
const DEPTHS_LIMIT = 20;

export const loadQueues = async (client: Client, signal: AbortSignal): Promise<Queues> => {
  const { queues, nextCursor } = await client.listQueues({ take: QUEUES_LIMIT }, { signal });
  const depths = await Promise.all(
    queues.slice(0, DEPTHS_LIMIT).map(({ repo, branch }) =>
      client.getQueue({ repo, targetBranch: branch }, { signal }).then(depthOf, (error: unknown) => {
        signal.throwIfAborted();
        void error;
        return null;
      }),
    ),
  );
  return {
    queues: queues.map((queue, index) => ({ queue, depth: depths[index] ?? null })),
    isCut: nextCursor !== undefined,
  };
};

const depthOf = ({
  enqueuedPullRequests,
  notReadyPullRequests,
}: AnswerOf<'getQueue'>): QueueSummary['depth'] => {
  const waiting = enqueuedPullRequests.filter(({ state }) => state === 'pending').length;
  return {
    testing: enqueuedPullRequests.length - waiting,
    waiting,
    notReady: notReadyPullRequests.length,
  };
};
