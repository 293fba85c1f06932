import type { Version } from '@mq/core';
import type { Part, Statement } from './statement.js';

/** What every kind of row is written with. `guard` is a part with one row (id, repo) if anything may be written at all. */
export interface Writing extends Statement {
  readonly version: Version;
  /** Pull requests of which the queue has no submission, nor ever had, if the guard lets anything be written. */
  readonly absent: ReadonlySet<number>;
}

export const when = <Row>(
  rows: readonly Row[],
  parts: (rows: readonly Row[]) => readonly Part[],
): readonly Part[] => (rows.length === 0 ? [] : parts(rows));
