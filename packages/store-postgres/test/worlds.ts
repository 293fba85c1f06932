import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import type { StoreUnderTest } from '@mq/testkit';
import { Pool } from 'pg';
import { inject } from 'vitest';
import {
  type Database,
  type PostgresStore,
  type PostgresStoreOptions,
  pgDatabase,
  pgliteDatabase,
  postgresStore,
} from '../src/index.js';

/** An empty store in a schema of its own, whose time can be moved. */
export interface TestStore extends StoreUnderTest {
  readonly store: PostgresStore;
  readonly schema: string;
  end(): Promise<void>;
}

export const freshName = (): string => `Mq "${randomUUID().slice(0, 8)}"`;

export const freshStore = async (
  database: Database,
  options: Partial<PostgresStoreOptions> = {},
): Promise<TestStore> => {
  const schema = options.schema ?? freshName();
  const name = `"${schema.replaceAll('"', '""')}"`;
  const store = await postgresStore({ database, ...options, schema });
  let passedMs = 0;
  return {
    store,
    schema,
    passTime: async (ms) => {
      passedMs += ms;
      await database.script(`create or replace function ${name}.now_ms() returns bigint language sql stable
as $$ select floor(extract(epoch from statement_timestamp()) * 1000)::bigint + ${passedMs} $$`);
    },
    end: () => database.script(`drop schema ${name} cascade`),
  };
};

/** A database for the tests of one file. */
export const postgres = (): Database & { readonly pool: Pool } => {
  const pool = new Pool({ connectionString: inject('postgresUrl'), max: 10 });
  const database = pgDatabase(pool);
  return { ...database, pool };
};

export const embedded = async (): Promise<Database & { readonly pglite: PGlite }> => {
  const pglite = await PGlite.create();
  return { ...pgliteDatabase(pglite), pglite };
};
