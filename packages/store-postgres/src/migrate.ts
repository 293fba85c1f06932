import { type Database, type Row, sqlState } from './database.js';
import type { Layout } from './layout.js';
import { leanRows } from './migrations/0003-lean-rows.js';
import { narrowRows } from './migrations/0004-narrow-rows.js';
import type { Migration } from './migrations/migration.js';
import { migrations } from './migrations/migrations.js';
import { requireSight } from './rights.js';
import { insisting, type Names, namesIn } from './statement.js';
import { StoreProblem } from './store-problem.js';

/** How long a step waits for a lock before it gives up and everything stays as it was. */
const LOCK_WAIT_MS = 10_000;
const RACES_LIMIT = 50;
const UNIQUE_VIOLATION = '23505';
const LOCK_NOT_AVAILABLE = '55P03';

export interface MigrateOptions {
  readonly database: Database;
  /** `mq` where left out. It is made where it is missing. */
  readonly schema?: string;
  /**
   * That no process of an earlier release works on it, nor will. Steps that such a process would not understand are taken then;
   * else they wait, unless the schema is new or the database belongs to this process alone.
   */
  readonly isEarlierGone?: boolean;
}

export const DEFAULT_SCHEMA = 'mq';

/**
 * Brings the schema up to this release; nothing to do is no error. Any number of processes may do it at once, also while
 * replicas of the release before are at work. Throws a StoreProblem where the database is of a later release.
 */
export const migrate = (options: MigrateOptions): Promise<void> => {
  const { database, schema = DEFAULT_SCHEMA, isEarlierGone = database.isExclusive === true } = options;
  return migrateBy(migrations, database, namesIn(schema), isEarlierGone);
};

/** A step of the tables, as others see it. */
export interface Step {
  readonly number: number;
  readonly name: string;
}

/** The last step that this release knows. */
export const LAST_STEP = migrations.at(-1)?.number ?? 0;

/**
 * The steps that wait until no process of an earlier release works on the schema: `migrate({ isEarlierGone: true })` takes
 * them. None where the schema is still to be made. Throws a StoreProblem where it is of a later release. Changes nothing.
 */
export const waitingSteps = async (
  options: Pick<MigrateOptions, 'database' | 'schema'>,
): Promise<readonly Step[]> => {
  const names = namesIn(options.schema ?? DEFAULT_SCHEMA);
  const found = await stateOf(options.database, names);
  refuseLater(found, migrations, names);
  if (found.number === 0) return [];
  return migrations
    .filter(({ number, withEarlier }) => number > found.number && withEarlier === false)
    .map(({ number, name }) => ({ number, name }));
};

/** Exported for tests: the steps are those given. */
export const migrateBy = async (
  steps: readonly Migration[],
  database: Database,
  names: Names,
  isEarlierGone = false,
): Promise<void> => {
  let lost: { readonly at: Found; readonly error: unknown } | null = null;
  for (let races = 0; races < RACES_LIMIT; races += 1) {
    const found = await stateOf(database, names);
    // Nobody was ahead: the key is one of the rows.
    if (lost !== null && isSameState(found, lost.at)) throw lost.error;
    refuseLater(found, steps, names);
    const [next, ...others] = steps.filter((step) => step.number > found.number);
    if (next === undefined) return;
    const isNew = found.number === 0;
    if (next.withEarlier === false && !isNew && !isEarlierGone) return;
    // What is new is made at once: nobody works on a part of it.
    const taken = isNew ? [next, ...others] : [next];
    try {
      await insisting(() => database.script(scriptOf(taken, names, found.hasSchema)));
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) throw busy(next, error);
      // Another process may have taken the step in the meantime.
      if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
      lost = { at: found, error };
    }
  }
  throw new StoreProblem('DATABASE_BUSY', 'Other processes change the schema again and again.', 'Try again.');
};

/** How rows are written there. Throws a StoreProblem unless the schema is what this release needs. Changes nothing. */
export const checkMigrated = async (database: Database, names: Names): Promise<Layout> => {
  const found = await stateOf(database, names);
  refuseLater(found, migrations, names);
  const last = Math.max(
    ...migrations.flatMap(({ number, withEarlier = true }) => (withEarlier ? [number] : [])),
  );
  if (found.number < last)
    throw new StoreProblem(
      'SCHEMA_MISSING',
      `The schema ${names.schema} is at step ${found.number}; this release needs step ${last}.`,
      'Call migrate() with a role that may create tables, or leave out `migrate: false`.',
    );
  return { isRunApart: found.number >= leanRows.number, isNarrow: found.number >= narrowRows.number };
};

/** Throws a StoreProblem where a database of this process alone has been made by a later release. Changes nothing. */
export const refuseLaterRelease = async (database: Database): Promise<void> => {
  const names = namesIn(DEFAULT_SCHEMA);
  refuseLater(await stateOf(database, names), migrations, names);
};

interface Found {
  /** The last step that was taken; 0 where none was. */
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

const refuseLater = (found: Found, steps: readonly Migration[], names: Names): void => {
  const known = steps.at(-1)?.number ?? 0;
  if (found.understoodFrom <= known) return;
  throw new StoreProblem(
    'SCHEMA_NEWER',
    `The schema ${names.schema} was made by a later release (step ${found.number}; this one knows ${known} steps).`,
    'Use that release or a later one. Nothing was changed.',
  );
};

const busy = (step: Migration, cause: unknown): StoreProblem =>
  new StoreProblem(
    'DATABASE_BUSY',
    `Step ${step.number} (${step.name}) did not get its locks within ${LOCK_WAIT_MS / 1_000} s; nothing was changed.`,
    'Try again when less is going on, or end what holds them (see pg_locks).',
    { cause },
  );

// Sent as one message without values, this is one transaction. Whoever comes second waits for the lock, then fails at the
// number and finds the step taken. The lock ends with the transaction, so a pooler in between does no harm.
// To make a schema takes a right that the role need not have where the schema is there.
const scriptOf = (steps: readonly Migration[], names: Names, hasSchema: boolean): string => `
select set_config('lock_timeout', '${LOCK_WAIT_MS}', true);
select pg_advisory_xact_lock(7105, 1);
${hasSchema ? '' : `create schema if not exists ${names.schema};`}
create table if not exists ${names.migrations} (
  number bigint primary key,
  name text not null,
  understood_from bigint not null,
  applied_at timestamptz not null default now()
);
${steps.map((step) => scriptOfOne(step, names)).join('\n')}`;

const scriptOfOne = (step: Migration, names: Names): string => `
insert into ${names.migrations} (number, name, understood_from)
  values (${step.number}, '${step.name}', ${step.understoodFrom});
${step.sql(names)}
`;
