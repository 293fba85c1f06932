import { PRESENCE_ROWS_PER_READ, type PresenceRow, type PresenceStore, type WriteBudget } from '@mq/core';
import { openTables, type SharedTablesOptions } from './shared-tables.js';
import { asDocument, numbers, Values } from './statement.js';
import { documentIn } from './stored-json.js';

export type PostgresPresenceStoreOptions = SharedTablesOptions;

/**
 * Opens the store of what is shown at pull requests, beside that of the queues. Closing it leaves the database open: close
 * it before the store of the queues.
 */
export const postgresPresenceStore = async (
  options: PostgresPresenceStoreOptions,
): Promise<PresenceStore> => {
  const { names, run, close, now } = await openTables(options);
  const { presences, presence_spans: spans, write_budgets: budgets } = names;
  const rows = async (rest: string, values: Values): Promise<readonly PresenceRow[]> => {
    const found = await run(`select ${asDocument('value')} as value from ${presences} ${rest}`, values);
    return found.map(({ value }) => documentIn<PresenceRow>(value));
  };

  return {
    now,
    begin: async (queueId, at) => {
      const values = new Values();
      const begun = `${values.text(queueId)}, ${values.instant(at)}, ${values.instant(at)}`;
      // The update changes nothing; without it an existing row is not returned.
      const [row] = await run(
        `insert into ${spans} as stored (queue_id, begun_at, since) values (${begun})
on conflict (queue_id) do update set since = stored.since
returning begun_at::text as begun_at, stored.since::text as since`,
        values,
      );
      return { begunAt: Number(row?.begun_at), since: Number(row?.since) };
    },
    advance: async (queueId, since) => {
      const values = new Values();
      const at = values.instant(since);
      await run(
        `update ${spans} set since = ${at} where queue_id = ${values.text(queueId)} and since < ${at}`,
        values,
      );
    },
    open: (queueId) => {
      const values = new Values();
      return rows(
        `where queue_id = ${values.text(queueId)} and closed_at is null order by pr limit ${PRESENCE_ROWS_PER_READ}`,
        values,
      );
    },
    find: async (queueId, prs) => {
      if (prs.length === 0) return [];
      const values = new Values();
      const asked = values.rows('asked', { pr: numbers([...new Set(prs)]) });
      return rows(
        `where queue_id = ${values.text(queueId)} and pr in (select pr from ${asked}) limit ${PRESENCE_ROWS_PER_READ}`,
        values,
      );
    },
    replace: async (row) => {
      const values = new Values();
      const key = `${values.text(row.queueId)}, ${values.number(row.pr)}`;
      const version = values.number(row.version);
      const columns = `${key}, ${version}, ${values.instant(row.closedAt)}, ${values.document(row)}`;
      const found = await run(
        `insert into ${presences} as stored (queue_id, pr, version, closed_at, value)
select ${columns} where ${version} = 1
  or exists (select from ${presences} where (queue_id, pr) = (${key}) and version = ${version} - 1)
on conflict (queue_id, pr) do update
  set version = excluded.version, closed_at = excluded.closed_at, value = excluded.value
  where stored.version = excluded.version - 1
returning 'done' as done`,
        values,
      );
      return found.length > 0;
    },
    budget: async (installation) => {
      const values = new Values();
      const [row] = await run(
        `select ${asDocument('value')} as value from ${budgets} where installation = ${values.text(installation)}`,
        values,
      );
      return row === undefined ? null : documentIn<WriteBudget>(row.value);
    },
    replaceBudget: async (budget) => {
      const values = new Values();
      const [key, version] = [values.text(budget.installation), values.number(budget.version)];
      const found = await run(
        `insert into ${budgets} as stored (installation, version, value)
select ${key}, ${version}, ${values.document(budget)} where ${version} = 1
  or exists (select from ${budgets} where installation = ${key} and version = ${version} - 1)
on conflict (installation) do update set version = excluded.version, value = excluded.value
  where stored.version = excluded.version - 1
returning 'done' as done`,
        values,
      );
      return found.length > 0;
    },
    prune: async (closedBefore) => {
      const values = new Values();
      await run(`delete from ${presences} where closed_at < ${values.instant(closedBefore)}`, values);
    },
    close,
  };
};
