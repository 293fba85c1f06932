import type { QueueId } from '../model/ids.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { PAGE_LIMIT, type Store } from '../ports/store.js';
import { Countdown } from './countdown.js';
import { HistoryFeed } from './history-feed.js';

/** The time within which rows of other replicas are noticed. */
export const POLL_MS = 250;
const REST_AFTER_FAILURE_MS = 1_000;
/** The version of a queue that is not live any more. */
const DELETED = 'deleted';
/** The version after a commit of this process, which does not know it: the feed has to be read. */
const HINTED = 'hinted';

export interface HistoryPollParts {
  readonly store: Pick<Store, 'history' | 'queueVersions'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The feeds of all queues that are followed in this process. While there are any, it reads the versions of all queues, one
 * page after the other, and then what is new of those that have changed. A commit of this process is a hint to read at once.
 */
export class HistoryPoll {
  readonly #feeds = new Map<QueueId, HistoryFeed>();
  readonly #hinted = new Set<QueueId>();
  readonly #waiting = new Set<() => void>();
  #isPolling = false;
  #nap: AbortController | null = null;
  #round: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | null = null;
  #rounds = 0;
  readonly #untilPoll: Countdown;
  #isChanged = false;

  constructor(private readonly parts: HistoryPollParts) {
    this.#untilPoll = new Countdown(parts.clock);
  }

  /** Rises with each round in which a feed may have changed. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Adds a reader to the feed of a queue. `current` has it read. */
  open(id: QueueId): { readonly feed: HistoryFeed; readonly close: () => void } {
    const feed = this.#feeds.get(id) ?? new HistoryFeed(id, this.parts);
    this.#feeds.set(id, feed);
    const close = feed.open();
    if (!this.#isPolling) void this.#poll();
    return {
      feed,
      close: () => {
        close();
        if (feed.isIdle && this.#feeds.get(id) === feed) this.#feeds.delete(id);
        if (this.#feeds.size === 0) this.#nap?.abort();
      },
    };
  }

  /** Something was committed to a queue in this process. */
  hint(id: QueueId): void {
    if (!this.#feeds.has(id)) return;
    this.#hinted.add(id);
    this.#nap?.abort();
  }

  /** Resolves once every feed has what was committed before the call. Rejects if the store does not answer. */
  current(): Promise<void> {
    this.#next ??= this.#serially(() => {
      this.#next = null;
      return this.#keepUp();
    });
    return this.#next;
  }

  /** Resolves once `rounds` is not this number any more, or the signal aborts. */
  async changed(from: number, signal: AbortSignal): Promise<void> {
    if (this.#rounds !== from || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  async #poll(): Promise<void> {
    const { clock } = this.parts;
    this.#isPolling = true;
    this.#untilPoll.end();
    while (this.#feeds.size > 0) {
      await this.#turn();
      this.#nap = new AbortController();
      if (this.#hinted.size === 0 && this.#feeds.size > 0)
        await clock.wait(clock.now() + this.#untilPoll.leftMs, this.#nap.signal);
    }
    this.#isPolling = false;
  }

  async #turn(): Promise<void> {
    try {
      if (!this.#untilPoll.isOver) {
        await this.#serially(() => this.#readHinted());
        return;
      }
      this.#untilPoll.start(POLL_MS);
      await this.current();
    } catch (error) {
      this.parts.logger.warn({ error }, 'the histories could not be followed; retrying');
      this.#untilPoll.start(REST_AFTER_FAILURE_MS);
    }
  }

  /** Two reads of one feed at a time would add its rows twice. */
  #serially(work: () => Promise<void>): Promise<void> {
    const done = this.#round.then(work);
    this.#round = done.catch(() => undefined);
    return done;
  }

  async #readHinted(): Promise<void> {
    for (const id of this.#takeHinted()) await this.#grow(id, HINTED);
    this.#wakeReaders();
  }

  async #keepUp(): Promise<void> {
    this.#takeHinted();
    const unseen = new Set(this.#feeds.keys());
    let cursor: string | undefined;
    do {
      const at = cursor === undefined ? {} : { cursor };
      const page = await this.parts.store.queueVersions({ limit: PAGE_LIMIT, ...at });
      for (const { id, version, incarnation } of page.items) {
        unseen.delete(id);
        await this.#grow(id, `${incarnation} ${version}`);
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    for (const id of unseen) await this.#grow(id, DELETED);
    this.#wakeReaders();
  }

  #takeHinted(): readonly QueueId[] {
    const hinted = [...this.#hinted];
    this.#hinted.clear();
    for (const id of hinted) this.#feeds.get(id)?.hint();
    return hinted;
  }

  async #grow(id: QueueId, version: string): Promise<void> {
    if ((await this.#feeds.get(id)?.keepUp(version)) === true) this.#isChanged = true;
  }

  #wakeReaders(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#rounds += 1;
    for (const done of [...this.#waiting]) done();
  }
}
