import { createHash } from 'node:crypto';
import { arrayBytes } from './array-bytes.js';
import { type Database, isMisfit, type Row, type Signals, sqlState, type Value } from './database.js';
import { fromStoredJson } from './stored-json.js';

const LISTEN_AGAIN_MS = 1_000;

interface PgResult {
  readonly rows: readonly unknown[];
}

/** The part of a `pg` client that is used. */
export interface PgClient {
  query(text: string): Promise<PgResult>;
  on(event: 'notification', listener: (message: { readonly channel: string }) => void): unknown;
  on(event: 'error' | 'end', listener: () => void): unknown;
  release(destroy?: boolean): void;
}

/** Parses a received value of a type; it is bytes if the pool uses the binary format. */
export type PgTypeParser = (value: string | Buffer) => unknown;

/** A query with its options. */
export interface PgQuery {
  /** The name under which the connection caches the prepared statement. */
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
  readonly types: { getTypeParser(oid: number, format?: string): PgTypeParser };
}

/** The part of a `pg` Pool that is used. */
export interface PgPool {
  query(query: string | PgQuery, values?: unknown[]): Promise<PgResult>;
  connect(taken: (error: Error | undefined, client: PgClient | undefined) => void): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PgDatabaseOptions {
  /**
   * Whether to reserve one connection of the pool for notifications of other processes. Defaults to true. Set it to
   * false behind a pooler in transaction mode, which does not deliver them, and for a pool of one connection.
   */
  readonly listen?: boolean;
  /**
   * Whether to use prepared statements, which saves much of the time of each call. Defaults to `listen`. If a pooler
   * turns out to switch connections between statements, they are no longer used.
   */
  readonly prepare?: boolean;
}

// The SQLSTATEs of an unknown prepared statement, and of one that exists already, contrary to what this process expects.
const POOLED = new Set(['26000', '42P05']);

// OIDs of types. All other selected columns are texts.
const [BOOLEAN, BIGINT, DOCUMENT] = [16, 20, 1043];

const parserOf = (oid: number): PgTypeParser => {
  if (oid === BOOLEAN) return (value) => (typeof value === 'string' ? value === 't' : value[0] === 1);
  if (oid === BIGINT) return (value) => (typeof value === 'string' ? value : String(value.readBigInt64BE()));
  return oid === DOCUMENT ? (value) => fromStoredJson(String(value)) : String;
};

// Used instead of the parsers that the embedder may have set for the pool.
const types: PgQuery['types'] = { getTypeParser: parserOf };

const rowsOf = ({ rows }: PgResult): readonly Row[] => rows as readonly Row[];

// Lists are sent in binary: as text, each element would have to be quoted here and parsed there.
const sent = (value: Value): string | number | null | Buffer =>
  typeof value === 'object' && value !== null ? arrayBytes(value) : value;

// The statements that come first are prepared. Parameters are not part of their text, so there are few.
const PREPARED_LIMIT = 100;

/** The name of a prepared statement; null beyond the limit. */
const nameIn = (names: Map<string, string>, text: string): string | null => {
  const existing = names.get(text);
  if (existing !== undefined || names.size >= PREPARED_LIMIT) return existing ?? null;
  const name = `mq_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
  names.set(text, name);
  return name;
};

/**
 * Connects to PostgreSQL 14 or later through the embedder's own pool; the embedder ends the pool after closing the
 * store. Handles the pool's `error` event, so that losing an idle connection does not end the process.
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
        // The tables have changed, so other statements will be the frequent ones.
        if (isMisfit(error)) names.clear();
        // A pooler switched the connection. The statement was not executed.
        if (name === null || !POOLED.has(sqlState(error) ?? '')) throw error;
        keeps = false;
        return rowsOf(await pool.query({ text, values: list, types }));
      }
    },
    script: async (statements) => void (await pool.query(statements)),
    signals,
    // The handler for `error` stays: the pool outlives the store, and may lose idle connections then too.
    close: async () => {},
  };
};

/** Listens on a reserved connection, and on a new one when it is lost. */
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

  /**
   * Uses the callback form: a connection that is lost right after its greeting emits an error before a promise can be
   * handled, which would end the process.
   */
  #begin(): void {
    this.#timer = null;
    try {
      this.pool.connect((_, client) => {
        if (client === undefined) this.#beginLater(null);
        else if (this.#stopped) client.release();
        else void this.#listenOn(client);
      });
    } catch {
      // The certificate files are read for each connection and may be missing for a moment.
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
      // Notifications from before were not received.
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

  /** Ends the connection rather than return it to the pool. */
  #lose(): void {
    const client = this.#client;
    this.#client = null;
    client?.release(true);
  }
}
