import { type HistoryRow, type Instant, pullRequestsOf } from '@mq/core';
import { documents, numbers, type Part, texts } from './statement.js';
import { type WriteContext, when } from './write-context.js';

/**
 * The content of one table row: all history rows of a commit about one pull request only, or one row about several or
 * none.
 */
interface Bundle {
  readonly pr: number | null;
  readonly rows: readonly HistoryRow[];
}

/** The statement parts that write the history of a commit. */
export const historyParts = (writing: WriteContext, rows: readonly HistoryRow[]): readonly Part[] => {
  const { names, values, version } = writing;
  const bundles = bundled(rows);
  const lasts = bundles.flatMap(({ rows }) => rows.slice(-1));
  const asked = values.rows('new', {
    at: numbers(lasts.map(({ at }) => at)),
    sequence: numbers(lasts.map(({ sequence }) => sequence)),
    types: texts(bundles.map(({ rows }) => typesOf(rows))),
    value: documents(bundles.map(({ rows }) => rows)),
    pr: numbers(bundles.map(({ pr }) => pr)),
  });
  const several = bundles
    .filter(({ pr }) => pr === null)
    .flatMap(({ rows }) => rows)
    .flatMap((row) => pullRequestsOf(row).map((pr) => ({ at: row.at, sequence: row.sequence, pr })));
  return [
    [
      'history_written',
      `insert into ${names.history} (queue_id, at, version, sequence, types, value, pr)
select guard.id, new.at, ${values.number(version)}, new.sequence, new.types, new.value, new.pr from guard, ${asked}`,
    ],
    ...when(several, () => [severalPart(writing, several)]),
  ];
};

/** Separates the types of the history rows in one table row. */
export const TYPE_SEPARATOR = ' ';

const bundled = (rows: readonly HistoryRow[]): readonly Bundle[] => {
  const bundles: Bundle[] = [];
  const byPr = new Map<string, HistoryRow[]>();
  for (const row of rows) {
    const pr = onlyOne(pullRequestsOf(row));
    const key = `${row.at} ${pr}`;
    const existing = pr === null ? undefined : byPr.get(key);
    if (existing === undefined) {
      const bundle = [row];
      if (pr !== null) byPr.set(key, bundle);
      bundles.push({ pr, rows: bundle });
    } else existing.push(row);
  }
  return bundles;
};

const onlyOne = (prs: readonly number[]): number | null => (prs.length === 1 ? (prs[0] ?? null) : null);

const typesOf = (rows: readonly HistoryRow[]): string =>
  [...new Set(rows.map(({ type }) => type))].join(TYPE_SEPARATOR);

/** Index rows that make a history row about several pull requests findable by each of them. */
const severalPart = (
  { names, values, version }: WriteContext,
  several: readonly { readonly at: Instant; readonly sequence: number; readonly pr: number }[],
): Part => {
  const asked = values.rows('about', {
    pr: numbers(several.map(({ pr }) => pr)),
    at: numbers(several.map(({ at }) => at)),
    sequence: numbers(several.map(({ sequence }) => sequence)),
  });
  return [
    'history_prs_written',
    `insert into ${names.history_prs} (queue_id, pr, at, version, sequence)
select guard.id, about.pr, about.at, ${values.number(version)}, about.sequence from guard, ${asked}`,
  ];
};
