import { createHash } from 'node:crypto';
import { arrayBytes } from './array-bytes.js';
import { type Database, isMisfit, type Row, type Signals, sqlState, type Value } from './database.js';
import { fromStoredJson } from './stored-json.js';

const LISTEN_AGAIN_MS = 1_000;

interface PgResult {
  readonly rows: readonly unknown[];
}

/** What is used of a connection of `pg`. */
export interface PgClient {
  query(text: string): Promise<PgResult>;
  on(event: 'notification', listener: (message: { readonly channel: string }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** What becomes of a value of a type as it arrives: as bytes where the pool asks for all values in binary. */
export type PgTypeParser = (value: string | Buffer) => unknown;

/** A statement of its own. */
export interface PgQuery {
  /** The connection keeps the statement parsed and planned under it. */
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  readonly types: { getTypeParser(oid: number, format?: string): PgTypeParser };
}

/** What is used of a `Pool` of `pg`. */
export interface PgPool {
  query(query: string | PgQuery, values?: unknown[]): Promise<PgResult>;
  connect(taken: (error: Error | undefined, client: PgClient | undefined) => void): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PgDatabaseOptions {
  /**
   * Whether one connection of the pool is kept to hear of what other processes write while the engine runs. True where
   * left out. To be false behind a pooler in transaction mode, where it hears nothing, and for a pool of one connection.
   */
  readonly listen?: boolean;
  /**
   * Whether connections keep statements parsed and planned, which saves much of their time. As `listen` where left out.
   * A pooler that gives each statement another connection is noticed, and then it is done without.
   */
  readonly prepare?: boolean;
}

/** Unknown, or known already, although this process says otherwise. */
const POOLED = new Set(['26000', '42P05']);

/** Numbers of types. What is asked for is of no other type but texts. */
const [BOOLEAN, BIGINT, DOCUMENT] = [16, 20, 1043];

const parserOf = (oid: number): PgTypeParser => {
  if (oid === BOOLEAN) return (value) => (typeof value === 'string' ? value === 't' : value[0] === 1);
  if (oid === BIGINT) return (value) => (typeof value === 'string' ? value : String(value.readBigInt64BE()));
  return oid === DOCUMENT ? (value) => fromStoredJson(String(value)) : String;
};

/** In place of those that the embedder has set for the pool. */
const types: PgQuery['types'] = { getTypeParser: parserOf };

const rowsOf = ({ rows }: PgResult): readonly Row[] => rows as readonly Row[];

/** Lists go as bytes: as texts each of their elements would have to be quoted here and read letter by letter there. */
const sent = (value: Value): string | number | null | Buffer =>
  typeof value === 'object' && value !== null ? arrayBytes(value) : value;

/** Texts that are kept, those that come first: values stand outside of them, and the rest is rare. */
const PREPARED_LIMIT = 100;

/** The name of a statement, among those by their text; null for one beyond the limit. */
const nameIn = (names: Map<string, string>, text: string): string | null => {
  const known = names.get(text);
  if (known !== undefined || names.size >= PREPARED_LIMIT) return known ?? null;
  const name = `mq_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  names.set(text, name);
  return name;
};

/**
 * PostgreSQL 14 or later, through a pool of the embedder's own, who ends it after the store was closed. A connection
 * that is cut while it is idle is no reason for the process to end: the pool's `error` event is taken in here.
 */
export const pgDatabase = (pool: PgPool, options: PgDatabaseOptions = {}): Database => {
  const { listen = true, prepare = listen } = options;
  const names = new Map<string, string>();
  let keeps = prepare;
  const ignore = (): void => {};
  pool.on('error', ignore);
  const signals: Signals = {
    send: async (channel) => void (await pool.query('select pg_notify($1, $2)', [channel, ''])),
    receive: (channel, onSignal) => (listen ? new Listener(pool, channel, onSignal).stop : ignore),
  };
  return {
    query: async (text, values) => {
      const list = values.map(sent);
      const name = keeps ? nameIn(names, text) : null;
      try {
        return rowsOf(await pool.query({ ...(name === null ? {} : { name }), text, values: list, types }));
      } catch (error) {
        // The tables have become others, and so have the statements that come often.
        if (isMisfit(error)) names.clear();
        // A pooler in between gave it another connection; nothing of it was carried out.
        if (name === null || !POOLED.has(sqlState(error) ?? '')) throw error;
        keeps = false;
        return rowsOf(await pool.query({ text, values: list, types }));
      }
    },
    script: async (statements) => void (await pool.query(statements)),
    signals,
    // The pool outlives the store, and its idle connections may be cut then too: `ignore` stays.
    close: async () => {},
  };
};

/** Listens on a connection of its own, and on another one when that is lost. */
class Listener {
  #client: PgClient | null = null;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(
    private readonly pool: PgPool,
    private readonly channel: string,
    private readonly onSignal: () => void,
  ) {
    this.#begin();
  }

  readonly stop = (): void => {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#lose();
  };

  /** Not by a promise: one that is cut right behind its greeting says so before a promise is heard, and ends the process. */
  #begin(): void {
    this.#timer = null;
    try {
      this.pool.connect((_, client) => {
        if (client === undefined) this.#beginLater(null);
        else if (this.#stopped) client.release();
        else void this.#listenOn(client);
      });
    } catch {
      // A file of certificates is read with each connection, and may be away for a moment.
      this.#beginLater(null);
    }
  }

  async #listenOn(client: PgClient): Promise<void> {
    this.#client = client;
    client.on('error', () => this.#beginLater(client));
    client.on('end', () => this.#beginLater(client));
    client.on('notification', (message) => {
      if (message.channel === this.channel && this.#client === client) this.onSignal();
    });
    try {
      await client.query(`listen "${this.channel}"`);
      // What came before is not heard: it may be something.
      if (this.#client === client) this.onSignal();
    } catch {
      this.#beginLater(client);
    }
  }

  #beginLater(lost: PgClient | null): void {
    if (lost !== this.#client || this.#timer !== null || this.#stopped) return;
    this.#lose();
    this.#timer = setTimeout(() => this.#begin(), LISTEN_AGAIN_MS);
    this.#timer.unref();
  }

  /** A connection that listens is not given back to be used for something else: it is ended. */
  #lose(): void {
    const client = this.#client;
    this.#client = null;
    client?.release(true);
  }
}
