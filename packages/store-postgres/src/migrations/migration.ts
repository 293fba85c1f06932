import type { Names } from '../statement.js';

/**
 * One step forward. A released migration is never changed: another one is added. Its comment says what it locks and for how
 * long; tables are locked in the order of a commit (effects, queues, …), all at once where there are several.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /**
   * The lowest number that a program must know to work on a database that has this migration. Its own number unless programs
   * of the version before go on working during a rolling upgrade, as with a column that they need not know.
   */
  readonly understoodFrom: number;
  readonly sql: (names: Names) => string;
}
