import {
  type ClaimedWebhook,
  type ClaimWebhooks,
  type Instant,
  type Key,
  type KnownWebhook,
  type Listing,
  type Page,
  readCursor,
  type Webhook,
  type WebhookId,
  type WebhookQuery,
} from '@mq/core';
import type { Row } from './database.js';
import { pageOf, rowsWanted } from './page.js';
import { asDocument, type Names, type Runner, Values } from './statement.js';
import { documentIn, fromStoredText } from './stored-json.js';

const webhookListing: Listing = { name: 'webhooks', shape: ['number', 'string'] };

const webhookKey = ({ webhook: { createdAt, id } }: KnownWebhook): Key => [createdAt, id];

const columns = `${asDocument('value')} as value, cursor, last_success_at::text as last_success_at,
  failing_since::text as failing_since, last_failure`;

const instantIn = (column: unknown): Instant | null => (column == null ? null : Number(column));

const webhookIn = (row: Row): KnownWebhook => ({
  webhook: documentIn<Webhook>(row.value),
  progress: {
    cursor: String(row.cursor),
    lastSuccessAt: instantIn(row.last_success_at),
    failingSince: instantIn(row.failing_since),
    lastFailure: row.last_failure == null ? null : fromStoredText(String(row.last_failure)),
  },
});

/** Decides the outcome and writes in one statement, based on the same snapshot. */
export const addWebhook = async (
  run: Runner,
  names: Names,
  webhook: Webhook,
  { cursor, limit }: { readonly cursor: string; readonly limit: number },
): Promise<'added' | 'exists' | 'full'> => {
  const values = new Values();
  const families = values.textList(webhook.makers.map(({ familyId }) => familyId));
  const maker = webhook.makers.at(-1);
  const made =
    maker === undefined
      ? 'select 0::bigint as count'
      : `select count(*) as count from ${names.webhooks} where maker_families @> ${values.textList([maker.familyId])}`;
  const id = values.text(webhook.id);
  const [row] = await run(
    `with made as (${made}),
taken as (select id from ${names.webhooks} where id = ${id}),
added as (insert into ${names.webhooks} (id, maker_families, created_at, is_enabled, version, value, cursor)
  select ${id}, ${families}, ${values.number(webhook.createdAt)}, ${webhook.disabled === null},
    ${values.number(webhook.version)}, ${values.document(webhook)}, ${values.text(cursor)}
  from made where made.count < ${values.number(limit)} and not exists (select from taken)
  on conflict do nothing returning id)
select exists (select from added) as added, exists (select from taken) as taken`,
    values,
  );
  if (row?.added === true) return 'added';
  // Rows that another process added meanwhile are not in it, so the search is repeated.
  const isTaken = row?.taken === true || (await readWebhook(run, names, webhook.id)) !== null;
  return isTaken ? 'exists' : 'full';
};

export const readWebhook = async (run: Runner, names: Names, id: WebhookId): Promise<KnownWebhook | null> => {
  const values = new Values();
  const [row] = await run(`select ${columns} from ${names.webhooks} where id = ${values.text(id)}`, values);
  return row === undefined ? null : webhookIn(row);
};

export const readWebhooks = async (
  run: Runner,
  names: Names,
  query: WebhookQuery,
): Promise<Page<KnownWebhook>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const [createdAt, id] = readCursor(webhookListing, query.cursor) ?? [];
  const conditions = [`maker_families @> ${values.textList([query.madeBy])}`];
  if (createdAt !== undefined)
    conditions.push(`(created_at, id) < (${values.number(Number(createdAt))}, ${values.text(String(id))})`);
  const rows = await run(
    `select ${columns} from ${names.webhooks} where ${conditions.join(' and ')}
order by created_at desc, id desc limit ${values.number(wanted)}`,
    values,
  );
  return pageOf(webhookListing, rows, wanted, webhookKey, webhookIn);
};

export const replaceWebhook = async (
  run: Runner,
  names: Names,
  webhook: Webhook,
  cursor: string | null,
): Promise<boolean> => {
  const values = new Values();
  const restart = cursor === null ? '' : `, cursor = ${values.text(cursor)}, failing_since = null`;
  const rows = await run(
    `update ${names.webhooks} set value = ${values.document(webhook)}, version = ${values.number(webhook.version)},
  is_enabled = ${webhook.disabled === null}${restart}
where id = ${values.text(webhook.id)} and version = ${values.number(webhook.version - 1)} returning id`,
    values,
  );
  return rows.length > 0;
};

export const removeWebhook = async (run: Runner, names: Names, id: WebhookId): Promise<boolean> => {
  const values = new Values();
  const rows = await run(`delete from ${names.webhooks} where id = ${values.text(id)} returning id`, values);
  return rows.length > 0;
};

export const claimWebhooks = async (
  run: Runner,
  names: Names,
  { owner, leaseMs, limit }: ClaimWebhooks,
): Promise<readonly ClaimedWebhook[]> => {
  const values = new Values();
  const me = values.text(owner);
  const rows = await run(
    `with free as (select id from ${names.webhooks}
  where is_enabled and (lease_owner = ${me} or lease_until is null or lease_until <= ${names.now})
  order by (lease_owner is not distinct from ${me}) desc, id limit ${values.number(limit)}
  for update skip locked)
update ${names.webhooks} as webhook set lease_owner = ${me}, lease_until = ${names.now} + ${values.number(leaseMs)},
  turn = case when webhook.lease_owner = ${me} then webhook.turn else ${names.turn} end
from free where webhook.id = free.id
returning ${columns.replace('cursor', 'webhook.cursor')}, turn::text as turn`,
    values,
  );
  return rows.map((row) => ({ ...webhookIn(row), turn: String(row.turn) }));
};

export const releaseWebhooks = async (run: Runner, names: Names, owner: string): Promise<void> => {
  const values = new Values();
  await run(
    `update ${names.webhooks} set lease_owner = null, lease_until = null where lease_owner = ${values.text(owner)}`,
    values,
  );
};
