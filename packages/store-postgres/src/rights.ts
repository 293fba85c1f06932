import type { Database } from './database.js';
import { insisting, type Names, tableNames } from './statement.js';
import { StoreProblem } from './store-problem.js';

/** The table of migrations is written by whoever brings the schema up, and read by everybody else. */
const written = tableNames.filter((name) => name !== 'migrations');
/** Of those that are lacking; the rest is counted. */
const NAMED_LIMIT = 5;

/** Throws a StoreProblem where the role lacks a right that the store needs sooner or later. Changes nothing. */
export const requireRights = async (database: Database, names: Names): Promise<void> => {
  const rows = await insisting(() =>
    database.query(
      `select lower(need) || ' on ' || relname as lacks
from pg_class, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as need
where relnamespace = to_regnamespace($1::text) and relname = any(string_to_array($2::text, ' '))
  and not has_table_privilege(pg_class.oid, need)
union all
select 'usage on turns'
where not has_sequence_privilege(to_regclass($1::text || '.turns')::oid, 'USAGE')
order by lacks`,
      [names.schema, written.join(' ')],
    ),
  );
  if (rows.length === 0) return;
  const lacks = rows.map((row) => String(row.lacks));
  const more = lacks.length > NAMED_LIMIT ? `, and ${lacks.length - NAMED_LIMIT} more` : '';
  throw new StoreProblem(
    'DATABASE_RIGHTS',
    `The role has not every right that it needs in the schema ${names.schema}: it lacks ${lacks.slice(0, NAMED_LIMIT).join(', ')}${more}.`,
    `Take the role that made the schema, or grant select, insert, update, delete on all tables and usage on all sequences in schema ${names.schema}. Nothing was changed.`,
  );
};
