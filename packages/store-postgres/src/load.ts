import {
  INBOX_PER_LOAD,
  type Incarnation,
  type QueueDelta,
  type QueueId,
  type Recall,
  type Recalled,
  type TestRun,
  type Version,
} from '@mq/core';
import type { Row } from './database.js';
import { commitKey, commitOfKey } from './rows.js';
import { runOf } from './run-parts.js';
import { asDocument, type Names, numbers, type Runner, texts, Values, withParts } from './statement.js';
import { documentIn } from './stored-json.js';

export interface Asked {
  readonly queueId: QueueId;
  readonly since: Version;
}

const nothing: Recall = { prs: [], inputIds: [] };

export const isNothing = ({ prs, inputIds, commits = [] }: Recall): boolean =>
  prs.length + inputIds.length + commits.length === 0;

/** Loads a queue by one statement, so that the read is consistent. */
export const loadQueue = async (
  run: Runner,
  names: Names,
  { queueId, since }: Asked,
  recall: Recall,
): Promise<QueueDelta | null> => {
  const values = new Values();
  const id = values.text(queueId);
  const from = since === 0 ? null : values.number(since);
  return loadedIn(await run(foundOf(names, id, from, recalledSelects(names, values, id, recall)), values));
};

/** Max queues loaded by one statement. */
export const LOADS_TOGETHER_LIMIT = 25;

type Outcome = PromiseSettledResult<QueueDelta | null>;

/**
 * Loads several queues like `loadQueue`, in order: one statement for those read completely, and one for deltas. A queue
 * that cannot be read does not affect the others.
 */
export const loadQueues = async (
  run: Runner,
  names: Names,
  asked: readonly Asked[],
): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  const load = async (isWhole: boolean, since: string | null): Promise<void> => {
    const indexes = [...asked.keys()].filter((index) => (asked[index]?.since === 0) === isWhole);
    const found = await loadAlike(
      run,
      names,
      indexes.map((index) => asked[index] as Asked),
      since,
    );
    for (const [at, index] of indexes.entries()) outcomes[index] = found[at] as Outcome;
  };
  await Promise.all([load(true, null), load(false, 'asked.since')]);
  return outcomes;
};

/** Never rejects. If they cannot be read together, each is read alone. */
const loadAlike = async (
  run: Runner,
  names: Names,
  asked: readonly Asked[],
  since: string | null,
): Promise<readonly Outcome[]> => {
  if (asked.length > 1)
    try {
      const found = await readSome(run, names, asked, since);
      return found.map((rows) => ({ status: 'fulfilled', value: loadedIn(rows) }));
    } catch {
      // The individual reads below show which of them failed, if any.
    }
  return Promise.allSettled(asked.map((one) => loadQueue(run, names, one, nothing)));
};

const readSome = async (
  run: Runner,
  names: Names,
  asked: readonly Asked[],
  since: string | null,
): Promise<readonly (readonly Row[])[]> => {
  const found = asked.map((): Row[] => []);
  const values = new Values();
  const queues = values.rows(
    'asked',
    {
      id: texts(asked.map(({ queueId }) => queueId)),
      since: numbers(asked.map((one) => one.since)),
    },
    'with place',
  );
  const rows = await run(
    `select asked.place::text as asked, one.* from ${queues}
cross join lateral (${foundOf(names, 'asked.id', since, [])}) as one`,
    values,
  );
  for (const row of rows) found[Number(row.asked) - 1]?.push(row);
  return found;
};

/** A statement that selects everything of a queue. `id` and `since` are SQL texts, which may name columns. */
const foundOf = (names: Names, id: string, since: string | null, recalled: readonly string[]): string => {
  const selects = [
    // The first branch has casts, because a union takes the types of columns from its first branches.
    `select 'queue' as kind, version as place, ${asDocument('value')} as value, ${asDocument('null')} as made, ${asDocument('null')} as candidate from queue`,
    `select 'now', ${names.now}, ${asDocument(`jsonb_build_array(${names.incarnation})`)}, null, null from queue`,
    ...changes(names, id, since),
    `(select 'inbox', inbox.turn, ${asDocument('inbox.value')}, null, null from ${names.inbox} as inbox, queue
  where inbox.queue_id = queue.id order by inbox.turn limit ${INBOX_PER_LOAD})`,
    ...recalled.map((select) => `select found.*, null, null from (${select}) as found`),
  ];
  return withParts(
    [['queue', `select id, version, value from ${names.queues} where id = ${id} and buried is null`]],
    `select kind, place::text as place, value, made, candidate from (${selects.join('\nunion all\n')}) as found`,
  );
};

/** As in a store that keeps rows in the order in which they were begun. */
const byAge = (one: TestRun, other: TestRun): number =>
  one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);

/** Null if the queue was not found. */
const loadedIn = (rows: readonly Row[]): QueueDelta | null => {
  const byKind = new Map<unknown, Row[]>();
  for (const row of rows) {
    const same = byKind.get(row.kind);
    if (same === undefined) byKind.set(row.kind, [row]);
    else same.push(row);
  }
  const of = (kind: string): readonly Row[] => (byKind.get(kind) ?? []).sort(byPlace);
  const [[head], [stated]] = [of('queue'), of('now')];
  if (head === undefined || stated === undefined) return null;
  const all = <Value>(kind: string): readonly Value[] =>
    of(kind).map(({ value }) => documentIn<Value>(value));
  return {
    version: Number(head.place),
    incarnation: documentIn<readonly [Incarnation]>(stated.value)[0],
    now: Number(stated.place),
    queue: documentIn(head.value),
    submissions: all('submission'),
    runs: of('run').map(runIn).sort(byAge),
    targets: all('targets'),
    inbox: all('inbox'),
    recalled: recalledIn(all),
  };
};

export const runIn = (row: Row): TestRun =>
  runOf(
    documentIn<Partial<TestRun>>(row.value),
    documentIn<Partial<TestRun> | null>(row.made),
    documentIn<TestRun['candidate']>(row.candidate),
  );

/** `all` returns the values found of one kind. */
export const recalledIn = (all: <Value>(kind: string) => readonly Value[]): Recalled => ({
  submissions: all('recalled submission'),
  targets: all('recalled targets'),
  answers: all('recalled answer'),
  commits: all<readonly [string]>('recalled commit').map(([key]) => commitOfKey(key)),
});

// Sorted here, because the database would sort whole rows, and spill to disk if there are many.
const byPlace = (one: Row, other: Row): number => Number(one.place) - Number(other.place);

const changes = (names: Names, id: string, since: string | null): readonly string[] => {
  const { submissions, runs, targets } = names;
  const books = (from: string) =>
    `select 'targets', book.version, ${asDocument('book.value')}, null, null from ${from}`;
  // `limit` keeps the planner from joining the whole queue when its statistics are outdated.
  if (since === null)
    return [
      `select 'submission', version, ${asDocument('value')}, null, null from ${submissions} where queue_id = ${id} and live_from is not null`,
      `select 'run', version, ${asDocument('value')}, ${asDocument('made')}, ${asDocument('candidate')} from ${runs} where queue_id = ${id} and closed is null`,
      books(`${submissions} as live cross join lateral (
    select version, value from ${targets} where queue_id = live.queue_id and pr = live.pr limit 1
  ) as book where live.queue_id = ${id} and live.live_from is not null`),
    ];
  return [
    // Live and closed rows have separate indexes.
    ...['live_from is not null', 'live_from is null'].map(
      (which) =>
        `select 'submission', version, ${asDocument('value')}, null, null from ${submissions} where queue_id = ${id} and version > ${since} and ${which}`,
    ),
    ...['closed is null', 'closed is not null'].map(
      (which) =>
        `select 'run', version, ${asDocument('value')}, ${asDocument('made')}, ${asDocument('candidate')} from ${runs} where queue_id = ${id} and version > ${since} and ${which}`,
    ),
    books(`${targets} as book cross join lateral (
    select from ${submissions} where queue_id = book.queue_id and pr = book.pr and live_from is not null limit 1
  ) as live where book.queue_id = ${id} and book.version > ${since}`),
    // Targets of pull requests that became live were not part of earlier deltas.
    books(`${submissions} as live cross join lateral (
    select version, value from ${targets} where queue_id = live.queue_id and pr = live.pr limit 1
  ) as book where live.queue_id = ${id} and live.version > ${since} and live.live_from > ${since}
    and book.version <= ${since}`),
  ];
};

/**
 * Rows of each of these pull requests. `offset 0` forces one lookup per pull request: otherwise a plan made while the
 * table is small scans the whole queue, and is kept when it is large.
 */
export const ofEach = (
  table: string,
  columns: string,
  values: Values,
  id: string,
  prs: readonly number[],
): string =>
  `${values.rows('asked', { pr: numbers([...new Set(prs)]) })} cross join lateral (
    select ${columns} from ${table} where queue_id = ${id} and pr = asked.pr offset 0
  ) as found`;

/** Selects with the columns kind, place and value. The select before them names the columns. */
export const recalledSelects = (
  names: Names,
  values: Values,
  id: string,
  { prs, inputIds, commits = [] }: Recall,
): readonly string[] => [
  ...(prs.length === 0
    ? []
    : [
        `(select distinct on (pr) 'recalled submission', version, ${asDocument('value')}
  from ${ofEach(names.submissions, 'version, value', values, id, prs)} order by pr, version desc)`,
        `select 'recalled targets', version, ${asDocument('value')}
  from ${ofEach(names.targets, 'version, value', values, id, prs)}`,
      ]),
  ...(inputIds.length === 0
    ? []
    : [
        `select 'recalled answer', 0, ${asDocument('value')} from ${names.answers}
  where input_id = ${values.anyText(inputIds)} and kept_until > ${names.now}`,
      ]),
  ...(commits.length === 0
    ? []
    : [
        `select 'recalled commit', 0, ${asDocument('jsonb_build_array(input_id)')} from ${names.answers}
  where input_id = ${values.anyText(commits.map(commitKey))} and kept_until > ${names.now}`,
      ]),
];
