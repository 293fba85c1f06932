import { type Database, sqlState } from './database.js';
import { insisting, type Names, type TableName, tableNames } from './statement.js';
import { StoreProblem } from './store-problem.js';

/** The table of migrations is written only by the migrating role. */
const written = tableNames.filter((name) => name !== 'migrations');
/** Tables whose rows are never updated. */
const unchanging = ['history', 'history_prs', 'receipts'] as const satisfies TableName[];
/** Max missing rights that a message names; the others are counted. */
const NAMED_LIMIT = 5;

/** Throws a StoreProblem if the role lacks a right that the store will need. Changes nothing. */
export const requireRights = async (database: Database, names: Names): Promise<void> => {
  const rows = await insisting(() =>
    database.query(
      `select lower(need) || ' on ' || relname as lacks
from pg_class, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as need
where relnamespace = to_regnamespace($1::text) and relname = any(string_to_array($2::text, ' '))
  and not (need = 'UPDATE' and relname = any(string_to_array($3::text, ' ')))
  and not has_table_privilege(pg_class.oid, need)
union all
select 'usage on turns'
where not has_sequence_privilege(to_regclass($1::text || '.turns')::oid, 'USAGE, UPDATE')
union all
select 'execute on now_ms()'
where not has_function_privilege(to_regprocedure($1::text || '.now_ms()')::oid, 'EXECUTE')
order by lacks`,
      [names.schema, written.join(' '), unchanging.join(' ')],
    ),
  );
  if (rows.length === 0) return;
  const lacks = rows.map((row) => String(row.lacks));
  const more = lacks.length > NAMED_LIMIT ? `, and ${lacks.length - NAMED_LIMIT} more` : '';
  throw lackOfRights(names, `it lacks ${lacks.slice(0, NAMED_LIMIT).join(', ')}${more}`);
};

/** Throws the same if the role cannot even read the catalog. */
export const requireSight = async <Result>(names: Names, look: () => Promise<Result>): Promise<Result> => {
  try {
    return await look();
  } catch (error) {
    if (sqlState(error) === INSUFFICIENT_PRIVILEGE) throw lackOfRights(names, 'it cannot read it', error);
    throw error;
  }
};

const INSUFFICIENT_PRIVILEGE = '42501';

const lackOfRights = (names: Names, lack: string, cause?: unknown): StoreProblem =>
  new StoreProblem(
    'DATABASE_RIGHTS',
    `The database role lacks rights in the schema ${names.schema}: ${lack}.`,
    `Use the role that created the schema, or grant usage on it, and select, insert, update, delete on all tables, usage on all sequences and execute on all functions in schema ${names.schema}. Nothing was changed.`,
    { cause },
  );
