import type { TableName } from '../statement.js';
import type { Migration } from './migration.js';

/**
 * From here on a run is kept in parts, which releases before this step would take for runs without a trial. Rows are texts that
 * nobody takes apart in the database: as `jsonb` each was parsed and put together anew with every write.
 */
export const leanRows: Migration = {
  number: 3,
  name: 'lean_rows',
  understoodFrom: 3,
  withEarlier: false,
  locks:
    'Everything that it names, while it rewrites it: some ten seconds for each gigabyte, in which nothing is read or written.',
  // All at once and wishes first, as a commit comes to them: it would wait in a circle for who rewrites one after another.
  sql: (names) => {
    const tables = lean.map((table) => names[table]);
    return `lock table ${tables.join(', ')} in access exclusive mode;
${tables.map((table) => `alter table ${table} alter column value type json using value::text::json;`).join('\n')}`;
  },
};

const lean = [
  'effects',
  'queues',
  'submissions',
  'runs',
  'targets',
  'verdicts',
  'receipts',
  'history',
] as const satisfies TableName[];
