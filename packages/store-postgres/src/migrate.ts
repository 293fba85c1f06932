import { type Database, type Row, sqlState } from './database.js';
import type { Migration } from './migrations/migration.js';
import { migrations } from './migrations/migrations.js';
import { requireSight } from './rights.js';
import { insisting, type Names, namesIn } from './statement.js';
import { StoreProblem } from './store-problem.js';

/** How long a migration waits for a lock before it gives up and everything stays as it was. */
const LOCK_WAIT_MS = 10_000;
const RACES_LIMIT = 50;
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';

export interface MigrateOptions {
  readonly database: Database;
  /** `mq` where left out. It is created where it is missing. */
  readonly schema?: string;
}

export const DEFAULT_SCHEMA = 'mq';

/**
 * Brings the schema up to this version; nothing to do is no error. Any number of processes may call it at once: one of them
 * takes what is missing, in one transaction, and the others wait for it. Throws a StoreProblem where the database is of a later
 * version that this one does not understand (`SCHEMA_NEWER`).
 */
export const migrate = ({ database, schema = DEFAULT_SCHEMA }: MigrateOptions): Promise<void> =>
  migrateBy(migrations, database, namesIn(schema));

/** Exported for tests: the migrations are those given. */
export const migrateBy = async (
  known: readonly Migration[],
  database: Database,
  names: Names,
): Promise<void> => {
  let lost: { readonly at: Found; readonly error: unknown } | null = null;
  for (let races = 0; races < RACES_LIMIT; races += 1) {
    const found = await stateOf(database, names);
    // No other process was ahead: the key is one of the rows.
    if (lost !== null && isSameState(found, lost.at)) throw lost.error;
    refuseNewer(found, known, names);
    const missing = known.filter(({ number }) => number > found.number);
    if (missing.length === 0) return;
    try {
      await insisting(() => database.script(scriptOf(missing, names, found.hasSchema)));
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) throw busy(missing, error);
      // Another process may have taken them in the meantime.
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      lost = { at: found, error };
    }
  }
  throw new StoreProblem('DATABASE_BUSY', 'Other processes change the schema again and again.', 'Try again.');
};

/** Throws a StoreProblem unless the schema is what this version needs. Changes nothing. */
export const checkMigrated = (database: Database, names: Names): Promise<void> =>
  checkMigratedBy(migrations, database, names);

/** Exported for tests: the migrations are those given. */
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
      'Call migrate() with a role that may create tables, or leave out `migrate: false`.',
    );
};

/** Throws a StoreProblem where a database of this process alone was made by a later version. Changes nothing. */
export const refuseNewerVersion = async (database: Database): Promise<void> => {
  const names = namesIn(DEFAULT_SCHEMA);
  refuseNewer(await stateOf(database, names), migrations, names);
};

interface Found {
  /** The last migration that was taken; 0 where none was. */
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

/** Told before anything is made: the first title with a letter that the encoding lacks would stop its queue. */
const refuseUnfit = (there: Row | undefined): void => {
  if (there?.table == null && there?.encoding !== 'UTF8')
    throw new StoreProblem(
      'DATABASE_ENCODING',
      `The database has the encoding ${there?.encoding}, which is not sure to hold every title; it must be UTF8.`,
      "Create another one: create database … encoding 'UTF8' template template0. Nothing was changed.",
    );
  if (there?.read_only === 'on')
    throw new StoreProblem(
      'DATABASE_READ_ONLY',
      'The database takes no writes: it is a standby, or default_transaction_read_only is on.',
      'Give the address of the primary, or switch the setting off. Nothing was changed.',
    );
};

const lastOf = (known: readonly Migration[]): number => known.at(-1)?.number ?? 0;

const refuseNewer = (found: Found, known: readonly Migration[], names: Names): void => {
  if (found.understoodFrom <= lastOf(known)) return;
  throw new StoreProblem(
    'SCHEMA_NEWER',
    `The schema ${names.schema} was made by a later version (migration ${found.number}; this one knows ${lastOf(known)}).`,
    'Use that version or a later one. Nothing was changed.',
  );
};

const busy = (missing: readonly Migration[], cause: unknown): StoreProblem =>
  new StoreProblem(
    'DATABASE_BUSY',
    `Migration ${missing.map(({ number, name }) => `${number} (${name})`).join(', ')} did not get its locks within ${LOCK_WAIT_MS / 1_000} s.`,
    'Nothing was changed. Try again when less is going on, or end what holds the locks (see pg_locks).',
    { cause },
  );

// Sent as one message without values, this is one transaction. The process that comes second waits for the lock, then fails at
// the number and finds the migration taken. The lock ends with the transaction, so a pooler in between does no harm.
// To create a schema takes a right that the role need not have where the schema is there.
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
