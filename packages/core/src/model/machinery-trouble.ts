import type { Instant, RunId } from './ids.js';

/** Test runs of unrelated submissions that ended without a verdict one after another: an infrastructure failure of all. */
export interface MachineryTrouble {
  readonly runId: RunId;
  /** Everybody in it, those whom it hit before in this row, the last so many, and those of the first whose budget it cost. */
  readonly prs: readonly number[];
  readonly earlier: readonly number[];
  readonly charged: readonly number[];
  readonly at: Instant;
  /** How often in a row it hit somebody unrelated to the one before; 0 after the first. */
  readonly rounds: number;
}
