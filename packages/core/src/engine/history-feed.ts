import type { QueueId } from '../model/ids.js';
import { isAtRow, type Position, positionOf } from '../model/position.js';
import type { Logger } from '../ports/logger.js';
import { type HistoryItem, PAGE_LIMIT, type Store } from '../ports/store.js';

export interface HistoryFeedParts {
  readonly store: Pick<Store, 'history'>;
  readonly logger: Logger;
}

/** The newest rows of a queue that are kept in memory while it is followed: readers that keep up share one read. */
export const FEED_ROWS_LIMIT = 500;

/** Rows after a position, oldest first; `lost` if the row at that position is not in the history (any more). */
export type RowsAfter = readonly HistoryItem[] | 'lost';

/** The history of one queue as it grows, whichever replica commits. `keepUp` reads what is new. */
export class HistoryFeed {
  /** Without gaps, oldest first; the last one is the newest that was seen. */
  #rows: readonly HistoryItem[] = [];
  /** The version of the queue up to which `#rows` were read; null: they have to be read. */
  #version: string | null = null;
  #changes = 0;
  #readers = 0;

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

  /** Adds a reader until the returned function is called. */
  open(): () => void {
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
    };
  }

  /** The position right after the newest row; null if the history is empty. Throws if it could not be read. */
  end(): Position | null {
    if (this.#version === null) throw new Error(`the history of the queue ${this.queueId} could not be read`);
    const newest = this.#rows.at(-1);
    return newest === undefined ? null : positionOf(newest);
  }

  /** The same, read from the store now: it may have lost rows that are in memory. */
  async storedEnd(): Promise<Position | null> {
    const row = await this.#newest();
    return row === undefined ? null : positionOf(row);
  }

  /** The position right after the newest row of that time or before; null if there is none. */
  async endAt(until: number): Promise<Position | null> {
    const newest = this.#rows.at(-1);
    if (this.#version !== null && (newest === undefined || newest.at <= until)) return this.end();
    const row = await this.#newest(until);
    return row === undefined ? null : positionOf(row);
  }

  /** At most `limit` rows, from 1 to `PAGE_LIMIT` - 1. A null position is before the first row that is kept. */
  async after(position: Position | null, limit: number): Promise<RowsAfter> {
    if (position === null) return (await this.#page({ limit })).items;
    const index = this.#rows.findIndex((row) => row.sequence === position.sequence);
    const row = this.#rows[index];
    if (row !== undefined && isAtRow(position, row)) return this.#rows.slice(index + 1, index + 1 + limit);
    return this.#readAfter(position, limit);
  }

  /** Reads what is new, if the queue has another version than at the last call. Answers whether there is more to read now. */
  async keepUp(version: string): Promise<boolean> {
    if (version === this.#version) return false;
    const before = this.#changes;
    try {
      while (await this.#grow());
      this.#version = version;
    } catch (error) {
      this.#version = null;
      this.parts.logger.warn({ error, queueId: this.queueId }, 'the history could not be followed; retrying');
    }
    return this.#changes !== before;
  }

  /** The next `keepUp` reads, whatever the version. */
  hint(): void {
    this.#version = null;
  }

  /** One page; answers whether there may be another one. */
  async #grow(): Promise<boolean> {
    const last = this.#rows.at(-1);
    const rows = last === undefined ? 'lost' : await this.#readAfter(positionOf(last), PAGE_LIMIT - 1);
    if (rows === 'lost') await this.#startAtNewest();
    else if (rows.length > 0) this.#take([...this.#rows, ...rows].slice(-FEED_ROWS_LIMIT));
    return rows !== 'lost' && rows.length === PAGE_LIMIT - 1;
  }

  async #startAtNewest(): Promise<void> {
    const newest = await this.#newest();
    this.#take(newest === undefined ? [] : [newest]);
  }

  #take(rows: readonly HistoryItem[]): void {
    this.#rows = rows;
    this.#changes += 1;
  }

  /** Rows of one instant may fill pages, so the row of the position is searched first. */
  async #readAfter(position: Position, limit: number): Promise<RowsAfter> {
    let cursor: string | undefined;
    do {
      const from = { since: position.at, limit: limit + 1, ...(cursor === undefined ? {} : { cursor }) };
      const page = await this.#page(from);
      const index = page.items.findIndex((row) => row.sequence >= position.sequence);
      const [row, ...rows] = index < 0 ? [] : page.items.slice(index);
      if (row !== undefined) {
        if (!isAtRow(position, row)) return 'lost';
        if (rows.length > 0 || page.next === null) return rows;
        return (await this.#page({ since: position.at, limit, cursor: page.next })).items;
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return 'lost';
  }

  #page(query: { readonly since?: number; readonly limit: number; readonly cursor?: string }) {
    return this.parts.store.history({ queueIds: [this.queueId], order: 'oldest_first', ...query });
  }

  async #newest(until?: number): Promise<HistoryItem | undefined> {
    const query = { queueIds: [this.queueId], order: 'newest_first', limit: 1 } as const;
    return (await this.parts.store.history({ ...query, ...(until === undefined ? {} : { until }) })).items[0];
  }
}
