import type { Migration } from './migration.js';

/**
 * Webhooks and their deliveries. `value` holds what owners set, or never changes; columns hold what queries need and
 * what the sender changes. Locks nothing that is in use, and the previous version ignores the tables.
 */
export const webhooks: Migration = {
  number: 4,
  name: 'webhooks',
  understoodFrom: 1,
  sql: (names) => `
create table ${names.webhooks} (
  id text collate "C" primary key,
  maker_families text[] not null,
  created_at bigint not null,
  is_enabled boolean not null,
  version bigint not null,
  value text not null,
  cursor text collate "C" not null,
  last_success_at bigint,
  failing_since bigint,
  last_failure text,
  lease_owner text collate "C",
  lease_until bigint,
  turn bigint
);
create index webhooks_made_by_families on ${names.webhooks} using gin (maker_families);
create table ${names.webhook_deliveries} (
  webhook_id text collate "C" not null references ${names.webhooks} (id) on delete cascade,
  id text collate "C" not null,
  position bigint not null,
  keys text[] not null,
  created_at bigint not null,
  state text collate "C" not null,
  tries bigint not null,
  holds boolean not null,
  next_at bigint,
  ended_at bigint,
  log text not null,
  version bigint not null,
  value text not null,
  body text not null,
  primary key (webhook_id, id)
);
create index webhook_deliveries_listed on ${names.webhook_deliveries} (webhook_id, position);
create index webhook_deliveries_due on ${names.webhook_deliveries} (webhook_id, next_at) where state = 'pending';
create index webhook_deliveries_holding on ${names.webhook_deliveries} (webhook_id, position) where holds;
`,
};
