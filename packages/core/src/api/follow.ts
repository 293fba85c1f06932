import { z } from 'zod';
import { HistoryFeed } from '../engine/history-feed.js';
import { everyQueue } from '../engine/pages.js';
import { MergeQueueError } from '../errors.js';
import type { QueueId } from '../model/ids.js';
import { type Position, positionOf } from '../model/position.js';
import type { Queue } from '../model/queue.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import type { QueueQuery, Store } from '../ports/store.js';
import {
  FOLLOW_CURSOR_CHARS_LIMIT,
  FOLLOWED_QUEUES_LIMIT,
  type FollowPositions,
  followCursorOf,
  readFollowCursor,
} from '../validation/follow-cursor.js';
import { checked, fields } from '../validation/request-schemas.js';
import type { Followed, FollowRequest } from '../validation/requests.js';

/** Queues that were created or deleted since are noticed no later. */
const QUEUES_READ_EVERY_MS = 2_000;

const ofFollow = z.strictObject({
  repo: fields.repo.optional(),
  targetBranch: fields.name.optional(),
  after: z.string().max(FOLLOW_CURSOR_CHARS_LIMIT).optional(),
});

export interface FollowParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The histories of queues as they grow. All that is followed in one process shares one poll for each queue. */
export class Follow {
  readonly #feeds = new Map<QueueId, HistoryFeed>();
  readonly #closing = new AbortController();

  constructor(private readonly parts: FollowParts) {}

  /** Ends all that follow. */
  close(): void {
    this.#closing.abort();
  }

  /** A commit of this process brought rows. */
  hint(queueId: QueueId): void {
    this.#feeds.get(queueId)?.hint();
  }

  follow({
    signal,
    isWanted,
    afterLoss = 'newest',
    ...request
  }: FollowRequest): AsyncGenerator<Followed, void, undefined> {
    const { repo, targetBranch: branch, after } = checked(ofFollow, request);
    const positions = after === undefined ? null : readFollowCursor(after);
    const where = { ...(repo === undefined ? {} : { repo }), ...(branch === undefined ? {} : { branch }) };
    return new Following(this.parts, {
      where,
      isWanted: isWanted ?? (() => true),
      positions,
      afterLoss,
      signal: AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]),
      feedOf: (id) => this.#feedOf(id),
      release: (id) => this.#release(id),
    }).steps();
  }

  #feedOf(id: QueueId): HistoryFeed {
    const known = this.#feeds.get(id);
    if (known !== undefined) return known;
    const feed = new HistoryFeed(id, this.parts);
    this.#feeds.set(id, feed);
    return feed;
  }

  #release(id: QueueId): void {
    if (this.#feeds.get(id)?.isIdle === true) this.#feeds.delete(id);
  }
}

interface FollowingParts {
  readonly where: Pick<QueueQuery, 'repo' | 'branch'>;
  readonly isWanted: (queue: Queue) => boolean;
  /** From where to go on; null: from now on. */
  readonly positions: FollowPositions | null;
  readonly afterLoss: NonNullable<FollowRequest['afterLoss']>;
  readonly signal: AbortSignal;
  readonly feedOf: (id: QueueId) => HistoryFeed;
  readonly release: (id: QueueId) => void;
}

interface FollowedQueue {
  readonly queue: Queue;
  readonly feed: HistoryFeed;
  readonly close: () => void;
  /** Null: before the first row. */
  position: Position | null;
  isLive: boolean;
}

/** One call of `follow`. */
class Following {
  readonly #queues = new Map<QueueId, FollowedQueue>();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: FollowParts,
    private readonly asked: FollowingParts,
  ) {}

  async *steps(): AsyncGenerator<Followed, void, undefined> {
    try {
      await this.#readQueues(true);
      yield { type: 'started', cursor: this.#cursor() };
      while (!this.asked.signal.aborted) {
        const seen = [...this.#queues.values()].map(({ feed }) => [feed, feed.changes] as const);
        let isQuiet = true;
        for (const followed of [...this.#queues.values()])
          for await (const step of this.#read(followed)) {
            isQuiet = false;
            yield step;
          }
        if (isQuiet) await this.#changed(seen);
        await this.#readQueues(false);
      }
    } finally {
      for (const followed of this.#queues.values()) this.#close(followed);
    }
  }

  async *#read(followed: FollowedQueue): AsyncGenerator<Followed, void, undefined> {
    const { feed, queue } = followed;
    const rows = await feed.after(followed.position);
    if (rows === 'lost') {
      const lastSequence = followed.position?.sequence ?? 0;
      followed.position = this.asked.afterLoss === 'oldest' ? null : await feed.end();
      yield { type: 'reset', queue, lastSequence, cursor: this.#cursor() };
      return;
    }
    for (const row of rows) {
      followed.position = positionOf(row);
      yield { type: 'row', queue, row, cursor: this.#cursor() };
    }
    if (rows.length === 0 && !followed.isLive) this.#close(followed);
  }

  #close({ queue: { id }, close }: FollowedQueue): void {
    close();
    this.#queues.delete(id);
    this.asked.release(id);
  }

  /** Until one of the feeds may have more, or the list of queues has to be read again. */
  async #changed(seen: readonly (readonly [HistoryFeed, number])[]): Promise<void> {
    const { clock } = this.parts;
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    this.asked.signal.addEventListener('abort', wake, { once: true });
    const signal = woken.signal;
    if (this.asked.signal.aborted) wake();
    await Promise.race([
      ...seen.map(([feed, changes]) => feed.changed(changes, signal)),
      clock.wait(this.#readAt + QUEUES_READ_EVERY_MS, signal),
    ]);
    this.asked.signal.removeEventListener('abort', wake);
    wake();
  }

  async #readQueues(isFirst: boolean): Promise<void> {
    const now = this.parts.clock.now();
    if (now < this.#readAt + QUEUES_READ_EVERY_MS || this.asked.signal.aborted) return;
    this.#readAt = now;
    const live = new Set<QueueId>();
    for await (const queue of everyQueue(this.parts.store, this.asked.where)) {
      if (!this.asked.isWanted(queue)) continue;
      live.add(queue.id);
      if (live.size > FOLLOWED_QUEUES_LIMIT) throw tooMany();
      if (!this.#queues.has(queue.id)) await this.#open(queue, true, isFirst);
    }
    if (isFirst && this.asked.positions !== null) await this.#openDeleted(this.asked.positions);
    for (const followed of this.#queues.values()) followed.isLive = live.has(followed.queue.id);
  }

  /** What a cursor names and was deleted since has rows that were not read yet. */
  async #openDeleted(positions: FollowPositions): Promise<void> {
    if ([...positions.keys()].every((id) => this.#queues.has(id as QueueId))) return;
    for await (const queue of everyQueue(this.parts.store, { ...this.asked.where, isDeleted: true }))
      if (positions.has(queue.id) && this.asked.isWanted(queue)) await this.#open(queue, false, true);
  }

  /** A queue that is found later, or that the cursor does not name, is read from its first row. */
  async #open(queue: Queue, isLive: boolean, isFirst: boolean): Promise<void> {
    const feed = this.asked.feedOf(queue.id);
    const close = feed.open();
    const { positions } = this.asked;
    const isFromNow = isFirst && positions === null;
    const position = isFromNow ? await feed.end() : (positions?.get(queue.id) ?? null);
    this.#queues.set(queue.id, { queue, feed, close, position, isLive });
  }

  #cursor(): string {
    return followCursorOf(
      new Map([...this.#queues.values()].map(({ queue, position }) => [queue.id, position])),
    );
  }
}

const tooMany = (): MergeQueueError =>
  new MergeQueueError(
    'INVALID_REQUEST',
    `More than ${FOLLOWED_QUEUES_LIMIT} queues match. Name a repository, or a repository and a branch.`,
  );
