import type { Migration } from './migration.js';

/**
 * Checks that are reported from outside. Each is kept whole in `value`, guarded by `version`; columns hold what queries need.
 * Nothing that is in use is locked, and programs of the version before know nothing of the table.
 */
export const expectedChecks: Migration = {
  number: 3,
  name: 'expected-checks',
  understoodFrom: 1,
  sql: (names) => `
create table ${names.expected_checks} (
  repo text collate "C" not null,
  run_id text collate "C" not null,
  name text collate "C" not null,
  commit text collate "C" not null,
  asked_at bigint not null,
  closed_at bigint,
  version bigint not null,
  value text not null,
  primary key (repo, run_id, name)
);
create index expected_checks_commit on ${names.expected_checks} (repo, commit);
create index expected_checks_open on ${names.expected_checks} (asked_at, run_id, name) where closed_at is null;
create index expected_checks_closed on ${names.expected_checks} (closed_at) where closed_at is not null;
`,
};
