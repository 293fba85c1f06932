import PQueue from 'p-queue';
import { everyMove, everyQueue } from '../engine/pages.js';
import { MergeQueueError } from '../errors.js';
import { WINDOW_MS } from '../metrics/catalogue.js';
import { measure } from '../metrics/measure.js';
import { exposition } from '../metrics/prometheus.js';
import type { Moved } from '../model/history.js';
import type { Instant, QueueId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { repoKey } from '../model/repo.js';
import type { Submission } from '../model/submission.js';
import type { Store } from '../ports/store.js';
import type { MetricsRequest } from '../validation/requests.js';

export interface ScrapeParts {
  readonly store: Pick<Store, 'queues' | 'history'>;
  /** The current state of a queue; null if it was deleted meanwhile. */
  readonly stateOf: (queue: Queue) => Promise<Seen | null>;
}

interface Seen {
  readonly now: Instant;
  readonly queue: Queue;
  readonly submissions: readonly Submission[];
}

// Queues read concurrently, and queues per read of the history.
const [QUEUES_AT_ONCE, QUEUES_PER_READ] = [25, 100];

/** The metrics of all queues, of one repository, or of several. Throws REPOSITORY_NOT_FOUND if the one has no queue. */
export const scrape = async (parts: ScrapeParts, where: MetricsRequest): Promise<string> => {
  const { repo } = where;
  const queues: Queue[] = [];
  for await (const queue of everyQueue(parts.store, where)) queues.push(queue);
  if (repo !== undefined && queues.length === 0)
    throw new MergeQueueError(
      'REPOSITORY_NOT_FOUND',
      `There is no queue for ${repoKey(repo).replaceAll('\n', '/')}.`,
    );
  const samples = [];
  for (let from = 0; from < queues.length; from += QUEUES_PER_READ)
    samples.push(...(await samplesOf(parts, queues.slice(from, from + QUEUES_PER_READ))));
  return exposition(samples);
};

const samplesOf = async ({ store, stateOf }: ScrapeParts, queues: readonly Queue[]) => {
  const turns = new PQueue({ concurrency: QUEUES_AT_ONCE });
  const states = (await turns.addAll(queues.map((queue) => () => stateOf(queue)))).filter(
    (one) => one !== null,
  );
  const moves = new Map<QueueId, Moved[]>(states.map(({ queue }) => [queue.id, []]));
  if (states.length > 0) {
    const since = Math.min(...states.map(({ now }) => now)) - WINDOW_MS;
    for await (const move of everyMove(store, [...moves.keys()], since)) moves.get(move.queueId)?.push(move);
  }
  return states.flatMap(({ now, queue, submissions }) => {
    const recent = (moves.get(queue.id) ?? []).filter(({ at }) => at >= now - WINDOW_MS);
    return measure({ queue, submissions, moves: recent });
  });
};
