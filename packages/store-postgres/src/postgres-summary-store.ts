import { type HourSummary, SUMMARIES_PER_CALL, type SummaryStore } from '@mq/core';
import { openTables, type SharedTablesOptions } from './shared-tables.js';
import { asDocument, documents, numbers, Values } from './statement.js';
import { documentIn } from './stored-json.js';

export type PostgresSummaryStoreOptions = SharedTablesOptions;

/**
 * Opens the store of summaries, beside that of the queues. Closing it leaves the database open: close it before the store of
 * the queues.
 */
export const postgresSummaryStore = async (options: PostgresSummaryStoreOptions): Promise<SummaryStore> => {
  const { names, run, close } = await openTables(options);
  const table = names.summaries;
  return {
    put: async (queueId, summaries) => {
      if (summaries.length === 0) return;
      const values = new Values();
      const rows = values.rows('added', {
        hour: numbers(summaries.map(({ hour }) => hour)),
        value: documents(summaries),
      });
      await run(
        `insert into ${table} (queue_id, hour, value) select ${values.text(queueId)}, hour, value from ${rows} order by hour
on conflict (queue_id, hour) do update set value = excluded.value`,
        values,
      );
    },
    read: async ({ queueId, since, until }) => {
      const values = new Values();
      const rows = await run(
        `select ${asDocument('value')} as value from ${table} where queue_id = ${values.text(queueId)}
and hour >= ${values.instant(since)} and hour < ${values.instant(until)} order by hour limit ${SUMMARIES_PER_CALL}`,
        values,
      );
      return rows.map(({ value }) => documentIn<HourSummary>(value));
    },
    lastHour: async (queueId) => {
      const values = new Values();
      const [row] = await run(
        `select max(hour)::text as hour from ${table} where queue_id = ${values.text(queueId)}`,
        values,
      );
      return row?.hour == null ? null : Number(row.hour);
    },
    prune: async (before) => {
      const values = new Values();
      await run(`delete from ${table} where hour < ${values.instant(before)}`, values);
    },
    close,
  };
};
