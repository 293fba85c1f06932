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
import { rowsWanted } from './page.js';
import { asDocument, type Names, type Runner, type Statement, texts, Values } from './statement.js';
import { documentIn, fromStoredText } from './stored-json.js';

// One table row has all that a commit records about one pull request. So whole commits are read, by version, and sorted
// here; `with ties` makes each of them complete.

const listing: Listing = { name: 'history', shape: ['number', 'string', 'number'] };
const keyOf = ({ at, queueId, sequence }: HistoryItem): Key => [at, queueId, sequence];

interface Source {
  readonly from: string;
  readonly where: readonly string[];
}

/** Rows about one pull request only have its number; rows about several are found by `history_prs`. */
const sourcesOf = ({ names, values }: Statement, { pr, since }: HistoryQuery): readonly Source[] => {
  const rows = `${names.history} as rows`;
  if (pr === undefined) return [{ from: rows, where: [] }];
  const number = values.number(pr);
  const where = [`about.pr = ${number}`];
  if (since !== undefined) where.push(`about.at >= ${values.instant(since)}`);
  // Tables are locked in the order in which they are named, which must be that of a commit.
  return [
    { from: rows, where: [`rows.pr = ${number}`] },
    { from: `${rows} join ${names.history_prs} as about using (queue_id, at, version, sequence)`, where },
  ];
};

const conditionsOf = ({ values }: Pick<Statement, 'values'>, query: HistoryQuery): readonly string[] => {
  const conditions: string[] = [];
  if (query.since !== undefined) conditions.push(`rows.at >= ${values.instant(query.since)}`);
  if (query.until !== undefined) conditions.push(`rows.at <= ${values.lastInstant(query.until)}`);
  if (query.types === undefined) return conditions;
  conditions.push(`string_to_array(rows.types, '${TYPE_SEPARATOR}') && ${values.textList(query.types)}`);
  return conditions;
};

/** The commit in which a page begins. */
interface Begin {
  readonly at: string;
  /** Its time, queue and version as a SQL row. */
  readonly place: string;
}

/** After every commit. Used if the commit of a cursor, and all later ones of that instant, were pruned. */
const BEYOND = '9223372036854775807';

const beginOf = ({ names, values }: Statement, after: Key | null): Begin | null => {
  if (after === null) return null;
  const [at, queueId] = [values.number(Number(after[0])), values.text(String(after[1]))];
  const commit = `(select coalesce(min(version), ${BEYOND}) from ${names.history}
  where queue_id = ${queueId} and at = ${at} and sequence >= ${values.number(Number(after[2]))})`;
  return { at, place: `(${at}, ${queueId}, ${commit})` };
};

/**
 * Builds selects of the requested rows of each queue, with further conditions. `ordered` limits the rows per source and
 * per queue.
 */
const rowsOfEach = (
  statement: Statement,
  query: HistoryQuery,
): ((further: readonly string[], ordered: string) => string) => {
  const { values } = statement;
  const sources = sourcesOf(statement, query);
  const conditions = conditionsOf(statement, query);
  const queues = `select distinct id from ${values.rows('asked', { id: texts(query.queueIds) })}`;
  const columns = 'rows.queue_id, rows.at, rows.version, rows.value';
  return (further, ordered) => {
    const selects = sources.map(({ from, where }) => {
      const all = ['rows.queue_id = queue.id', ...conditions, ...where, ...further];
      return `select ${columns} from ${from}\nwhere ${all.join(' and ')} ${ordered}`;
    });
    const rows = selects.length === 1 ? selects[0] : `(${selects.join(')\nunion all\n(')}) ${ordered}`;
    return `select found.* from (${queues}) as queue cross join lateral (\n${rows}\n) as found`;
  };
};

/**
 * Selects rows in the order of their commits: those of the commit in which the page begins, and as many later ones as
 * needed.
 */
const statementOf = (
  statement: Statement,
  query: HistoryQuery,
  after: Key | null,
  wanted: number,
): string => {
  const [direction, beyond] = query.order === 'oldest_first' ? ['asc', '>'] : ['desc', '<'];
  const order = `order by at ${direction}, queue_id ${direction}, version ${direction}`;
  const first = `fetch first (${statement.values.number(wanted)}) rows with ties`;
  const ofEach = rowsOfEach(statement, query);
  const behind = (further: readonly string[]): string =>
    `${ofEach(further, `order by at ${direction}, version ${direction} ${first}`)} ${order} ${first}`;
  const begin = beginOf(statement, after);
  const place = '(rows.at, rows.queue_id, rows.version)';
  const selects =
    begin === null
      ? [behind([])]
      : [
          ofEach([`${place} = ${begin.place}`], ''),
          // The first condition is implied by the second, but an index can use it.
          behind([`rows.at ${beyond}= ${begin.at}`, `${place} ${beyond} ${begin.place}`]),
        ];
  return `select queue_id, at, version, ${asDocument('value')} as value from (
(${selects.join(')\nunion all\n(')})
) as found ${order}`;
};

/**
 * One page of the histories of many queues. Reads no more of each queue than the page needs, plus the rest of the first
 * and last commit.
 */
export const readHistory = async (
  run: Runner,
  names: Names,
  query: HistoryQuery,
): Promise<Page<HistoryItem>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const after = readCursor(listing, query.cursor);
  const rows = await run(statementOf({ names, values }, query, after, wanted), values);
  const sign = query.order === 'oldest_first' ? 1 : -1;
  const items = commitsOf(rows)
    .flatMap((commit) => commit.toSorted((one, other) => sign * (one.sequence - other.sequence)))
    .filter((item) => isAsked(query, item) && (after === null || isBeyond(item, after, sign)));
  const page = items.slice(0, wanted - 1);
  const last = page.at(-1);
  return {
    items: page,
    next: items.length < wanted || last === undefined ? null : cursorOf(listing, keyOf(last)),
  };
};

const commitsOf = (rows: readonly Row[]): readonly (readonly HistoryItem[])[] => {
  const commits = new Map<string, HistoryItem[]>();
  for (const { queue_id, at, version, value } of rows) {
    const queueId = fromStoredText(String(queue_id)) as QueueId;
    const key = `${at} ${version} ${queueId}`;
    const items = commits.get(key) ?? [];
    commits.set(key, items);
    for (const row of documentIn<readonly HistoryRow[]>(value)) items.push({ ...row, queueId });
  }
  return [...commits.values()];
};

const isAsked = ({ types }: HistoryQuery, { type }: HistoryItem): boolean => types?.includes(type) ?? true;

/** Whether a row is after the cursor, for rows of the commit in which the page begins. */
const isBeyond = ({ at, queueId, sequence }: HistoryItem, after: Key, sign: 1 | -1): boolean =>
  at !== after[0] || queueId !== after[1] || sign * (sequence - Number(after[2])) > 0;
