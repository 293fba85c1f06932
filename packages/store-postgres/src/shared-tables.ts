import type { Instant } from '@mq/core';
import { type ClosableRunner, closableRunner } from './closable-runner.js';
import type { Database } from './database.js';
import { checkMigrated, DEFAULT_SCHEMA, migrate } from './migrate.js';
import { type Names, namesIn, Values } from './statement.js';

/** The options of a store that has its tables in the schema of the queues' store. */
export interface SharedTablesOptions {
  readonly database: Database;
  /** The schema of the queues' store; defaults to `mq`. */
  readonly schema?: string;
  /** False does not migrate, and rejects if the tables are not those of this version. */
  readonly migrate?: boolean;
}

export interface SharedTables extends ClosableRunner {
  readonly names: Names;
  /** The time of the database. */
  now(): Promise<Instant>;
}

/** Opens the tables of a store that shares its database with that of the queues. Closing them leaves the database open. */
export const openTables = async (options: SharedTablesOptions): Promise<SharedTables> => {
  const { database, schema = DEFAULT_SCHEMA } = options;
  const names = namesIn(schema);
  if (options.migrate !== false) await migrate({ database, schema });
  await checkMigrated(database, names);
  const { run, close } = closableRunner(database, names);
  const now = async (): Promise<Instant> => {
    const [row] = await run(`select ${names.now}::text as now`, new Values());
    return Number(row?.now);
  };
  return { names, run, close, now };
};
