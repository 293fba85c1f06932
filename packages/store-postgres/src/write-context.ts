import type { Version } from '@mq/core';
import type { Part, Statement } from './statement.js';

/**
 * The context of all parts that write rows. `guard` is a part with one row (id, repo) if the commit is valid, else
 * none.
 */
export interface WriteContext extends Statement {
  readonly version: Version;
  /** Pull requests without any submission in the queue, if `guard` has a row. */
  readonly absent: ReadonlySet<number>;
}

export const when = <Row>(
  rows: readonly Row[],
  parts: (rows: readonly Row[]) => readonly Part[],
): readonly Part[] => (rows.length === 0 ? [] : parts(rows));
