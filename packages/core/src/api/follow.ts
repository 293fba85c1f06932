import { z } from 'zod';
import { Countdown } from '../engine/countdown.js';
import type { HistoryFeed } from '../engine/history-feed.js';
import { HistoryPoll } from '../engine/history-poll.js';
import { allQueues, everyQueue } from '../engine/pages.js';
import type { QueueId } from '../model/ids.js';
import { type Position, positionOf } from '../model/position.js';
import type { Queue } from '../model/queue.js';
import { isSameRepo } from '../model/repo.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type HistoryItem, PAGE_LIMIT, type QueueQuery, type Store } from '../ports/store.js';
import {
  FOLLOW_CURSOR_CHARS_LIMIT,
  type FollowCursor,
  type FollowRest,
  isAfterPoint,
  NAMED_QUEUES_LIMIT,
  readFollowCursor,
} from '../validation/follow-cursor.js';
import { checked, fields } from '../validation/request-schemas.js';
import type { Followed, FollowRequest } from '../validation/requests.js';
import { FollowPositions } from './follow-positions.js';

/** New and deleted queues are noticed within the sum of these two times. */
const QUEUES_READ_EVERY_MS = 1_750;
/** How long a list of queues is reused that was read for another reader. */
const QUEUES_KEPT_MS = 250;
/** Rows that one reader holds in memory for all of its queues together, and at least for each. */
const ROWS_LIMIT = PAGE_LIMIT;
const ROWS_PER_QUEUE_MINIMUM = 10;

const ofFollow = z.strictObject({
  repo: fields.repo.optional(),
  targetBranch: fields.name.optional(),
  after: z.string().max(FOLLOW_CURSOR_CHARS_LIMIT).optional(),
});

export interface FollowParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Queues that a cursor names. Default `NAMED_QUEUES_LIMIT`. */
  readonly namedQueues?: number;
}

/** The histories of queues as they grow. All that is followed in one process shares one poll. */
export class Follow {
  readonly #poll: HistoryPoll;
  readonly #closing = new AbortController();
  #listed: { readonly untilStale: Countdown; readonly queues: Promise<readonly Queue[]> } | null = null;

  constructor(private readonly parts: FollowParts) {
    this.#poll = new HistoryPoll(parts);
  }

  /** Ends all that follow. */
  close(): void {
    this.#closing.abort();
  }

  /** A commit of this process brought rows. */
  hint(queueId: QueueId): void {
    this.#poll.hint(queueId);
  }

  follow({
    signal,
    isWanted = () => true,
    wasWanted,
    afterLoss = 'newest',
    ...request
  }: FollowRequest): AsyncGenerator<Followed, void, undefined> {
    const { repo, targetBranch: branch, after } = checked(ofFollow, request);
    const isFollowed = (queue: Queue): boolean =>
      (repo === undefined || isSameRepo(repo, queue.repo)) &&
      (branch === undefined || branch === queue.branch) &&
      isWanted(queue);
    const isLimited = wasWanted === undefined;
    return new Following(this.parts, {
      where: {
        ...(isLimited && repo !== undefined ? { repo } : {}),
        ...(isLimited && branch !== undefined ? { branch } : {}),
      },
      isWanted: isFollowed,
      wasWanted: wasWanted ?? isFollowed,
      cursor: after === undefined ? null : readFollowCursor(after),
      afterLoss,
      signal: AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]),
      poll: this.#poll,
      queues: () => this.#queues(),
    }).steps();
  }

  /** All live queues, read once for readers that ask at about the same time. */
  #queues(): Promise<readonly Queue[]> {
    const { clock, store } = this.parts;
    if (this.#listed !== null && !this.#listed.untilStale.isOver) return this.#listed.queues;
    const queues = allQueues(store, {});
    this.#listed = { untilStale: new Countdown(clock), queues };
    this.#listed.untilStale.start(QUEUES_KEPT_MS);
    return queues;
  }
}

interface FollowingParts {
  /** Narrows the first reads; `isWanted` decides. */
  readonly where: Pick<QueueQuery, 'repo' | 'branch'>;
  readonly isWanted: (queue: Queue) => boolean;
  /** Whether the reader that got the cursor followed a queue. */
  readonly wasWanted: (queue: Queue) => boolean;
  /** From where to go on; null: from now on. */
  readonly cursor: FollowCursor | null;
  readonly afterLoss: NonNullable<FollowRequest['afterLoss']>;
  readonly signal: AbortSignal;
  readonly poll: HistoryPoll;
  readonly queues: () => Promise<readonly Queue[]>;
}

interface FollowedQueue {
  readonly queue: Queue;
  readonly feed: HistoryFeed;
  readonly close: () => void;
  isLive: boolean;
  /** The rows after the position were not read, or do not follow the rows that the reader has. */
  isLost: boolean;
  /** The changes of the feed when there was nothing more to read; null: not read yet. */
  changes: number | null;
  /** Read, and not given out yet. */
  rows: readonly HistoryItem[];
}

/** One call of `follow`. */
class Following {
  readonly #queues = new Map<QueueId, FollowedQueue>();
  readonly #positions: FollowPositions;
  readonly #untilRead: Countdown;

  constructor(
    private readonly parts: FollowParts,
    private readonly options: FollowingParts,
  ) {
    this.#untilRead = new Countdown(parts.clock);
    this.#positions = new FollowPositions(parts.namedQueues ?? NAMED_QUEUES_LIMIT);
  }

  async *steps(): AsyncGenerator<Followed, void, undefined> {
    const { poll, signal } = this.options;
    try {
      await this.#start();
      yield { type: 'started', cursor: this.#positions.cursor() };
      while (!signal.aborted) {
        await this.#readQueues();
        const { rounds } = poll;
        const behind = [...this.#queues.values()].filter(({ changes, feed }) => changes !== feed.changes);
        yield* this.#read(behind);
        if (behind.length === 0) await this.#changed(rounds);
      }
    } finally {
      for (const followed of [...this.#queues.values()]) this.#close(followed);
    }
  }

  /** Rows in the order of their time, until more of one of the queues have to be read. */
  async *#read(behind: readonly FollowedQueue[]): AsyncGenerator<Followed, void, undefined> {
    const limit = Math.max(ROWS_PER_QUEUE_MINIMUM, Math.floor(ROWS_LIMIT / behind.length) - 1);
    for (const followed of behind)
      if (followed.rows.length === 0 && (await this.#readMore(followed, limit)) === 'lost')
        yield await this.#reset(followed);
    const merged = behind.filter(({ rows }) => rows.length > 0);
    while (merged.length > 0 && merged.every(({ rows }) => rows.length > 0) && !this.options.signal.aborted) {
      const next = merged.reduce((one, other) => (isBefore(other, one) ? other : one));
      const [row, ...rows] = next.rows;
      if (row === undefined) return;
      next.rows = rows;
      this.#positions.move(next.queue.id, positionOf(row));
      yield { type: 'row', queue: next.queue, row, cursor: this.#positions.cursor() };
    }
  }

  async #readMore(followed: FollowedQueue, limit: number): Promise<'lost' | 'read'> {
    const { feed, queue, isLost } = followed;
    const { changes } = feed;
    const rows = isLost ? 'lost' : await feed.after(this.#positions.of(queue.id), limit);
    if (rows === 'lost') return rows;
    followed.rows = rows;
    if (rows.length > 0) return 'read';
    followed.changes = changes;
    if (!followed.isLive) this.#end(followed);
    return 'read';
  }

  async #reset(followed: FollowedQueue): Promise<Followed> {
    const { feed, queue } = followed;
    const lastSequence = this.#positions.of(queue.id)?.sequence ?? 0;
    followed.isLost = false;
    this.#positions.move(queue.id, this.options.afterLoss === 'oldest' ? null : await feed.storedEnd());
    if ([...this.#queues.values()].every(({ isLost }) => !isLost)) this.#positions.trust();
    return { type: 'reset', queue, lastSequence, cursor: this.#positions.cursor() };
  }

  #end(followed: FollowedQueue): void {
    this.#close(followed);
    this.#positions.leave(followed.queue.id);
  }

  #close({ queue: { id }, close }: FollowedQueue): void {
    close();
    this.#queues.delete(id);
  }

  /** Until one of the feeds may have more, or the list of queues has to be read again. */
  async #changed(rounds: number): Promise<void> {
    const { clock } = this.parts;
    const woken = new AbortController();
    // Aborts with a reason, because the default error has a stack, which costs more than the wake-up itself.
    const wake = (): void => woken.abort('woken');
    this.options.signal.addEventListener('abort', wake, { once: true });
    const { signal } = woken;
    if (this.options.signal.aborted) wake();
    await Promise.race([
      this.options.poll.changed(rounds, signal),
      clock.wait(clock.now() + this.#untilRead.leftMs, signal),
    ]);
    this.options.signal.removeEventListener('abort', wake);
    wake();
  }

  async #start(): Promise<void> {
    const { store } = this.parts;
    const { cursor, where, poll, isWanted, wasWanted, signal } = this.options;
    if (signal.aborted) return;
    this.#untilRead.start(QUEUES_READ_EVERY_MS);
    const live = await allQueues(store, where);
    for (const queue of live) if (isWanted(queue) || wasWanted(queue)) this.#open(queue, true);
    if (cursor !== null && this.#mayNeedDeleted(cursor))
      for await (const queue of everyQueue(store, { ...where, isDeleted: true }))
        if (wasWanted(queue) && hasUnread(queue, cursor)) this.#open(queue, false);
    await poll.current();
    if (cursor === null) this.#startAtEnds([...this.#queues.values()]);
    else await this.#goOn(cursor);
    for (const followed of [...this.#queues.values()]) if (!isWanted(followed.queue)) this.#end(followed);
  }

  #mayNeedDeleted({ named, rest }: FollowCursor): boolean {
    return rest !== null || [...named.keys()].some((id) => !this.#queues.has(id));
  }

  /** Those with the newest rows last, as if their rows had been read. */
  #startAtEnds(queues: readonly FollowedQueue[]): void {
    const ends = queues.map(({ queue, feed }) => ({ id: queue.id, end: feed.end() }));
    ends.sort((one, other) => (one.end?.at ?? 0) - (other.end?.at ?? 0));
    for (const { id, end } of ends) this.#positions.move(id, end);
  }

  async #goOn({ named, rest }: FollowCursor): Promise<void> {
    const { wasWanted } = this.options;
    const followed = [...this.#queues.values()].filter(({ queue }) => wasWanted(queue));
    const unnamed = followed.filter(({ queue }) => !named.has(queue.id));
    if (rest !== null) {
      for (const other of unnamed) this.#positions.addOther(other.queue.id, await endAt(other, rest));
      if (!this.#positions.isAt(rest)) for (const other of unnamed) other.isLost = true;
    } else for (const { queue } of unnamed) this.#positions.move(queue.id, null);
    for (const [id, position] of named) if (this.#queues.has(id)) this.#positions.move(id, position);
    this.#startAtEnds([...this.#queues.values()].filter(({ queue }) => !wasWanted(queue)));
  }

  async #readQueues(): Promise<void> {
    if (!this.#untilRead.isOver) return;
    this.#untilRead.start(QUEUES_READ_EVERY_MS);
    const live = new Set<QueueId>();
    for (const queue of await this.options.queues()) {
      if (!this.options.isWanted(queue)) continue;
      live.add(queue.id);
      if (this.#queues.has(queue.id)) continue;
      this.#open(queue, true);
      this.#positions.move(queue.id, null);
    }
    for (const followed of this.#queues.values()) {
      const { queue, isLive } = followed;
      followed.isLive = live.has(queue.id);
      // To be read once more, and then closed.
      if (isLive && !followed.isLive) followed.changes = null;
    }
  }

  #open(queue: Queue, isLive: boolean): void {
    const opened = this.options.poll.open(queue.id);
    this.#queues.set(queue.id, { queue, ...opened, isLive, isLost: false, changes: null, rows: [] });
  }
}

const isBefore = ({ rows: [one] }: FollowedQueue, { rows: [other] }: FollowedQueue): boolean =>
  one !== undefined && other !== undefined && isAfterPoint(other, one);

/** Queues that a cursor does not name were read up to its point. */
const endAt = ({ queue, feed }: FollowedQueue, { point }: FollowRest): Promise<Position | null> =>
  feed.endAt(queue.id > point.queueId ? point.at - 1 : point.at);

/** Whether rows of a deleted queue may not have been read yet. */
const hasUnread = ({ id, deletedAt }: Queue, { named, rest }: FollowCursor): boolean =>
  named.has(id) ||
  (rest !== null && deletedAt !== null && isAfterPoint({ at: deletedAt, queueId: id }, rest.point));
