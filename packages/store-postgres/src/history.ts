import type { HistoryItem, HistoryQuery, HistoryRow, Page, QueueId } from '@mq/core';
import { type Listing, readCursor } from '@mq/core';
import type { Row } from './database.js';
import { pageOf, rowsWanted } from './page.js';
import { type Names, type Runner, texts, Values } from './statement.js';
import { fromStoredJson, fromStoredText } from './stored-json.js';

const listing: Listing = { name: 'history', shape: ['number', 'string', 'number'] };

/** One page of many queues' histories. Of each queue no more rows are read than the page may hold. */
export const readHistory = async (
  run: Runner,
  names: Names,
  query: HistoryQuery,
): Promise<Page<HistoryItem>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const after = readCursor(listing, query.cursor);
  const [direction, beyond] = query.order === 'oldest_first' ? ['asc', '>'] : ['desc', '<'];
  const rising = `at ${direction}, queue_id ${direction}, sequence ${direction}`;
  const limit = values.number(wanted);
  const conditions = ['rows.queue_id = queue.id'];
  if (query.since !== undefined) conditions.push(`rows.at >= ${values.instant(query.since)}`);
  if (query.until !== undefined) conditions.push(`rows.at <= ${values.instant(query.until)}`);
  if (query.types !== undefined) conditions.push(`rows.type = ${values.anyText(query.types)}`);
  if (after !== null) {
    const [at, queueId, sequence] = after;
    const [when, who, which] = [
      values.number(Number(at)),
      values.text(String(queueId)),
      values.number(Number(sequence)),
    ];
    // The first condition says less than the second, but in a way that an index can use.
    conditions.push(`rows.at ${beyond}= ${when}`);
    conditions.push(`(rows.at, rows.queue_id, rows.sequence) ${beyond} (${when}, ${who}, ${which})`);
  }
  let source = `${names.history} as rows`;
  if (query.pr !== undefined) {
    source = `${names.history_prs} as about join ${names.history} as rows using (queue_id, turn)`;
    conditions.push(`about.pr = ${values.number(query.pr)}`);
    if (query.since !== undefined) conditions.push(`about.at >= ${values.instant(query.since)}`);
  }
  const rows = await run(
    `select found.value::text as value, found.queue_id
from (select distinct id from ${values.rows('asked', { id: texts(query.queueIds) })}) as queue
cross join lateral (
  select rows.queue_id, rows.at, rows.sequence, rows.value from ${source} where ${conditions.join(' and ')}
  order by rows.at ${direction}, rows.sequence ${direction} limit ${limit}
) as found
order by ${rising} limit ${limit}`,
    values,
  );
  const itemOf = ({ value, queue_id }: Row): HistoryItem => ({
    ...fromStoredJson<HistoryRow>(String(value)),
    queueId: fromStoredText(String(queue_id)) as QueueId,
  });
  return pageOf(listing, rows, wanted, ({ at, queueId, sequence }) => [at, queueId, sequence], itemOf);
};
