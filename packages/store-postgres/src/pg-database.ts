import type { Database, Row, Signals } from './database.js';

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

/** What is used of a `Pool` of `pg`. */
export interface PgPool {
  query(text: string, values?: unknown[]): Promise<PgResult>;
  connect(): Promise<PgClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PgDatabaseOptions {
  /**
   * Whether one connection of the pool is kept to hear of what other processes write while the engine runs. True where
   * left out. To be false behind a pooler in transaction mode, where it hears nothing, and for a pool of one connection.
   */
  readonly listen?: boolean;
}

/**
 * PostgreSQL 14 or later, through a pool of the embedder's own, who ends it after the store was closed. A connection
 * that is cut while it is idle is no reason for the process to end: the pool's `error` event is taken in here.
 */
export const pgDatabase = (pool: PgPool, { listen = true }: PgDatabaseOptions = {}): Database => {
  const ignore = (): void => {};
  pool.on('error', ignore);
  const signals: Signals = {
    send: async (channel) => void (await pool.query('select pg_notify($1, $2)', [channel, ''])),
    receive: (channel, onSignal) => (listen ? new Listener(pool, channel, onSignal).stop : ignore),
  };
  return {
    query: async (statement, values) => (await pool.query(statement, [...values])).rows as readonly Row[],
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
    void this.#begin();
  }

  readonly stop = (): void => {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#lose();
  };

  async #begin(): Promise<void> {
    this.#timer = null;
    try {
      const client = await this.pool.connect();
      if (this.#stopped) return client.release();
      this.#client = client;
      client.on('error', () => this.#beginLater(client));
      client.on('end', () => this.#beginLater(client));
      client.on('notification', (message) => {
        if (message.channel === this.channel && this.#client === client) this.onSignal();
      });
      await client.query(`listen "${this.channel}"`);
      // What came before is not heard: it may be something.
      if (this.#client === client) this.onSignal();
    } catch {
      this.#beginLater(this.#client);
    }
  }

  #beginLater(lost: PgClient | null): void {
    if (lost !== this.#client || this.#timer !== null || this.#stopped) return;
    this.#lose();
    this.#timer = setTimeout(() => void this.#begin(), LISTEN_AGAIN_MS);
    this.#timer.unref();
  }

  /** A connection that listens is not given back to be used for something else: it is ended. */
  #lose(): void {
    const client = this.#client;
    this.#client = null;
    client?.release(true);
  }
}
