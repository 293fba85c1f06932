/** A row as the database gives it; every column that is asked for is text, a boolean, a document or null. */
export type Row = Readonly<Record<string, unknown>>;

/** Many values of one type in one place of a statement. */
export interface List {
  readonly of: 'text' | 'bigint' | 'boolean';
  readonly items: readonly (string | number | boolean | null)[];
}

/**
 * Of this type a column is asked for that holds a document: one that `storedJson` has made, and no text alone. It may be given
 * as the text that it is, or as what `fromStoredJson` makes of it: then it is read while the database makes the next.
 */
export const DOCUMENT_TYPE = 'varchar';

export type Value = string | number | null | List;

/** Signals between processes on one database. They may be lost, doubled or late: nothing rests on them. */
export interface Signals {
  send(channel: string): Promise<void>;
  /** Calls `onSignal` until the returned function is called, over lost connections too. */
  receive(channel: string, onSignal: () => void): () => void;
}

/**
 * What the store needs of PostgreSQL. Nothing is assumed to last from one call to the next: no session, no prepared
 * statement, no lock. Each call may go over another connection.
 */
export interface Database {
  /** One statement, in a transaction of its own. Rejects with the database's error; its `code` is the SQLSTATE. */
  query(statement: string, values: readonly Value[]): Promise<readonly Row[]>;
  /** Several statements without values in one transaction: all of them or none. */
  script(statements: string): Promise<void>;
  readonly signals?: Signals;
  /** True where no other process can have it open: whatever was under way when the store is opened, nobody works on. */
  readonly isExclusive?: boolean;
  /** Ends what the database opened itself; what it was given stays open. Twice is no error. */
  close(): Promise<void>;
}

/** The SQLSTATE of an error; null where it is not one of the database. */
export const sqlState = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;

/** A table, a column or a key of a conflict that is not there; a value of another type. */
const MISFITS = new Set(['42P01', '42703', '42P10', '42804']);

/** True of a statement that was made for other tables; it did nothing. */
export const isMisfit = (error: unknown): boolean => MISFITS.has(sqlState(error) ?? '');
