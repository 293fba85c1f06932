import type { Names } from '../statement.js';

/** One step forward. What was released is never changed: another step is added. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The lowest number that a release must know to work on a database that has this step. */
  readonly understoodFrom: number;
  /** What it locks and for how long, for who runs it on a large database while other replicas work. */
  readonly locks: string;
  readonly sql: (names: Names) => string;
}
