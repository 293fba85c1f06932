import type { Instant } from '@mq/core';
import { type Database, DOCUMENT_TYPE, type List, type Row, sqlState, type Value } from './database.js';
import { storedJson, storedText } from './stored-json.js';

/** PostgreSQL truncates longer names. */
const NAME_BYTES_LIMIT = 63;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const tableNames = [
  'migrations',
  'queues',
  'wakes',
  'inbox',
  'effects',
  'submissions',
  'runs',
  'targets',
  'verdicts',
  'receipts',
  'history',
  'history_prs',
  'answers',
  'tokens',
  'expected_checks',
  'webhooks',
  'webhook_deliveries',
  'summaries',
  'presences',
  'presence_spans',
  'write_budgets',
  'host_commands',
  'command_progress',
] as const;
export type TableName = (typeof tableNames)[number];

/** The quoted names of a store's tables and functions, with their schema, so that the search path does not matter. */
export interface Names extends Readonly<Record<TableName, string>> {
  readonly schema: string;
  /** The store's time in milliseconds, constant within a statement. */
  readonly now: string;
  /** The start time of the server: it differs after a crash or a failover. */
  readonly incarnation: string;
  /** The next number of a sequence. Used for order, and as fencing tokens. */
  readonly turn: string;
}

/** Throws a RangeError if it cannot be the name of a schema. */
export const namesIn = (schema: string): Names => {
  if (schema === '' || schema.includes('\0') || Buffer.byteLength(schema) > NAME_BYTES_LIMIT)
    throw new RangeError(`schema is ${JSON.stringify(schema)}; it must be a name of 1 to 63 bytes.`);
  const own = quoted(schema);
  const tables = Object.fromEntries(tableNames.map((name) => [name, `${own}.${name}`]));
  return {
    ...(tables as Record<TableName, string>),
    schema: own,
    now: `${own}.now_ms()`,
    incarnation: 'extract(epoch from pg_postmaster_start_time())::text',
    turn: `nextval('${`${own}.turns`.replaceAll("'", "''")}')`,
  };
};

/** The parameters of one statement. Each method adds a value and returns its placeholder. */
export class Values {
  readonly list: Value[] = [];

  text(value: string | null): string {
    return this.#add(value === null ? null : storedText(value), 'text');
  }

  number(value: number): string {
    return this.#add(value, 'bigint');
  }

  /** Rounded up, so that a fractional time is never too early. */
  instant(value: Instant | null): string {
    return this.#add(value === null ? null : Math.ceil(value), 'bigint');
  }

  /** Rounded down: whole times up to a fractional one. */
  lastInstant(value: Instant): string {
    return this.#add(Math.floor(value), 'bigint');
  }

  json(value: unknown): string {
    return `${this.#add(storedJson(value), 'text')}::jsonb`;
  }

  /** A value stored as text, without parsing. */
  document(value: unknown): string {
    return this.#add(storedJson(value), 'text');
  }

  /** A list to compare with, as in `id = ${values.anyText(ids)}`. */
  anyText(values: readonly string[]): string {
    return `any(${this.textList(values)})`;
  }

  textList(values: readonly string[]): string {
    return `${this.#addList(texts([...new Set(values)]))}::text[]`;
  }

  /**
   * Rows of these columns (lists of equal length), for use in `from` as `name(…)`; optionally with their ordinal from
   * 1.
   */
  rows(name: string, columns: Readonly<Record<string, List>>, place?: 'with place'): string {
    const lists = Object.values(columns).map((list) => this.#addList(list));
    const names = [...Object.keys(columns), ...(place === undefined ? [] : ['place'])];
    return `unnest(${lists.join(', ')})${place === undefined ? '' : ' with ordinality'} as ${name}(${names.join(', ')})`;
  }

  /** The subselect hides the length of the list from the planner, so that it chooses a plan for any length. */
  #addList(list: List): string {
    return `(select ${this.#add(list, `${list.of}[]`)})`;
  }

  #add(value: Value, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

export const texts = (items: readonly string[]): List => ({ of: 'text', items: items.map(storedText) });
export const numbers = (items: readonly (number | null)[]): List => ({ of: 'bigint', items });
export const flags = (items: readonly boolean[]): List => ({ of: 'boolean', items });
/** Null is SQL's null, not JSON's. */
export const documents = (items: readonly unknown[]): List => ({
  of: 'text',
  items: items.map((item) => (item === null ? null : storedJson(item))),
});

/** A column that holds a document. */
export const asDocument = (column: string): string => `${column}::${DOCUMENT_TYPE}`;

/** The context for building a statement. */
export interface Statement {
  readonly names: Names;
  readonly values: Values;
}

/** A named part of a statement (`with`). Parts that write are executed even if no other part reads them. */
export type Part = readonly [name: string, sql: string];

export const withParts = (parts: readonly Part[], last: string): string =>
  parts.length === 0
    ? last
    : `with ${parts.map(([name, sql]) => `${name} as (${sql})`).join(',\n')}\n${last}`;

export type Runner = (statement: string, values: Values) => Promise<readonly Row[]>;

/** Errors after which nothing was written and a retry may succeed: serialization failure and deadlock. */
const PASSING = new Set(['40001', '40P01']);
const TRIES_LIMIT = 10;

/** Repeats a statement that the database rolled back in favour of another one. */
export const insisting = async <Result>(statement: () => Promise<Result>): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await statement();
    } catch (error) {
      if (tries === TRIES_LIMIT || !PASSING.has(sqlState(error) ?? '')) throw error;
    }
  }
};

export const runnerOf =
  (database: Database): Runner =>
  (statement, values) =>
    insisting(() => database.query(statement, values.list));
