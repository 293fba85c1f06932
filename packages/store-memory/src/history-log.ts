import type { HistoryItem, HistoryQuery, HistoryRow, Page, QueueId } from '@mq/core';
import { type Key, type Listing, pullRequestsOf, readCursor } from '@mq/core';
import { compareKeys, pageOf } from './page.js';

/** The history of one queue in order of sequence and time, in total and by pull request. The oldest rows are pruned. */
export class HistoryLog {
  #rows: HistoryRow[] = [];
  /** Rows before this index are pruned; the array is cut once they are half of it. */
  #forgotten = 0;
  readonly #byPr = new Map<number, HistoryRow[]>();

  constructor(readonly limit: number) {}

  append(rows: readonly HistoryRow[]): void {
    for (const row of rows) {
      this.#rows.push(row);
      for (const pr of pullRequestsOf(row)) {
        const about = this.#byPr.get(pr);
        if (about === undefined) this.#byPr.set(pr, [row]);
        else about.push(row);
      }
    }
    while (this.#rows.length - this.#forgotten > this.limit) this.#forget();
    if (this.#forgotten * 2 <= this.#rows.length) return;
    this.#rows = this.#rows.slice(this.#forgotten);
    this.#forgotten = 0;
  }

  rows(): readonly HistoryRow[] {
    return this.#rows.slice(this.#forgotten);
  }

  /** The rows after the cursor condition, in the given order. */
  *read(order: HistoryQuery['order'], pr: number | undefined, isAfter: (row: HistoryRow) => boolean) {
    const rows = pr === undefined ? this.#rows : (this.#byPr.get(pr) ?? []);
    const [low, high] = [pr === undefined ? this.#forgotten : 0, rows.length];
    const step = order === 'oldest_first' ? 1 : -1;
    let index = firstWhere(low, high, order, (at) => isAfter(rows[at] as HistoryRow));
    for (; index >= low && index < high; index += step) yield rows[index] as HistoryRow;
  }

  #forget(): void {
    const row = this.#rows[this.#forgotten++];
    if (row === undefined) return;
    for (const pr of pullRequestsOf(row)) {
      const about = this.#byPr.get(pr);
      about?.shift();
      if (about?.length === 0) this.#byPr.delete(pr);
    }
  }
}

/**
 * Binary search for the first index in [low, high), in this order, for which `holds` is true; outside if there is none.
 */
const firstWhere = (
  from: number,
  to: number,
  order: HistoryQuery['order'],
  holds: (index: number) => boolean,
): number => {
  const rising = order === 'oldest_first';
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle) === rising) high = middle;
    else low = middle + 1;
  }
  return rising ? low : low - 1;
};

const listing: Listing = { name: 'history', shape: ['number', 'string', 'number'] };

const keyOf = (item: HistoryItem): Key => [item.at, item.queueId, item.sequence];

/** One page of the histories of many queues, merged by time, queue and sequence. */
export const readHistory = (
  logOf: (id: QueueId) => HistoryLog | null,
  query: HistoryQuery,
): Page<HistoryItem> => {
  const after = readCursor(listing, query.cursor);
  const sign = query.order === 'oldest_first' ? 1 : -1;
  const precedes = (one: Key, other: Key): boolean => sign * compareKeys(one, other) < 0;
  const sources = [...new Set(query.queueIds)].flatMap((queueId) => {
    const log = logOf(queueId);
    if (log === null) return [];
    const begins = (row: HistoryRow): boolean => {
      if (after !== null && !precedes(after, [row.at, queueId, row.sequence])) return false;
      return sign > 0
        ? query.since === undefined || row.at >= query.since
        : query.until === undefined || row.at <= query.until;
    };
    return { queueId, rows: log.read(query.order, query.pr, begins) };
  });
  return pageOf(listing, wanted(merged(sources, precedes), query), query.limit, keyOf);
};

function* wanted(items: Iterable<HistoryItem>, query: HistoryQuery): Generator<HistoryItem> {
  for (const item of items) {
    if (query.until !== undefined && item.at > query.until) return;
    if (query.since !== undefined && item.at < query.since) return;
    if (query.types === undefined || query.types.includes(item.type)) yield item;
  }
}

interface Source {
  readonly queueId: QueueId;
  readonly rows: Iterator<HistoryRow>;
}

function* merged(
  sources: readonly Source[],
  precedes: (one: Key, other: Key) => boolean,
): Generator<HistoryItem> {
  const next = ({ queueId, rows }: Source): HistoryItem | null => {
    const result = rows.next();
    return result.done === true ? null : { ...result.value, queueId };
  };
  const heads = sources.map((source) => ({ source, item: next(source) }));
  for (;;) {
    let first: (typeof heads)[number] | null = null;
    for (const head of heads)
      if (
        head.item !== null &&
        (first === null || first.item === null || precedes(keyOf(head.item), keyOf(first.item)))
      )
        first = head;
    if (first === null || first.item === null) return;
    yield first.item;
    first.item = next(first.source);
  }
}
