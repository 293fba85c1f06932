import type { Migration } from './migration.js';

/**
 * What is written most gets fewer rows and indexes: a row of history names the one pull request that it is about itself, and has no number
 * beside its time and sequence. Rows are texts that the database does not read through either.
 */
export const narrowRows: Migration = {
  number: 4,
  name: 'narrow_rows',
  understoodFrom: 4,
  withEarlier: false,
  locks:
    'Everything that it names, while it rewrites it: some ten seconds for each gigabyte, in which nothing is read or written.',
  // Locked all at once and in the order of a commit, as in step 3.
  sql: ({ effects, queues, submissions, runs, targets, verdicts, receipts, history, history_prs }) => {
    const tables = [effects, queues, submissions, runs, targets, verdicts, receipts, history];
    return `lock table ${[...tables, history_prs].join(', ')} in access exclusive mode;
alter table ${submissions} drop constraint submissions_pkey;
drop index ${indexOf(submissions, 'submissions_pr')};
alter table ${history} drop constraint history_pkey, drop column turn, add column pr bigint;
drop index ${indexOf(history, 'history_order')};
alter table ${history_prs} drop constraint history_prs_pkey, drop column turn;
${tables.map((table) => asTexts(table, table === runs ? ['value', 'made', 'trial'] : ['value'])).join('\n')}
alter table ${runs} alter column made set storage external, alter column trial set storage external;
alter table ${submissions} add primary key (queue_id, pr, id);
alter table ${history} add primary key (queue_id, at, sequence);
create index history_pr on ${history} (queue_id, pr, at, sequence) where pr is not null;
alter table ${history_prs} add primary key (queue_id, pr, at, sequence);
create index history_prs_order on ${history_prs} (queue_id, at, sequence);`;
  },
};

/** In one go: each `alter table` rewrites all of its table. */
const asTexts = (table: string, columns: readonly string[]): string =>
  `alter table ${table} ${columns.map((column) => `alter column ${column} type text using ${column}::text`).join(', ')};`;

/** An index is in the schema of its table. */
const indexOf = (table: string, index: string): string => table.replace(/[^.]*$/, index);
