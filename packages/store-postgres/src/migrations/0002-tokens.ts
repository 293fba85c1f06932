import type { Migration } from './migration.js';

/**
 * Tokens. `value` holds what never changes; columns hold what queries need and what changes. `maker_families` and
 * `maker_ids` name all makers, so that no query has to follow a chain. Locks nothing, and the previous version ignores
 * the table.
 */
export const tokens: Migration = {
  number: 2,
  name: 'tokens',
  understoodFrom: 1,
  sql: (names) => `
create table ${names.tokens} (
  id text collate "C" primary key,
  digest text collate "C" not null unique,
  maker_families text[] not null,
  maker_ids text[] not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint,
  revoked_by text,
  replaced_by text collate "C",
  value text not null
);
create index tokens_listed on ${names.tokens} (created_at, id);
create index tokens_made_by_families on ${names.tokens} using gin (maker_families);
create index tokens_made_by on ${names.tokens} using gin (maker_ids);
`,
};
