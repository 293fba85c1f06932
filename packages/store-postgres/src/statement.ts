import type { Instant } from '@mq/core';
import { type Database, DOCUMENT_TYPE, type List, type Row, sqlState, type Value } from './database.js';
import { storedJson, storedText } from './stored-json.js';

/** The longest name that PostgreSQL does not cut off. */
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
] as const;
export type TableName = (typeof tableNames)[number];

/** The names of one store's things, quoted and with their schema: no search path decides what is meant. */
export interface Names extends Readonly<Record<TableName, string>> {
  readonly schema: string;
  /** The store's time in milliseconds: the same throughout a statement. */
  readonly now: string;
  /** Of the server: another one that takes over, or the same after a crash, was started at another time. */
  readonly incarnation: string;
  /** The next number of a sequence that is never the same twice: an order, and a token. */
  readonly turn: string;
}

/** Throws a RangeError for what cannot be the name of a schema. */
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

/** The values of one statement. Each method takes a value in and gives the text that stands for it. */
export class Values {
  readonly list: Value[] = [];

  text(value: string | null): string {
    return this.#add(value === null ? null : storedText(value), 'text');
  }

  number(value: number): string {
    return this.#add(value, 'bigint');
  }

  /** Never sooner than what was given, should that be no whole number. */
  instant(value: Instant | null): string {
    return this.#add(value === null ? null : Math.ceil(value), 'bigint');
  }

  json(value: unknown): string {
    return `${this.#add(storedJson(value), 'text')}::jsonb`;
  }

  /** To be kept as it is. */
  document(value: unknown): string {
    return this.#add(storedJson(value), 'text');
  }

  /** A list to be compared with, as in `id = ${values.anyText(ids)}`. */
  anyText(values: readonly string[]): string {
    return `any(${this.textList(values)})`;
  }

  textList(values: readonly string[]): string {
    return `${this.#addList(texts([...new Set(values)]))}::text[]`;
  }

  /** Rows of these columns, lists of one length, as `name(…)` of a `from`; with their place from 1 on where that is wanted. */
  rows(name: string, columns: Readonly<Record<string, List>>, place?: 'with place'): string {
    const lists = Object.values(columns).map((list) => this.#addList(list));
    const names = [...Object.keys(columns), ...(place === undefined ? [] : ['place'])];
    return `unnest(${lists.join(', ')})${place === undefined ? '' : ' with ordinality'} as ${name}(${names.join(', ')})`;
  }

  /** Behind a select the planner does not see how long it is: a plan that is as good for any length is kept. */
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
/** A null stands for no value, and not for JSON's. */
export const documents = (items: readonly unknown[]): List => ({
  of: 'text',
  items: items.map((item) => (item === null ? null : storedJson(item))),
});

/** A column that holds a document. */
export const asDocument = (column: string): string => `${column}::${DOCUMENT_TYPE}`;

/** What a statement is put together with. */
export interface Statement {
  readonly names: Names;
  readonly values: Values;
}

/** A part of a statement that has a name there. Those that write are carried out whether or not anybody reads them. */
export type Part = readonly [name: string, sql: string];

export const withParts = (parts: readonly Part[], last: string): string =>
  parts.length === 0
    ? last
    : `with ${parts.map(([name, sql]) => `${name} as (${sql})`).join(',\n')}\n${last}`;

export type Runner = (statement: string, values: Values) => Promise<readonly Row[]>;

/** Errors after which nothing was written, and the same statement may well go through. */
const PASSING = new Set(['40001', '40P01']);
const TRIES_LIMIT = 10;

/** Does it again where the database gave up on it to let another through. */
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
