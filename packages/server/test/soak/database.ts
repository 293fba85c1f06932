import { startPostgres } from '@mq/test-postgres';
import { Client } from 'pg';
import { freshDatabase } from '../fresh-database.js';

/** The PostgreSQL of a soak, and what can befall it. */
export interface SoakDatabase {
  readonly url: string;
  /** Cuts connections of the replicas, each with this chance. How many were cut. */
  cut(rate: number): Promise<number>;
  /** False if the server is not ours to restart. */
  restart(): Promise<boolean>;
  /** Effects that are not settled. */
  openEffects(): Promise<number>;
  stop(): Promise<void>;
}

/** Confirmed commits have to be on disk, even if that makes the test server slower. */
const SETTINGS = { synchronous_commit: 'on' };

const CUT = `select count(pg_terminate_backend(pid)) as count from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and random() < $1`;

export const startDatabase = async (): Promise<SoakDatabase> => {
  const server = await startPostgres(SETTINGS);
  const { href } = await freshDatabase(server.url);
  const count = async (text: string, values: readonly unknown[] = []): Promise<number> => {
    const client = new Client({ connectionString: href });
    await client.connect();
    try {
      return Number((await client.query(text, [...values])).rows[0]?.count);
    } finally {
      await client.end();
    }
  };
  return {
    url: href,
    cut: (rate) => count(CUT, [rate]),
    restart: async () => {
      await server.restart?.();
      return server.restart !== null;
    },
    openEffects: () => count('select count(*) as count from mq.effects'),
    stop: server.stop,
  };
};
