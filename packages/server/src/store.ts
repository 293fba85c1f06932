import type {
  CheckStore,
  HostCommandStore,
  Logger,
  PresenceStore,
  ServiceStore,
  Store,
  SummaryStore,
  WebhookStore,
} from '@mq/core';
import {
  memoryCheckStore,
  memoryHostCommandStore,
  memoryPresenceStore,
  memoryServiceStore,
  memoryStore,
  memorySummaryStore,
  memoryWebhookStore,
} from '@mq/store-memory';
import {
  type Database,
  openPGlite,
  pgDatabase,
  postgresCheckStore,
  postgresHostCommandStore,
  postgresPresenceStore,
  postgresServiceStore,
  postgresStore,
  postgresSummaryStore,
  postgresWebhookStore,
  StoreProblem,
} from '@mq/store-postgres';
import { Pool } from 'pg';
import type { StoreChoice } from './config.js';
import { codeOf, StartProblem } from './problem.js';

const CONNECTIONS_LIMIT = 10;
/** Connection timeout. Afterwards a request gets an error, and a start fails. */
const CONNECT_LIMIT_MS = 5_000;
/** Statement timeout, so that a database that never answers cannot block the engine forever. */
const STATEMENT_LIMIT_MS = 60_000;

export interface OpenStore {
  readonly kind: StoreChoice['kind'];
  readonly store: Store;
  /** Tokens, stored in the same database. */
  readonly serviceStore: ServiceStore;
  /** External checks, stored in the same database. */
  readonly checks: CheckStore;
  /** Summaries of the history, in the same database. */
  readonly summaries: SummaryStore;
  /** What was shown at pull requests, in the same database. */
  readonly presence: PresenceStore;
  /** Commands that people gave at code hosts, in the same database. */
  readonly commands: HostCommandStore;
  /** The webhooks, in the same database. */
  readonly webhooks: WebhookStore;
  /** Waits for open statements. Call it after the engine was closed. */
  close(): Promise<void>;
}

/** Throws a StartProblem if the store cannot be opened, and leaves nothing open. */
export const openStore = async (choice: StoreChoice, logger: Logger): Promise<OpenStore> => {
  switch (choice.kind) {
    case 'memory': {
      const store = memoryStore();
      const checks = memoryCheckStore();
      return {
        kind: 'memory',
        store,
        serviceStore: memoryServiceStore(),
        checks,
        summaries: memorySummaryStore(),
        presence: memoryPresenceStore(),
        commands: memoryHostCommandStore(),
        webhooks: memoryWebhookStore(),
        close: () => store.close(),
      };
    }
    case 'pglite':
      return openFolder(choice.folder, logger);
    case 'postgresql':
      return openServer(choice.url, logger);
  }
};

const openFolder = async (folder: string, logger: Logger): Promise<OpenStore> => {
  let database: Database | null = null;
  try {
    database = await openPGlite({ folder });
    return { kind: 'pglite', ...(await storesIn(database, logger)) };
  } catch (error) {
    await database?.close().catch(() => undefined);
    throw folderProblem(folder, error);
  }
};

const openServer = async (url: string, logger: Logger): Promise<OpenStore> => {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS_LIMIT,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    query_timeout: STATEMENT_LIMIT_MS,
    keepAlive: true,
    application_name: 'mq',
  });
  try {
    const stores = await storesIn(pgDatabase(pool), logger);
    const close = async (): Promise<void> => {
      await stores.close();
      await pool.end();
    };
    return { kind: 'postgresql', ...stores, close };
  } catch (error) {
    // Not awaited: `end` of a pool that never connected does not resolve.
    void pool.end();
    throw serverProblem(url, error);
  }
};

const storesIn = async (database: Database, logger: Logger): Promise<Omit<OpenStore, 'kind'>> => {
  const store = await postgresStore({ database, logger });
  const serviceStore = await postgresServiceStore({ database, migrate: false });
  const checks = await postgresCheckStore({ database, migrate: false });
  const summaries = await postgresSummaryStore({ database, migrate: false });
  const presence = await postgresPresenceStore({ database, migrate: false });
  const commands = await postgresHostCommandStore({ database, migrate: false });
  const webhooks = await postgresWebhookStore({ database, migrate: false });
  const close = async (): Promise<void> => {
    const besides = [serviceStore, checks, summaries, presence, commands, webhooks];
    await Promise.all(besides.map((one) => one.close()));
    await store.close();
  };
  return { store, serviceStore, checks, summaries, presence, commands, webhooks, close };
};

/** Where the queues are stored, for messages. */
export const placeOf = (choice: StoreChoice): string => {
  switch (choice.kind) {
    case 'memory':
      return 'in memory: they do not survive a restart';
    case 'pglite':
      return `in ${choice.folder} (PGlite)`;
    case 'postgresql':
      return `in PostgreSQL at ${addressOf(choice.url)}`;
  }
};

/** The host and database of a URL, without user and password. */
const addressOf = (url: string): string => {
  const { host, pathname, searchParams } = new URL(url);
  return `${host === '' ? searchParams.get('host') : host}${pathname}`;
};

const folderProblem = (folder: string, error: unknown): StartProblem => {
  if (error instanceof StoreProblem) return new StartProblem(error.problem, error.remedy, { cause: error });
  const elsewhere = 'choose another folder (MQ_DATA=<folder> npm start), or a PostgreSQL (DATABASE_URL)';
  return codeOf(error) === 'ENOSPC'
    ? new StartProblem(`The disk of ${folder} is full.`, `Free some space, ${elsewhere}.`, { cause: error })
    : new StartProblem(
        `The queues in ${folder} cannot be opened: ${messageOf(error)}.`,
        `Fix that, ${elsewhere}.`,
        { cause: error },
      );
};

const RESTART = 'Then start the server again.';

const serverProblem = (url: string, error: unknown): StartProblem => {
  const at = addressOf(url);
  const problem = (wrong: string, remedy: string) =>
    new StartProblem(`${wrong}.`, `${remedy} ${RESTART}`, { cause: error });
  if (error instanceof StoreProblem) return new StartProblem(error.problem, error.remedy, { cause: error });
  const code = codeOf(error);
  const file = unreadFile(error);
  if (file !== null)
    return problem(
      `The file ${file}, which DATABASE_URL names, cannot be read (${code})`,
      'Correct its name (sslrootcert, sslcert, sslkey), or let the user that runs the server read it.',
    );
  switch (code) {
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENOENT':
    case 'ETIMEDOUT':
      return problem(
        `PostgreSQL at ${at} cannot be reached (${code})`,
        'Start it, or correct host and port in DATABASE_URL.',
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return problem(`The host of ${at} is not known (${code})`, 'Correct the host in DATABASE_URL.');
    case '28P01':
    case '28000':
      return problem(
        `PostgreSQL at ${at} refuses the user or the password of DATABASE_URL`,
        'Correct them, or allow the user in pg_hba.conf.',
      );
    case '3D000':
      return problem(
        `There is no such database: ${at}`,
        'Create it (createdb), or correct its name in DATABASE_URL.',
      );
    case '42501':
      return problem(
        `The user of DATABASE_URL lacks rights at ${at} that mq needs: ${withoutPassword(url, messageOf(error))}`,
        'Grant it the right to create the schema mq (grant create on database … to …), or use the user that created it.',
      );
    case '53300':
      return problem(
        `PostgreSQL at ${at} has no connection left`,
        'Raise max_connections, or end some of its clients.',
      );
    default:
      return problem(
        `PostgreSQL at ${at} cannot be used: ${withoutPassword(url, messageOf(error))}`,
        'Correct DATABASE_URL, or fix that at the server.',
      );
  }
};

/** True for a file that could not be opened. A missing socket has the same code. */
const unreadFile = (error: unknown): string | null =>
  error instanceof Error && 'syscall' in error && error.syscall === 'open' && 'path' in error
    ? String(error.path)
    : null;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);

const withoutPassword = (url: string, text: string): string => {
  const { password } = new URL(url);
  if (password === '') return text;
  return [url, password, decodeURIComponent(password)].reduce(
    (left, secret) => left.replaceAll(secret, '…'),
    text,
  );
};
