import type { Migration } from './migration.js';

/**
 * Commands that people gave at code hosts, and how far they have been read. Each is kept whole in `value`, guarded by
 * `version`; columns hold what queries need. Locks nothing that is in use, and the previous version ignores the tables.
 */
export const hostCommands: Migration = {
  number: 7,
  name: 'host-commands',
  understoodFrom: 1,
  sql: (names) => `
create table ${names.host_commands} (
  repo text collate "C" not null,
  key text collate "C" not null,
  pr bigint not null,
  person text collate "C" not null,
  is_explained boolean not null,
  seen_at bigint not null,
  due_at bigint not null,
  version bigint not null,
  value text not null,
  primary key (repo, key)
);
create index host_commands_due on ${names.host_commands} (due_at, key);
create index host_commands_seen on ${names.host_commands} (repo, seen_at);
create index host_commands_pr on ${names.host_commands} (repo, pr);
create table ${names.command_progress} (
  repo text collate "C" primary key,
  version bigint not null,
  value text not null
);
`,
};
