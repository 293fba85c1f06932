import { MergeQueueError } from '@mq/core';
import { type Database, isMisfit } from './database.js';
import { checkMigrated } from './migrate.js';
import { served } from './outage.js';
import { type Names, type Runner, runnerOf } from './statement.js';

export interface ClosableRunner {
  /** Rejects with CLOSED once it is closed, and with STORE_UNREACHABLE during an outage. */
  readonly run: Runner;
  /** Waits for the statements in progress. Idempotent. */
  close(): Promise<void>;
}

/** Runs the statements of a store that shares its database with others. */
export const closableRunner = (database: Database, names: Names): ClosableRunner => {
  const statements = runnerOf(database);
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    run: async (statement, values) => {
      if (isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
      const answer = served(() => statements(statement, values)).catch(async (error: unknown) => {
        // A later version may have migrated the tables; report that rather than the SQL error.
        if (isMisfit(error)) await checkMigrated(database, names);
        throw error;
      });
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(underWay);
    },
  };
};
