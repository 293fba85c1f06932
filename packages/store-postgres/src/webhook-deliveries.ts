import {
  type Delivery,
  type DeliveryQuery,
  type DeliveryState,
  type DeliveryTry,
  type DueDelivery,
  holdsOthers,
  type Instant,
  type Listing,
  type NewDelivery,
  type Page,
  type RecordDeliveries,
  type ReplayDeliveries,
  readCursor,
  type TryResult,
  type WebhookId,
} from '@mq/core';
import type { Row } from './database.js';
import { pageOf, rowsWanted } from './page.js';
import {
  asDocument,
  documents,
  flags,
  type Names,
  numbers,
  type Runner,
  texts,
  Values,
} from './statement.js';
import { documentIn } from './stored-json.js';

const deliveryListing: Listing = { name: 'deliveries', shape: ['number'] };

/** The part of a delivery that never changes. */
type Fixed = Omit<Delivery, 'state' | 'tries' | 'nextAt' | 'endedAt' | 'log' | 'version'>;

const columns = `${asDocument('d.value')} as value, d.state, d.tries::text as tries, d.next_at::text as next_at,
  d.ended_at::text as ended_at, ${asDocument('d.log')} as log, d.version::text as version, d.position::text as position`;

const instantIn = (column: unknown): Instant | null => (column == null ? null : Number(column));

const deliveryIn = (row: Row): Delivery => ({
  ...documentIn<Fixed>(row.value),
  state: row.state as DeliveryState,
  tries: Number(row.tries),
  nextAt: instantIn(row.next_at),
  endedAt: instantIn(row.ended_at),
  log: documentIn<readonly DeliveryTry[]>(row.log),
  version: Number(row.version),
});

const fixedOf = ({ state, tries, nextAt, endedAt, log, version, ...fixed }: Delivery): Fixed => fixed;

const inserted = `webhook_id, id, keys, created_at, state, tries, holds, next_at, ended_at, log, version, value, body`;

/** The select of new rows, in order. Lists of keys come as JSON: arrays of arrays must be rectangular. */
const newRows = (values: Values, added: readonly NewDelivery[]): string => {
  const of = added.map(({ delivery }) => delivery);
  const rows = values.rows(
    'added',
    {
      webhook_id: texts(of.map(({ webhookId }) => webhookId)),
      id: texts(of.map(({ id }) => id)),
      keys: documents(of.map(({ keys }) => keys)),
      created_at: numbers(of.map(({ createdAt }) => createdAt)),
      state: texts(of.map(({ state }) => state)),
      tries: numbers(of.map(({ tries }) => tries)),
      holds: flags(of.map(holdsOthers)),
      next_at: numbers(of.map(({ nextAt }) => nextAt)),
      ended_at: numbers(of.map(({ endedAt }) => endedAt)),
      log: documents(of.map(({ log }) => log)),
      version: numbers(of.map(({ version }) => version)),
      value: documents(of.map(fixedOf)),
      body: texts(added.map(({ sealedBody }) => sealedBody)),
    },
    'with place',
  );
  return `select webhook_id, id, array(select jsonb_array_elements_text(keys::jsonb)) as keys, created_at, state, tries,
  holds, next_at, ended_at, log, version, value, body from ${rows} order by place`;
};

export const recordDeliveries = async (
  run: Runner,
  names: Names,
  { webhookId, owner, turn, cursor, deliveries }: RecordDeliveries,
): Promise<boolean> => {
  const values = new Values();
  const [row] = await run(
    `with held as (update ${names.webhooks} set cursor = ${values.text(cursor)}
  where id = ${values.text(webhookId)} and lease_owner = ${values.text(owner)} and turn = ${values.number(Number(turn))}
    and lease_until > ${names.now} returning id),
recorded as (insert into ${names.webhook_deliveries} (${inserted}, position)
  select ${inserted}, ${names.turn} from (${newRows(values, deliveries)}) as new where exists (select from held)
  on conflict do nothing)
select exists (select from held) as held`,
    values,
  );
  return row?.held === true;
};

export const addDelivery = async (run: Runner, names: Names, added: NewDelivery): Promise<boolean> => {
  const values = new Values();
  const rows = await run(
    `insert into ${names.webhook_deliveries} (${inserted}, position)
select ${inserted}, ${names.turn} from (${newRows(values, [added])}) as new
where exists (select from ${names.webhooks} where id = ${values.text(added.delivery.webhookId)} for key share)
on conflict do nothing returning id`,
    values,
  );
  return rows.length > 0;
};

export const countPending = async (run: Runner, names: Names, id: WebhookId): Promise<number> => {
  const values = new Values();
  const [row] = await run(
    `select count(*)::text as count from ${names.webhook_deliveries}
where webhook_id = ${values.text(id)} and state = 'pending'`,
    values,
  );
  return Number(row?.count);
};

export const dueDeliveries = async (
  run: Runner,
  names: Names,
  ask: { readonly webhookId: WebhookId; readonly at: Instant; readonly limit: number },
): Promise<readonly DueDelivery[]> => {
  const values = new Values();
  const id = values.text(ask.webhookId);
  const rows = await run(
    `select ${columns}, d.body from ${names.webhook_deliveries} as d
where d.webhook_id = ${id} and d.state = 'pending' and d.next_at <= ${values.number(Math.floor(ask.at))}
  and not (d.holds and exists (select from ${names.webhook_deliveries} as before
    where before.webhook_id = ${id} and before.holds and before.position < d.position and before.keys && d.keys))
order by d.position limit ${values.number(ask.limit)}`,
    values,
  );
  return rows.map((row) => ({ delivery: deliveryIn(row), sealedBody: String(row.body) }));
};

export const settleDelivery = async (
  run: Runner,
  names: Names,
  delivery: Delivery,
  { at, failure }: TryResult,
): Promise<{ readonly failingSince: Instant | null } | 'stale'> => {
  const values = new Values();
  const when = values.instant(at);
  const health =
    failure === null
      ? `failing_since = null, last_success_at = greatest(webhook.last_success_at, ${when})`
      : `failing_since = coalesce(webhook.failing_since, ${when}), last_failure = ${values.text(failure)}`;
  const [row] = await run(
    `with settled as (update ${names.webhook_deliveries} set state = ${values.text(delivery.state)},
  tries = ${values.number(delivery.tries)}, holds = ${holdsOthers(delivery)}, next_at = ${values.instant(delivery.nextAt)},
  ended_at = ${values.instant(delivery.endedAt)}, log = ${values.document(delivery.log)},
  version = ${values.number(delivery.version)}
  where webhook_id = ${values.text(delivery.webhookId)} and id = ${values.text(delivery.id)}
    and version = ${values.number(delivery.version - 1)} returning webhook_id)
update ${names.webhooks} as webhook set ${health} from settled where webhook.id = settled.webhook_id
returning webhook.failing_since::text as failing_since`,
    values,
  );
  return row === undefined ? 'stale' : { failingSince: instantIn(row.failing_since) };
};

export const readDeliveries = async (
  run: Runner,
  names: Names,
  { webhookId, states, limit, cursor }: DeliveryQuery,
): Promise<Page<Delivery>> => {
  const wanted = rowsWanted(limit);
  const values = new Values();
  const [before] = readCursor(deliveryListing, cursor) ?? [];
  const conditions = [`d.webhook_id = ${values.text(webhookId)}`];
  if (states !== undefined) conditions.push(`d.state = ${values.anyText(states)}`);
  if (before !== undefined) conditions.push(`d.position < ${values.number(Number(before))}`);
  const rows = await run(
    `select ${columns} from ${names.webhook_deliveries} as d where ${conditions.join(' and ')}
order by d.position desc limit ${values.number(wanted)}`,
    values,
  );
  const { items, next } = placedPage(rows, wanted);
  return { items: items.map(({ delivery }) => delivery), next };
};

interface PlacedDelivery {
  readonly delivery: Delivery;
  readonly position: number;
}

const placedPage = (rows: readonly Row[], wanted: number) =>
  pageOf<PlacedDelivery>(
    deliveryListing,
    rows,
    wanted,
    ({ position }) => [position],
    (row) => ({ delivery: deliveryIn(row), position: Number(row.position) }),
  );

export const replayDeliveries = async (
  run: Runner,
  names: Names,
  ask: ReplayDeliveries,
): Promise<{ readonly count: number; readonly next: string | null }> => {
  const wanted = rowsWanted(ask.limit);
  const values = new Values();
  const [after] = readCursor(deliveryListing, ask.cursor) ?? [];
  const conditions = [`d.webhook_id = ${values.text(ask.webhookId)}`, `d.state <> 'pending'`];
  if (ask.ids !== undefined) conditions.push(`d.id = ${values.anyText(ask.ids)}`);
  if (ask.states !== undefined) conditions.push(`d.state = ${values.anyText(ask.states)}`);
  if (ask.since !== undefined) conditions.push(`d.created_at >= ${values.instant(ask.since)}`);
  if (ask.until !== undefined) conditions.push(`d.created_at <= ${values.number(Math.floor(ask.until))}`);
  if (after !== undefined) conditions.push(`d.position > ${values.number(Number(after))}`);
  const rows = await run(
    `with found as (select ${columns}, d.webhook_id, d.id from ${names.webhook_deliveries} as d
  where ${conditions.join(' and ')} order by d.position limit ${values.number(wanted)} for update),
replayed as (update ${names.webhook_deliveries} as d set state = 'pending', tries = 0, holds = true,
  next_at = ${values.instant(ask.at)}, ended_at = null, version = d.version + 1
  from (select webhook_id, id from found order by position::bigint limit ${values.number(wanted - 1)}) as first
  where d.webhook_id = first.webhook_id and d.id = first.id)
select * from found order by position::bigint`,
    values,
  );
  const { items, next } = placedPage(rows, wanted);
  return { count: items.length, next };
};

export const pruneDeliveries = async (
  run: Runner,
  names: Names,
  ask: { readonly webhookId: WebhookId; readonly endedBefore: Instant; readonly keep: number },
): Promise<void> => {
  const values = new Values();
  const id = values.text(ask.webhookId);
  await run(
    `delete from ${names.webhook_deliveries} where webhook_id = ${id} and state <> 'pending'
  and (ended_at < ${values.instant(ask.endedBefore)} or position <= (select position from ${names.webhook_deliveries}
    where webhook_id = ${id} order by position desc offset ${values.number(ask.keep)} limit 1))`,
    values,
  );
};
