import type { QueueId } from '../model/ids.js';
import { isAtRow, type Position, positionOf } from '../model/position.js';
import type { Clock } from '../ports/clock.js';
import type { Logger } from '../ports/logger.js';
import { type HistoryItem, PAGE_LIMIT, type Store } from '../ports/store.js';

export interface HistoryFeedParts {
  readonly store: Pick<Store, 'history'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The newest rows of a queue that are kept in memory while it is followed: readers that keep up share one read. */
export const FEED_ROWS_LIMIT = 500;
/** Rows that other replicas have committed are noticed no later. */
export const FEED_POLL_MS = 250;
const REST_AFTER_FAILURE_MS = 1_000;

/** Rows after a position, oldest first; `lost` where the row at that position is not in the history, or not any more. */
export type RowsAfter = readonly HistoryItem[] | 'lost';

/**
 * The history of one queue as it grows, whichever replica commits. It polls the store while it has readers; a commit of this
 * process is a hint to poll at once.
 */
export class HistoryFeed {
  /** Without gaps, oldest first; the last one is the newest that was seen. */
  #rows: readonly HistoryItem[] = [];
  #changes = 0;
  #readers = 0;
  #isPolling = false;
  #nap: AbortController | null = null;
  #isHinted = false;
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly queueId: QueueId,
    private readonly parts: HistoryFeedParts,
  ) {}

  /** Rises whenever there may be more to read. */
  get changes(): number {
    return this.#changes;
  }

  get isIdle(): boolean {
    return this.#readers === 0;
  }

  /** Polls from now on, until the returned function was called for each call of this. */
  open(): () => void {
    this.#readers += 1;
    if (!this.#isPolling) void this.#poll();
    return () => {
      this.#readers -= 1;
      if (this.#readers === 0) this.#nap?.abort();
    };
  }

  /** Something was committed in this process. */
  hint(): void {
    this.#isHinted = true;
    this.#nap?.abort();
  }

  /** Right after the newest row; null where the history is empty. */
  async end(): Promise<Position | null> {
    const newest = await this.#newest();
    return newest === undefined ? null : positionOf(newest);
  }

  /** At most `PAGE_LIMIT` rows. A null position is before the first row that is kept. */
  async after(position: Position | null): Promise<RowsAfter> {
    if (position === null) return (await this.#page({})).items;
    const index = this.#rows.findIndex((row) => row.sequence === position.sequence);
    const row = this.#rows[index];
    if (row !== undefined && isAtRow(position, row)) return this.#rows.slice(index + 1);
    return this.#readAfter(position);
  }

  /** Resolves once `changes` is not this number any more, or the signal aborts. */
  async changed(from: number, signal: AbortSignal): Promise<void> {
    if (this.#changes !== from || signal.aborted) return;
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
    this.#isPolling = true;
    while (this.#readers > 0) {
      const isRead = await this.#grow();
      await this.#rest(isRead ? FEED_POLL_MS : REST_AFTER_FAILURE_MS);
    }
    this.#isPolling = false;
    this.#rows = [];
  }

  async #rest(ms: number): Promise<void> {
    const { clock } = this.parts;
    this.#nap = new AbortController();
    if (!this.#isHinted && this.#readers > 0) await clock.wait(clock.now() + ms, this.#nap.signal);
    this.#isHinted = false;
  }

  /** False where the store did not answer. */
  async #grow(): Promise<boolean> {
    try {
      const last = this.#rows.at(-1);
      const rows = last === undefined ? 'lost' : await this.#readAfter(positionOf(last));
      if (rows === 'lost') await this.#startAtNewest(last === undefined);
      else if (rows.length > 0) this.#take([...this.#rows, ...rows].slice(-FEED_ROWS_LIMIT));
      return true;
    } catch (error) {
      this.parts.logger.warn({ error, queueId: this.queueId }, 'the history could not be followed; retrying');
      return false;
    }
  }

  async #startAtNewest(isFirst: boolean): Promise<void> {
    const newest = await this.#newest();
    if (isFirst && newest === undefined) return;
    this.#take(newest === undefined ? [] : [newest]);
  }

  #take(rows: readonly HistoryItem[]): void {
    this.#rows = rows;
    this.#changes += 1;
    for (const done of [...this.#waiting]) done();
  }

  /** Rows of one instant may fill pages: the row of the position is looked for first. */
  async #readAfter(position: Position): Promise<RowsAfter> {
    let cursor: string | undefined;
    do {
      const page = await this.#page({ since: position.at, ...(cursor === undefined ? {} : { cursor }) });
      const index = page.items.findIndex((row) => row.sequence >= position.sequence);
      const row = page.items[index];
      if (row !== undefined) return this.#behind(position, page.items.slice(index), page.next);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return 'lost';
  }

  async #behind(
    position: Position,
    [row, ...rows]: readonly HistoryItem[],
    next: string | null,
  ): Promise<RowsAfter> {
    if (row === undefined || !isAtRow(position, row)) return 'lost';
    if (rows.length > 0 || next === null) return rows;
    return (await this.#page({ since: position.at, cursor: next })).items;
  }

  #page(query: { readonly since?: number; readonly cursor?: string }) {
    return this.parts.store.history({
      queueIds: [this.queueId],
      order: 'oldest_first',
      limit: PAGE_LIMIT,
      ...query,
    });
  }

  async #newest(): Promise<HistoryItem | undefined> {
    const query = { queueIds: [this.queueId], order: 'newest_first', limit: 1 } as const;
    return (await this.parts.store.history(query)).items[0];
  }
}
