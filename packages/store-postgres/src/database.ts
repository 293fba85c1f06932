/** A row as the database returns it. Each selected column is a text, a boolean, a document or null. */
export type Row = Readonly<Record<string, unknown>>;

/** A list of values of one type, passed as one parameter. */
export interface List {
  readonly of: 'text' | 'bigint' | 'boolean';
  readonly items: readonly (string | number | boolean | null)[];
}

/**
 * The type to which a column is cast if it holds a document made by `storedJson`. The adapter may return the text, or
 * the value parsed by `fromStoredJson`; parsing overlaps with the database's work then.
 */
export const DOCUMENT_TYPE = 'varchar';

export type Value = string | number | null | List;

/**
 * Signals between processes on one database. They may be lost, repeated or late; correctness does not depend on them.
 */
export interface Signals {
  send(channel: string): Promise<void>;
  /** Calls `onSignal` until the returned function is called, across lost connections. */
  receive(channel: string, onSignal: () => void): () => void;
}

/**
 * What the store needs of PostgreSQL. No session, prepared statement or lock needs to survive a call; each call may use
 * another connection.
 */
export interface Database {
  /** Runs one statement in its own transaction. Rejects with the database's error; its `code` is the SQLSTATE. */
  query(statement: string, values: readonly Value[]): Promise<readonly Row[]>;
  /** Runs several statements without parameters in one transaction. */
  script(statements: string): Promise<void>;
  readonly signals?: Signals;
  /**
   * True if no other process can have the database open: leases and claims found at the start belong to no process
   * then.
   */
  readonly isExclusive?: boolean;
  /** Closes what the database opened itself. Idempotent. */
  close(): Promise<void>;
}

/** The SQLSTATE of an error; null if it is not from the database. */
export const sqlState = (error: unknown): string | null =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;

/** Undefined table, column or conflict key; wrong type. */
const MISFITS = new Set(['42P01', '42703', '42P10', '42804']);

/** Whether a statement failed because the tables have changed. It did nothing. */
export const isMisfit = (error: unknown): boolean => MISFITS.has(sqlState(error) ?? '');
