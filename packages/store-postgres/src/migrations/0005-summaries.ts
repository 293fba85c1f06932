import type { Migration } from './migration.js';

/**
 * Hourly summaries of queues, which outlive the history. Locks nothing that is in use, and the previous version ignores the
 * table.
 */
export const summaries: Migration = {
  number: 5,
  name: 'summaries',
  understoodFrom: 1,
  sql: (names) => `
create table ${names.summaries} (
  queue_id text collate "C" not null,
  hour bigint not null,
  value text not null,
  primary key (queue_id, hour)
);
create index summaries_hour on ${names.summaries} (hour);
`,
};
