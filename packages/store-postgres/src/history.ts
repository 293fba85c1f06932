import type { HistoryItem, HistoryQuery, HistoryRow, Page, QueueId } from '@mq/core';
import { type Listing, readCursor } from '@mq/core';
import type { Row } from './database.js';
import type { Layout } from './layout.js';
import { pageOf, rowsWanted } from './page.js';
import { type Names, type Runner, type Statement, texts, Values } from './statement.js';
import { fromStoredJson, fromStoredText } from './stored-json.js';

const listing: Listing = { name: 'history', shape: ['number', 'string', 'number'] };

interface Source {
  readonly from: string;
  readonly where: readonly string[];
}

/** What is about one pull request alone names it, from step 4 on; what is about several, or was written before, stands beside each. */
const sourcesOf = ({ names, layout, values }: Statement, { pr, since }: HistoryQuery): readonly Source[] => {
  const rows = `${names.history} as rows`;
  if (pr === undefined) return [{ from: rows, where: [] }];
  const number = values.number(pr);
  const where = [`about.pr = ${number}`];
  if (since !== undefined) where.push(`about.at >= ${values.instant(since)}`);
  // Tables are locked in the order in which they are named: that of a commit.
  const beside = (key: string) => ({
    from: `${rows} join ${names.history_prs} as about using (${key})`,
    where,
  });
  if (!layout.isNarrow) return [beside('queue_id, turn')];
  return [{ from: rows, where: [`rows.pr = ${number}`] }, beside('queue_id, at, sequence')];
};

/** One page of many queues' histories. Of each queue no more rows are read than the page may hold. */
export const readHistory = async (
  run: Runner,
  names: Names,
  layout: Layout,
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
  const ordered = `order by at ${direction}, sequence ${direction} limit ${limit}`;
  const selects = sourcesOf({ names, layout, values }, query).map(
    ({ from, where }) => `select rows.queue_id, rows.at, rows.sequence, rows.value from ${from}
where ${[...conditions, ...where].join(' and ')} ${ordered}`,
  );
  const rows = await run(
    `select found.value::text as value, found.queue_id
from (select distinct id from ${values.rows('asked', { id: texts(query.queueIds) })}) as queue
cross join lateral (
  ${selects.length === 1 ? selects[0] : `(${selects.join(')\nunion all\n(')}) ${ordered}`}
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
