import { type Database, migrate, pgDatabase, type Step, waitingSteps } from '@mq/store-postgres';
import { Pool } from 'pg';
import { StartProblem } from './problem.js';
import { addressOf, applicationName, serverProblem } from './store.js';

const CONNECT_LIMIT_MS = 5_000;

/**
 * Takes the steps that wait until no server of an earlier release is left, and tells which. Throws a StartProblem, and changes
 * nothing, where such a server is seen to be connected. To rewrite large tables takes long: no statement is given up.
 */
export const takeWaitingSteps = async (url: string): Promise<readonly Step[]> => {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'mq-finish-upgrade',
  });
  try {
    const database = pgDatabase(pool, { listen: false });
    const steps = await waitingSteps({ database });
    const last = steps.at(-1);
    if (last === undefined) return [];
    await refuseEarlier(database, last, url);
    await migrate({ database, isEarlierGone: true });
    return steps;
  } catch (error) {
    throw error instanceof StartProblem ? error : serverProblem(url, error);
  } finally {
    await pool.end();
  }
};

/**
 * Servers say which steps they know in the name of their connections, the first releases only that they are mq. Behind a pooler
 * that keeps that name to itself, and of programs with the engine in them, nothing is seen.
 */
const refuseEarlier = async (database: Database, { number, name }: Step, url: string): Promise<void> => {
  const rows = await database.query(
    `select distinct application_name as name, coalesce(host(client_addr), 'this machine') as address
from pg_stat_activity where datname = current_database() and application_name like 'mq%'`,
    [],
  );
  const earlier = rows.filter((row) => isEarlier(String(row.name), number));
  if (earlier.length === 0) return;
  const addresses = [...new Set(earlier.map(({ address }) => String(address)))].sort();
  throw new StartProblem(
    `Servers of an earlier release, which do not understand step ${number} (${name}), are connected to ${addressOf(url)} from ${addresses.join(', ')}.`,
    'End them, or replace them by servers of this release, and run this again. Nothing was changed.',
  );
};

const FIRST = 'mq';

const isEarlier = (connection: string, step: number): boolean =>
  connection === FIRST ||
  Array.from({ length: step }, (_, known) => applicationName(known)).includes(connection);
