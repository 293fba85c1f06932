import type {
  AddToken,
  FoundToken,
  Instant,
  Page,
  Revocation,
  ServiceStore,
  Token,
  TokenId,
  TokenQuery,
} from '@mq/core';
import { closableRunner } from './closable-runner.js';
import type { Database } from './database.js';
import { checkMigrated, DEFAULT_SCHEMA, migrate } from './migrate.js';
import { type Names, namesIn, type Runner, Values } from './statement.js';
import {
  addToken,
  findToken,
  noteTokenUse,
  pruneTokens,
  readToken,
  readTokens,
  revokeToken,
} from './tokens.js';

export interface PostgresServiceStoreOptions {
  readonly database: Database;
  /** The schema of the queues' store; defaults to `mq`. */
  readonly schema?: string;
  /** False does not migrate, and rejects if the tables are not those of this version. */
  readonly migrate?: boolean;
}

/**
 * Opens the store of a service's tokens, in the schema of the queues' store. Closing it leaves the database open, so
 * close it before the queues' store.
 */
export const postgresServiceStore = async (options: PostgresServiceStoreOptions): Promise<ServiceStore> => {
  const { database, schema = DEFAULT_SCHEMA } = options;
  const names = namesIn(schema);
  if (options.migrate !== false) await migrate({ database, schema });
  await checkMigrated(database, names);
  return new InPostgres(database, names);
};

class InPostgres implements ServiceStore {
  readonly #run: Runner;
  readonly close: () => Promise<void>;

  constructor(
    database: Database,
    private readonly names: Names,
  ) {
    const { run, close } = closableRunner(database, names);
    [this.#run, this.close] = [run, close];
  }

  async now(): Promise<Instant> {
    const [row] = await this.#run(`select ${this.names.now}::text as now`, new Values());
    return Number(row?.now);
  }

  addToken(token: Token, ask: AddToken): Promise<'added' | 'exists' | 'gone' | 'full'> {
    return addToken(this.#run, this.names, token, ask);
  }

  findToken(digest: string): Promise<FoundToken | null> {
    return findToken(this.#run, this.names, digest);
  }

  token(id: TokenId): Promise<Token | null> {
    return readToken(this.#run, this.names, id);
  }

  tokens(query: TokenQuery): Promise<Page<Token>> {
    return readTokens(this.#run, this.names, query);
  }

  revokeToken(id: TokenId, ask: Revocation & { readonly withMade: boolean }): Promise<readonly TokenId[]> {
    return revokeToken(this.#run, this.names, id, ask);
  }

  noteTokenUse(id: TokenId, at: Instant): Promise<void> {
    return noteTokenUse(this.#run, this.names, id, at);
  }

  pruneTokens(ask: {
    readonly before: Instant;
    readonly now: Instant;
    readonly keep: number;
  }): Promise<void> {
    return pruneTokens(this.#run, this.names, ask);
  }
}
