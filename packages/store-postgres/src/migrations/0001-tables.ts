import type { Names } from '../statement.js';
import type { Migration } from './migration.js';

/** Queues, when each is due, and what comes in and goes out. `effects` is the outbox. */
const queues = (names: Names): string => `
create function ${names.now} returns bigint language sql stable parallel safe
  as $$ select floor(extract(epoch from pg_catalog.statement_timestamp()) * 1000)::bigint $$;
create sequence ${names.schema}.turns;

create table ${names.queues} (
  id text collate "C" primary key,
  version bigint not null,
  place text collate "C" not null,
  repo text collate "C" not null,
  host text collate "C" not null,
  owner text collate "C" not null,
  name text collate "C" not null,
  branch text collate "C" not null,
  buried bigint,
  last_commit text collate "C",
  value text not null
) with (toast_tuple_target = 8160, fillfactor = 50);
create unique index queues_live_place on ${names.queues} (place) where buried is null;
create index queues_buried on ${names.queues} (buried) where buried is not null;

create table ${names.wakes} (
  queue_id text collate "C" primary key,
  waiting bigint not null,
  due_at bigint,
  turn bigint not null,
  claimed_until bigint
) with (fillfactor = 50);
create index wakes_due on ${names.wakes} (due_at, turn) where due_at is not null;

create table ${names.inbox} (
  queue_id text collate "C" not null,
  id text collate "C" not null,
  turn bigint not null,
  value jsonb not null,
  primary key (queue_id, id)
);
create index inbox_order on ${names.inbox} (queue_id, turn);

create table ${names.effects} (
  id text collate "C" primary key,
  queue_id text collate "C" not null,
  repo jsonb not null,
  offered_at bigint not null,
  turn bigint not null,
  tries bigint not null,
  held boolean not null,
  owner text,
  error text,
  value text not null
) with (toast_tuple_target = 8160);
create index effects_offered on ${names.effects} (offered_at, turn);

create table ${names.answers} (
  input_id text collate "C" primary key,
  kept_until bigint not null,
  value jsonb not null
);
create index answers_kept on ${names.answers} (kept_until);
`;

/** The rows of the model. The parts of a test run that never change are written once (`made`, `candidate`). */
const pullRequests = (names: Names): string => `
create table ${names.submissions} (
  queue_id text collate "C" not null,
  id text collate "C" not null,
  pr bigint not null,
  version bigint not null,
  live_from bigint,
  state text collate "C" not null,
  state_since bigint not null,
  value text not null,
  primary key (queue_id, pr, id)
);
create index submissions_live on ${names.submissions} (queue_id, version) where live_from is not null;
create index submissions_left on ${names.submissions} (queue_id, version) where live_from is null;
create index submissions_listed on ${names.submissions} (queue_id, state_since, id);

create table ${names.runs} (
  queue_id text collate "C" not null,
  id text collate "C" not null,
  version bigint not null,
  closed bigint,
  husk boolean not null,
  value text not null,
  made text,
  candidate text,
  primary key (queue_id, id)
);
alter table ${names.runs} alter column made set storage external, alter column candidate set storage external;
create index runs_live on ${names.runs} (queue_id, version) where closed is null;
create index runs_left on ${names.runs} (queue_id, version) where closed is not null;
create index runs_closed on ${names.runs} (queue_id, closed) where closed is not null and not husk;

create table ${names.targets} (
  queue_id text collate "C" not null,
  pr bigint not null,
  version bigint not null,
  value text not null,
  primary key (queue_id, pr)
);
create index targets_changed on ${names.targets} (queue_id, version);
`;

/** Verdicts by tested tree, and receipts of what landed. */
const evidence = (names: Names): string => `
create table ${names.verdicts} (
  repo text collate "C" not null,
  tree text collate "C" not null,
  kind text collate "C" not null,
  turn bigint not null,
  value text not null,
  primary key (repo, tree, kind)
);
create index verdicts_order on ${names.verdicts} (repo, tree, turn);

create table ${names.receipts} (
  queue_id text collate "C" not null,
  number bigint not null,
  pr bigint not null,
  value text not null,
  primary key (queue_id, number)
);
create index receipts_pr on ${names.receipts} (queue_id, pr, number);
`;

/** One row of `history` is a list: what a commit records about one pull request. Hourly summaries outlive it. */
const history = (names: Names): string => `
create table ${names.history} (
  queue_id text collate "C" not null,
  at bigint not null,
  version bigint not null,
  sequence bigint not null,
  types text collate "C" not null,
  pr bigint,
  value text not null,
  primary key (queue_id, at, version, sequence)
);
create index history_pr on ${names.history} (queue_id, pr, at, version) where pr is not null;
create table ${names.history_prs} (
  queue_id text collate "C" not null,
  pr bigint not null,
  at bigint not null,
  version bigint not null,
  sequence bigint not null,
  primary key (queue_id, pr, at, version, sequence)
);
create index history_prs_order on ${names.history_prs} (queue_id, at, version, sequence);

create table ${names.summaries} (
  queue_id text collate "C" not null,
  hour bigint not null,
  value text not null,
  primary key (queue_id, hour)
);
create index summaries_hour on ${names.summaries} (hour);
`;

/** `maker_families` and `maker_ids` name all makers, so that no query has to follow a chain. */
const tokens = (names: Names): string => `
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
`;

/** Checks that are reported from outside. */
const expectedChecks = (names: Names): string => `
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
`;

/** Webhooks and their deliveries. */
const webhooks = (names: Names): string => `
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
`;

/** The last content shown at pull requests, since when, and the writes that it took. */
const presence = (names: Names): string => `
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
`;

/** Commands that people gave at code hosts, and how far they have been read. */
const hostCommands = (names: Names): string => `
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
`;

/**
 * `value` holds the rows of the model as text, because the database need not parse what it only stores; the other
 * columns are for queries. Most tables have no foreign keys: they would make every push and settled effect lock the
 * row of the queue. Locks nothing, since the tables are new.
 */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  understoodFrom: 1,
  sql: (names) =>
    [queues, pullRequests, evidence, history, tokens, expectedChecks, webhooks, presence, hostCommands]
      .map((topic) => topic(names))
      .join(''),
};
