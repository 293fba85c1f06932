import type { Migration } from './migration.js';

/**
 * What was shown at pull requests, since when, and the writes that were spent on it. Locks nothing that is in use, and the
 * previous version ignores the tables.
 */
export const presence: Migration = {
  number: 6,
  name: 'presence',
  understoodFrom: 1,
  sql: (names) => `
create table ${names.presences} (
  queue_id text collate "C" not null,
  pr bigint not null,
  version bigint not null,
  closed_at bigint,
  value text not null,
  primary key (queue_id, pr)
);
create index presences_open on ${names.presences} (queue_id, pr) where closed_at is null;
create index presences_closed on ${names.presences} (closed_at) where closed_at is not null;
create table ${names.presence_spans} (
  queue_id text collate "C" primary key,
  begun_at bigint not null,
  since bigint not null
);
create table ${names.write_budgets} (
  installation text collate "C" primary key,
  version bigint not null,
  value text not null
);
`,
};
