import { type Database, type Row, sqlState } from './database.js';
import type { Migration } from './migrations/migration.js';
import { migrations } from './migrations/migrations.js';
import { requireSight } from './rights.js';
import { insisting, type Names, namesIn } from './statement.js';
import { StoreProblem } from './store-problem.js';

/** How long a migration waits for a lock. Then it fails and nothing has changed. */
const LOCK_WAIT_MS = 10_000;
const RACES_LIMIT = 50;
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';

export interface MigrateOptions {
  readonly database: Database;
  /** Defaults to `mq`. Created if it does not exist. */
  readonly schema?: string;
}

export const DEFAULT_SCHEMA = 'mq';

/**
 * Migrates the schema to this version. Idempotent. Safe to call from several processes at once: one of them runs the
 * missing migrations, in one transaction, and the others wait. Throws a StoreProblem (`SCHEMA_NEWER`) if the database
 * is of a later version that this one does not understand.
 */
export const migrate = ({ database, schema = DEFAULT_SCHEMA }: MigrateOptions): Promise<void> =>
  migrateBy(migrations, database, namesIn(schema));

/** For tests: takes the migrations as an argument. */
export const migrateBy = async (
  known: readonly Migration[],
  database: Database,
  names: Names,
): Promise<void> => {
  let lost: { readonly at: Found; readonly error: unknown } | null = null;
  for (let races = 0; races < RACES_LIMIT; races += 1) {
    const found = await stateOf(database, names);
    // No other process has migrated, so the error is not from a race.
    if (lost !== null && isSameState(found, lost.at)) throw lost.error;
    refuseNewer(found, known, names);
    const missing = known.filter(({ number }) => number > found.number);
    if (missing.length === 0) return;
    try {
      await insisting(() => database.script(scriptOf(missing, names, found.hasSchema)));
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) throw busy(missing, error);
      // Another process may have run them meanwhile.
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      lost = { at: found, error };
    }
  }
  throw new StoreProblem('DATABASE_BUSY', 'Other processes keep changing the schema.', 'Try again.');
};

/** Throws a StoreProblem unless the schema is usable by this version. Changes nothing. */
export const checkMigrated = (database: Database, names: Names): Promise<void> =>
  checkMigratedBy(migrations, database, names);

/** For tests: takes the migrations as an argument. */
export const checkMigratedBy = async (
  known: readonly Migration[],
  database: Database,
  names: Names,
): Promise<void> => {
  const found = await stateOf(database, names);
  refuseNewer(found, known, names);
  const needed = lastOf(known);
  if (found.number < needed)
    throw new StoreProblem(
      'SCHEMA_MISSING',
      `The schema ${names.schema} is at migration ${found.number}; this version needs migration ${needed}.`,
      'Call migrate() with a role that can create tables, or remove `migrate: false`.',
    );
};

/** Throws a StoreProblem if an exclusively used database was made by a later version. Changes nothing. */
export const refuseNewerVersion = async (database: Database): Promise<void> => {
  const names = namesIn(DEFAULT_SCHEMA);
  refuseNewer(await stateOf(database, names), migrations, names);
};

interface Found {
  /** The number of the last migration; 0 if there was none. */
  readonly number: number;
  readonly understoodFrom: number;
  readonly hasSchema: boolean;
}

const isSameState = (one: Found, other: Found): boolean =>
  one.number === other.number && one.hasSchema === other.hasSchema;

const stateOf = async (database: Database, names: Names): Promise<Found> => {
  const ask: Database['query'] = (...asked) =>
    requireSight(names, () => insisting(() => database.query(...asked)));
  const [there] = await ask(
    `select to_regnamespace($1::text)::text as schema, to_regclass($2::text)::text as table,
  getdatabaseencoding()::text as encoding, current_setting('transaction_read_only') as read_only`,
    [names.schema, names.migrations],
  );
  refuseUnfit(there);
  const hasSchema = there?.schema != null;
  if (there?.table == null) return { number: 0, understoodFrom: 0, hasSchema };
  const [row] = await ask(
    `select max(number)::text as number, max(understood_from)::text as understood_from from ${names.migrations}`,
    [],
  );
  return { number: Number(row?.number ?? 0), understoodFrom: Number(row?.understood_from ?? 0), hasSchema };
};

/**
 * Checked before anything is created. In another encoding the first title with an unsupported character would stop its
 * queue.
 */
const refuseUnfit = (there: Row | undefined): void => {
  if (there?.table == null && there?.encoding !== 'UTF8')
    throw new StoreProblem(
      'DATABASE_ENCODING',
      `The database has the encoding ${there?.encoding}, which cannot store every title; it must be UTF8.`,
      "Create another one: create database … encoding 'UTF8' template template0. Nothing was changed.",
    );
  if (there?.read_only === 'on')
    throw new StoreProblem(
      'DATABASE_READ_ONLY',
      'The database is read-only: it is a standby, or default_transaction_read_only is on.',
      'Nothing was changed. Use the address of the primary, or turn the setting off.',
    );
};

const lastOf = (known: readonly Migration[]): number => known.at(-1)?.number ?? 0;

const refuseNewer = (found: Found, known: readonly Migration[], names: Names): void => {
  if (found.understoodFrom <= lastOf(known)) return;
  throw new StoreProblem(
    'SCHEMA_NEWER',
    `The schema ${names.schema} was made by a later version (migration ${found.number}; this one supports ${lastOf(known)}).`,
    'Use that version or a later one. Nothing was changed.',
  );
};

const busy = (missing: readonly Migration[], cause: unknown): StoreProblem =>
  new StoreProblem(
    'DATABASE_BUSY',
    `Migration ${missing.map(({ number, name }) => `${number} (${name})`).join(', ')} did not get its locks within ${LOCK_WAIT_MS / 1_000} s.`,
    'Nothing was changed. Try again later, or end the sessions that hold the locks (see pg_locks).',
    { cause },
  );

// Sent as one message without parameters, so it is one transaction. A second process waits for the advisory lock, then
// fails on the migration number and finds the migration done. The lock ends with the transaction, so it works behind a
// pooler. The schema is created only if missing, because that takes a right that the role may not have.
const scriptOf = (missing: readonly Migration[], names: Names, hasSchema: boolean): string => `
select set_config('lock_timeout', '${LOCK_WAIT_MS}', true);
select pg_advisory_xact_lock(7105, 1);
${hasSchema ? '' : `create schema if not exists ${names.schema};`}
create table if not exists ${names.migrations} (
  number bigint primary key,
  name text not null,
  understood_from bigint not null,
  applied_at timestamptz not null default now()
);
${missing.map((migration) => scriptOfOne(migration, names)).join('\n')}`;

const scriptOfOne = ({ number, name, understoodFrom, sql }: Migration, names: Names): string => `
insert into ${names.migrations} (number, name, understood_from) values (${number}, '${name}', ${understoodFrom});
${sql(names)}
`;
