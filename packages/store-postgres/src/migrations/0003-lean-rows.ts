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
  sql: (names) =>
    (['queues', 'effects', 'submissions', 'runs', 'targets', 'verdicts', 'receipts', 'history'] as const)
      .map((table) => `alter table ${names[table]} alter column value type json using value::text::json;`)
      .join('\n'),
};
