import { canonicalJson } from './canonical-json.js';
import type { HistoryRow } from './history.js';
import type { Instant } from './ids.js';
import { sha256 } from './sha256.js';

/** Hexadecimal digits of the hash in a position: enough to tell two rows of one sequence apart. */
const MARK_CHARS = 12;

/**
 * Right after a row of the history of one queue. The mark is a hash of the row: a store that has lost the row, and given its
 * sequence to another one since, is noticed.
 */
export interface Position {
  readonly sequence: number;
  readonly at: Instant;
  readonly mark: string;
}

/** Each row is hashed once, however many readers get it. */
const marks = new WeakMap<HistoryRow, string>();

const markOf = (row: HistoryRow): string => {
  const cached = marks.get(row);
  if (cached !== undefined) return cached;
  const mark = sha256(canonicalJson(row)).slice(0, MARK_CHARS);
  marks.set(row, mark);
  return mark;
};

/** The row must not change afterwards. */
export const positionOf = (row: HistoryRow): Position => ({
  sequence: row.sequence,
  at: row.at,
  mark: markOf(row),
});

export const isAtRow = ({ sequence, at, mark }: Position, row: HistoryRow): boolean =>
  row.sequence === sequence && row.at === at && markOf(row) === mark;

/** A position as text of letters, digits and dots, e.g. `41.1767225600000.9f86d081884c`. */
export const positionText = ({ sequence, at, mark }: Position): string => `${sequence}.${at}.${mark}`;

/** Null if the text is none that `positionText` makes. */
export const parsePosition = (text: string): Position | null => {
  const [, sequence, at, mark] = /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{12})$/.exec(text) ?? [];
  if (sequence === undefined || at === undefined || mark === undefined) return null;
  return { sequence: Number(sequence), at: Number(at), mark };
};
