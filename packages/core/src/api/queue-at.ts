import PQueue from 'p-queue';
import { z } from 'zod';
import type { Pace } from '../decide/draft/context.js';
import { everyRow } from '../engine/pages.js';
import { MergeQueueError } from '../errors.js';
import type { Instant } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { PastQueue, type QueueAt } from '../model/queue-at.js';
import { SNAPSHOT_RUNS_LIMIT, SNAPSHOT_SUBMISSIONS_LIMIT } from '../model/snapshot.js';
import { type HistoryItem, PAGE_LIMIT, type Store } from '../ports/store.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { QueueAtRequest } from '../validation/requests.js';
import type { QueueReader } from './queue-reader.js';

const ofMoment = z.strictObject({ ...fields.queueRef, at: fields.instant });

export interface QueueAtReadsParts {
  readonly store: Pick<Store, 'history' | 'now'>;
  readonly reader: Pick<QueueReader, 'queue'>;
  readonly pace: Pace;
}

/** Reads whole queues at past moments, one at a time: each reads the history of its queue from the beginning. */
export class QueueAtReads {
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #parts: QueueAtReadsParts;

  constructor(parts: QueueAtReadsParts) {
    this.#parts = parts;
  }

  readonly queueAt = takes(ofMoment, async ({ at, ...ref }: QueueAtRequest): Promise<QueueAt> => {
    const queue = await this.#parts.reader.queue(ref);
    const now = await this.#parts.store.now();
    return this.#turns.add(() => this.#fold(queue, Math.min(at, now)));
  });

  async #fold(queue: Queue, at: Instant): Promise<QueueAt> {
    const { store, pace } = this.#parts;
    const query = { queueIds: [queue.id], order: 'oldest_first', limit: PAGE_LIMIT } as const;
    const past = new PastQueue();
    let earliestAt = queue.createdAt;
    let isFirst = true;
    for await (const row of everyRow(store, query)) {
      if (isFirst) earliestAt = beginningOf(row, queue);
      isFirst = false;
      if (at < earliestAt) break;
      if (row.at <= at) past.apply(row);
      else if (earliestAt === queue.createdAt) break;
      else past.applyLater(row);
    }
    if (at < earliestAt) throw historyGone(earliestAt);
    const submissions = past.submissions(pace.ageingMsPerPoint);
    const runs = past.runs();
    return {
      ...{ at, earliestAt, wanted: past.wanted },
      submissions: submissions.slice(0, SNAPSHOT_SUBMISSIONS_LIMIT),
      moreSubmissions: Math.max(0, submissions.length - SNAPSHOT_SUBMISSIONS_LIMIT),
      runs: runs.slice(0, SNAPSHOT_RUNS_LIMIT),
      moreRuns: Math.max(0, runs.length - SNAPSHOT_RUNS_LIMIT),
    };
  }
}

/** The creation of the queue, unless older rows were pruned. */
const beginningOf = ({ sequence, at }: HistoryItem, { createdAt }: Queue): Instant =>
  sequence === 1 ? createdAt : Math.max(at, createdAt + 1);

const historyGone = (earliestAt: Instant): MergeQueueError => {
  const earliest = new Date(earliestAt).toISOString();
  return new MergeQueueError(
    'HISTORY_GONE',
    `The history of this queue goes back to ${earliest}, and no further.`,
    [{ path: ['at'], message: `must be ${earliest} or later` }],
  );
};
