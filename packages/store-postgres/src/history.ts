import {
  cursorOf,
  type HistoryItem,
  type HistoryQuery,
  type HistoryRow,
  type Key,
  type Listing,
  type Page,
  type QueueId,
  readCursor,
} from '@mq/core';
import type { Row } from './database.js';
import { TYPE_SEPARATOR } from './history-rows.js';
import type { Layout } from './layout.js';
import { rowsWanted } from './page.js';
import { type Names, type Runner, type Statement, texts, Values } from './statement.js';
import { fromStoredJson, fromStoredText } from './stored-json.js';

// From step 4 on, what a commit tells of one pull request is one row of the table. So commits are read as wholes, by the version that each has
// made, and put in order here: `with ties` has each of them complete. Before, and of what was written then, each row is by itself.

const listing: Listing = { name: 'history', shape: ['number', 'string', 'number'] };
const keyOf = ({ at, queueId, sequence }: HistoryItem): Key => [at, queueId, sequence];

interface Source {
  readonly from: string;
  readonly where: readonly string[];
}

/** The column that is the same for all that one commit has written. */
const commitColumn = ({ isNarrow }: Layout): string => (isNarrow ? 'version' : 'sequence');

/** Named by every read, asked by type or not: who takes the tables for those of before step 4 would read lists as rows, and must fail. */
const typesColumn = ({ isNarrow }: Layout): string => (isNarrow ? 'types' : 'type');

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
  return [{ from: rows, where: [`rows.pr = ${number}`] }, beside('queue_id, at, version, sequence')];
};

const conditionsOf = ({ layout, values }: Statement, query: HistoryQuery): readonly string[] => {
  const conditions: string[] = [];
  if (query.since !== undefined) conditions.push(`rows.at >= ${values.instant(query.since)}`);
  if (query.until !== undefined) conditions.push(`rows.at <= ${values.instant(query.until)}`);
  if (query.types === undefined) return conditions;
  const types = values.textList(query.types);
  const told = `rows.${typesColumn(layout)}`;
  conditions.push(
    layout.isNarrow ? `string_to_array(${told}, '${TYPE_SEPARATOR}') && ${types}` : `${told} = any(${types})`,
  );
  return conditions;
};

/** Where a page begins: within a commit, and the place of that in its queue. */
interface Begin {
  readonly at: string;
  readonly queueId: string;
  readonly commit: string;
}

/** Beyond every commit: where that of a cursor and all later ones of that instant were removed. */
const BEYOND = '9223372036854775807';

const beginOf = ({ names, layout, values }: Statement, after: Key | null): Begin | null => {
  if (after === null) return null;
  const [at, queueId] = [values.number(Number(after[0])), values.text(String(after[1]))];
  const commit = `(select coalesce(min(${commitColumn(layout)}), ${BEYOND}) from ${names.history}
  where queue_id = ${queueId} and at = ${at} and sequence >= ${values.number(Number(after[2]))})`;
  return { at, queueId, commit };
};

const statementOf = (
  statement: Statement,
  query: HistoryQuery,
  after: Key | null,
  wanted: number,
): string => {
  const { layout, values } = statement;
  const [direction, beyond] = query.order === 'oldest_first' ? ['asc', '>'] : ['desc', '<'];
  const order = `order by at ${direction}, queue_id ${direction}, commit ${direction}`;
  const first = `fetch first (${values.number(wanted)}) rows with ties`;
  const sources = sourcesOf(statement, query);
  const conditions = conditionsOf(statement, query);
  const begin = beginOf(statement, after);
  const select = (further: readonly string[], order: string): string => {
    const selects = sources.map(({ from, where }) => {
      const all = ['rows.queue_id = queue.id', ...conditions, ...where, ...further];
      return `select rows.queue_id, rows.at, rows.${commitColumn(layout)} as commit, rows.value, rows.${typesColumn(layout)} from ${from}
where ${all.join(' and ')} ${order}`;
    });
    return selects.length === 1 ? String(selects[0]) : `(${selects.join(')\nunion all\n(')}) ${order}`;
  };
  const of = (rows: string): string => `select found.* from (
  select distinct id from ${values.rows('asked', { id: texts(query.queueIds) })}
) as queue cross join lateral (
${rows}
) as found`;
  const ordered = `order by at ${direction}, commit ${direction} ${first}`;
  const columns = 'queue_id, at, commit, value::text as value';
  if (begin === null) return `select ${columns} from (${of(select([], ordered))}) as found ${order} ${first}`;
  const place = `(rows.at, rows.queue_id, rows.${commitColumn(layout)})`;
  const given = `(${begin.at}, ${begin.queueId}, ${begin.commit})`;
  // The first condition says less than the second, but in a way that an index can use.
  const behind = [`rows.at ${beyond}= ${begin.at}`, `${place} ${beyond} ${given}`];
  return `select ${columns} from (
(${of(select([`${place} = ${given}`], ''))})
union all
(${of(select(behind, ordered))} ${order} ${first})
) as found ${order}`;
};

/** One page of many queues' histories. Of each queue no more is read than the page may hold, and the rest of the commits that it begins and ends with. */
export const readHistory = async (
  run: Runner,
  names: Names,
  layout: Layout,
  query: HistoryQuery,
): Promise<Page<HistoryItem>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const after = readCursor(listing, query.cursor);
  const rows = await run(statementOf({ names, values, layout }, query, after, wanted), values);
  const isAscending = query.order === 'oldest_first';
  const found = commitsOf(rows).flatMap((items) => {
    const inOrder = items.toSorted((one, other) => one.sequence - other.sequence);
    return isAscending ? inOrder : inOrder.reverse();
  });
  const items = found.filter(
    (item) => isAsked(query, item) && (after === null || isBeyond(item, after, isAscending)),
  );
  const page = items.slice(0, wanted - 1);
  const last = page.at(-1);
  return {
    items: page,
    next: items.length < wanted || last === undefined ? null : cursorOf(listing, keyOf(last)),
  };
};

const commitsOf = (rows: readonly Row[]): readonly (readonly HistoryItem[])[] => {
  const commits = new Map<string, HistoryItem[]>();
  for (const { queue_id, at, commit, value } of rows) {
    const queueId = fromStoredText(String(queue_id)) as QueueId;
    const key = `${at} ${commit} ${queueId}`;
    const items = commits.get(key) ?? [];
    commits.set(key, items);
    const told = fromStoredJson<HistoryRow | readonly HistoryRow[]>(String(value));
    for (const row of [told].flat()) items.push({ ...row, queueId });
  }
  return [...commits.values()];
};

const isAsked = ({ types }: HistoryQuery, { type }: HistoryItem): boolean => types?.includes(type) ?? true;

/** Of the commit in which a page begins, what stands behind its cursor. */
const isBeyond = ({ at, queueId, sequence }: HistoryItem, after: Key, isAscending: boolean): boolean => {
  if (at !== after[0] || queueId !== after[1]) return true;
  return isAscending ? sequence > Number(after[2]) : sequence < Number(after[2]);
};
