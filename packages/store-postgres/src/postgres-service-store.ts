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
import { openTables, type SharedTables, type SharedTablesOptions } from './shared-tables.js';
import type { Names, Runner } from './statement.js';
import {
  addToken,
  findToken,
  noteTokenUse,
  pruneTokens,
  readToken,
  readTokens,
  revokeToken,
} from './tokens.js';

export type PostgresServiceStoreOptions = SharedTablesOptions;

/**
 * Opens the store of a service's tokens, in the schema of the queues' store. Closing it leaves the database open, so
 * close it before the queues' store.
 */
export const postgresServiceStore = async (options: PostgresServiceStoreOptions): Promise<ServiceStore> => {
  return new InPostgres(await openTables(options));
};

class InPostgres implements ServiceStore {
  readonly #run: Runner;
  readonly close: () => Promise<void>;
  readonly now: () => Promise<Instant>;
  private readonly names: Names;

  constructor({ names, run, close, now }: SharedTables) {
    this.names = names;
    this.#run = run;
    [this.close, this.now] = [close, now];
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
