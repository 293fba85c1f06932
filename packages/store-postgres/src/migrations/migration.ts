import type { Names } from '../statement.js';

/** One step forward. What was released is never changed: another step is added. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The lowest number that a release must know to work on a database that has this step. */
  readonly understoodFrom: number;
  /**
   * False for a step that the release before would not understand, also not one that is at work already: it waits until none can
   * be. The release works without it, and the next one takes it.
   */
  readonly withEarlier?: false;
  /** What it locks and for how long, for who runs it on a large database while other replicas work. */
  readonly locks: string;
  readonly sql: (names: Names) => string;
}
