import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { HistoryItem, HistoryQuery, Page, Store } from '@mq/core';
import type {
  CheckStoreUnderTest,
  HostCommandStoreUnderTest,
  PresenceStoreUnderTest,
  ServiceStoreUnderTest,
  StoreUnderTest,
  SummaryStoreUnderTest,
  WebhookStoreUnderTest,
} from '@mq/testkit';
import { Pool } from 'pg';
import { inject } from 'vitest';
import {
  type Database,
  type PostgresStore,
  type PostgresStoreOptions,
  pgDatabase,
  pgliteDatabase,
  postgresCheckStore,
  postgresHostCommandStore,
  postgresPresenceStore,
  postgresServiceStore,
  postgresStore,
  postgresSummaryStore,
  postgresWebhookStore,
} from '../src/index.js';

/** An empty store whose time can be set. `end` drops its schema. */
export interface TestStore extends StoreUnderTest {
  readonly store: PostgresStore;
  readonly schema: string;
  /** Sets the time, which stands still then. */
  setTime(at: number): Promise<void>;
  end(): Promise<void>;
}

export const freshName = (): string => `Mq "${randomUUID().slice(0, 8)}"`;

/** Uses a new schema unless one is given. */
export const freshStore = async (
  database: Database,
  options: Partial<PostgresStoreOptions> = {},
): Promise<TestStore> => {
  const schema = options.schema ?? freshName();
  const name = `"${schema.replaceAll('"', '""')}"`;
  const store = await postgresStore({ database, ...options, schema });
  await database.script(`create table if not exists ${name}.clock (stands_at bigint, passed bigint not null);
    insert into ${name}.clock values (null, 0);
    create or replace function ${name}.now_ms() returns bigint language sql stable as $$
      select coalesce(stands_at, floor(extract(epoch from statement_timestamp()) * 1000)::bigint) + passed
      from ${name}.clock $$`);
  return {
    store,
    schema,
    setTime: (at) => database.script(`update ${name}.clock set stands_at = ${at}, passed = 0`),
    passTime: (ms) => database.script(`update ${name}.clock set passed = passed + ${ms}`),
    end: () => database.script(`drop schema ${name} cascade`),
  };
};

const tables =
  'queues wakes inbox effects submissions runs targets verdicts receipts history history_prs answers tokens expected_checks webhooks summaries presences presence_spans write_budgets';

export interface SharedStore extends Omit<TestStore, 'end'> {
  /** Another store on the same tables, as in another process. */
  another(on?: Database): Promise<PostgresStore>;
}

/** One schema for many tests in turn, emptied for each. Creating a schema takes longer than most tests. */
export const sharedSchema = (
  database: Database,
): ((asked?: Pick<PostgresStoreOptions, 'retention'>) => Promise<SharedStore>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async ({ retention = {} } = {}) => {
    made ??= freshStore(database, { schema });
    const { passTime, setTime } = await made;
    const all = tables.split(' ').map((table) => `delete from ${schema}.${table}`);
    await database.script(`${all.join('; ')}; update ${schema}.clock set stands_at = null, passed = 0`);
    const another = (on = database) => postgresStore({ database: on, schema, migrate: false, retention });
    const store = await another();
    return { store, another, schema, passTime, setTime, prune: () => store.prune() };
  };
};

/** The same for the store of tokens. */
export const sharedServiceSchema = (database: Database): (() => Promise<ServiceStoreUnderTest>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async () => {
    made ??= freshStore(database, { schema });
    await made;
    await database.script(`delete from ${schema}.tokens`);
    const another = () => postgresServiceStore({ database, schema, migrate: false });
    return { store: await another(), another };
  };
};

/** The same for the store of expected checks. */
export const sharedCheckSchema = (database: Database): (() => Promise<CheckStoreUnderTest>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async () => {
    made ??= freshStore(database, { schema });
    await made;
    await database.script(`delete from ${schema}.expected_checks`);
    const another = () => postgresCheckStore({ database, schema, migrate: false });
    return { store: await another(), another };
  };
};

/** The same for the store of summaries. */
export const sharedSummarySchema = (database: Database): (() => Promise<SummaryStoreUnderTest>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async () => {
    made ??= freshStore(database, { schema });
    await made;
    await database.script(`delete from ${schema}.summaries`);
    const another = () => postgresSummaryStore({ database, schema, migrate: false });
    return { store: await another(), another };
  };
};

/** The same for the store of host commands. */
export const sharedHostCommandSchema = (database: Database): (() => Promise<HostCommandStoreUnderTest>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async () => {
    made ??= freshStore(database, { schema });
    await made;
    await database.script(`delete from ${schema}.host_commands; delete from ${schema}.command_progress`);
    const another = () => postgresHostCommandStore({ database, schema, migrate: false });
    return { store: await another(), another };
  };
};

/** The same for the store of what is shown at pull requests. */
export const sharedPresenceSchema = (database: Database): (() => Promise<PresenceStoreUnderTest>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async () => {
    made ??= freshStore(database, { schema });
    await made;
    const all = ['presences', 'presence_spans', 'write_budgets'].map(
      (table) => `delete from ${schema}.${table}`,
    );
    await database.script(all.join('; '));
    const another = () => postgresPresenceStore({ database, schema, migrate: false });
    return { store: await another(), another };
  };
};

/** The same for the store of webhooks. */
export const sharedWebhookSchema = (database: Database): (() => Promise<WebhookStoreUnderTest>) => {
  const schema = `mq_${randomUUID().slice(0, 8)}`;
  let made: Promise<TestStore> | null = null;
  return async () => {
    made ??= freshStore(database, { schema });
    const { passTime } = await made;
    await database.script(`delete from ${schema}.webhooks`);
    const another = () => postgresWebhookStore({ database, schema, migrate: false });
    return { store: await another(), another, passTime };
  };
};

/** The database for the tests of one file. */
export const postgres = (connections = 10): Database & { readonly pool: Pool } => {
  const pool = new Pool({ connectionString: inject('postgresUrl'), max: connections });
  const database = pgDatabase(pool);
  return { ...database, pool };
};

/** The same with PGlite, without fsync; `end` closes it. */
export const embedded = async (): Promise<Database & { end(): Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-pglite-'));
  cpSync(join(inject('pgliteFolder'), 'pgdata'), folder, { recursive: true });
  const pglite = await PGlite.create(folder);
  const end = async () => {
    await pglite.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...pgliteDatabase(pglite), end };
};

/** The matching history rows, as sequence numbers per page. */
export const pagesOf = async (
  store: Pick<Store, 'history'>,
  query: HistoryQuery,
): Promise<readonly (readonly number[])[]> => {
  const pages: (readonly number[])[] = [];
  let at: Pick<HistoryQuery, 'cursor'> | null = {};
  while (at !== null) {
    const page: Page<HistoryItem> = await store.history({ ...query, ...at });
    pages.push(page.items.map(({ sequence }) => sequence));
    at = page.next === null ? null : { cursor: page.next };
  }
  return pages;
};
