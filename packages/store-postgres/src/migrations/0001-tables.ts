import type { Migration } from './migration.js';

/**
 * `value` holds the rows of the model as text, because the database need not parse what it only stores; the other
 * columns are for queries. The parts of a test run that never change are written once (`made`, `candidate`). One row of
 * `history` is a list: what a commit records about one pull request. There are no foreign keys: they would make every
 * push and settled effect lock the row of the queue. Locks nothing, since the tables are new.
 */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  understoodFrom: 1,
  sql: (names) => `
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

create table ${names.answers} (
  input_id text collate "C" primary key,
  kept_until bigint not null,
  value jsonb not null
);
create index answers_kept on ${names.answers} (kept_until);
`,
};
