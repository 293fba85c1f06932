import type { Names } from '../statement.js';

/**
 * One step forward. Released migrations never change; changes are new migrations. The comment of each states what it
 * locks and for how long. Tables are locked in the order of a commit (effects, queues, …), all at once.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * The lowest migration that a program must know to work on this database. Lower than `number` if the previous version
   * keeps working during a rolling upgrade, e.g. for a column that it can ignore.
   */
  readonly understoodFrom: number;
  readonly sql: (names: Names) => string;
}
