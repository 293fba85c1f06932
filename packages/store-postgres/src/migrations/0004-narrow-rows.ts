import type { Migration } from './migration.js';

/**
 * What is written most gets fewer rows and indexes: what a commit tells of one pull request is one row of history, a list, which names it
 * itself. What was written before stays an object, and has version 0. Rows are texts that the database does not read through either.
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
${dropped(submissions, ['submissions_pr', 'submissions_changed', 'submissions_live'])}
${dropped(runs, ['runs_changed', 'runs_live'])}
alter table ${history} drop constraint history_pkey, drop column turn, add column pr bigint, add column version bigint not null default 0;
alter table ${history} rename column type to types;
alter table ${history} alter column version drop default;
${dropped(history, ['history_order'])}
alter table ${history_prs} drop constraint history_prs_pkey, drop column turn, add column version bigint not null default 0;
alter table ${history_prs} alter column version drop default;
${tables.map((table) => asTexts(table, table === runs ? ['value', 'made', 'trial'] : ['value'])).join('\n')}
alter table ${runs} alter column made set storage external, alter column trial set storage external;
alter table ${submissions} add primary key (queue_id, pr, id);
create index submissions_live on ${submissions} (queue_id, version) where live_from is not null;
create index submissions_left on ${submissions} (queue_id, version) where live_from is null;
create index runs_live on ${runs} (queue_id, version) where closed is null;
create index runs_left on ${runs} (queue_id, version) where closed is not null;
alter table ${history} add primary key (queue_id, at, version, sequence);
create index history_pr on ${history} (queue_id, pr, at, version) where pr is not null;
alter table ${history_prs} add primary key (queue_id, pr, at, version, sequence);
create index history_prs_order on ${history_prs} (queue_id, at, version, sequence);`;
  },
};

/** In one go: each `alter table` rewrites all of its table. */
const asTexts = (table: string, columns: readonly string[]): string =>
  `alter table ${table} ${columns.map((column) => `alter column ${column} type text using ${column}::text`).join(', ')};`;

/** An index is in the schema of its table. */
const dropped = (table: string, indexes: readonly string[]): string =>
  `drop index ${indexes.map((index) => table.replace(/[^.]*$/, index)).join(', ')};`;
