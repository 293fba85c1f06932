import type { Instant, TokenId } from '../model/ids.js';
import type { Revocation, Token } from '../model/token.js';
import type { Page } from './store.js';

/**
 * Stores the data of a service that belongs to no queue: its tokens. Safe for concurrent use by many processes; a read
 * sees every earlier confirmed write. It never decides whether a token is valid: `tokenStateAt` does. Expected outcomes
 * are values; an exception means that it is unknown whether the write happened.
 */
export interface ServiceStore {
  /** The time of the store, the same for all processes. */
  now(): Promise<Instant>;
  /**
   * Adds a token. With `replaced`, the same write sets `replacedBy` of that token and limits its end to `expiresAt`.
   * Answers the first that applies: `exists` if there is a token with this id or digest; `gone` if the replaced token
   * does not exist, is revoked, or was replaced before; `full` if the family of the token's maker has made, directly or
   * through others, `limit` tokens that are active at `createdAt`. Concurrent calls may exceed the limit by their
   * number.
   */
  addToken(token: Token, ask: AddToken): Promise<'added' | 'exists' | 'gone' | 'full'>;
  /** Reads a token by digest, in any state; null if there is none. One lookup by key. */
  findToken(digest: string): Promise<FoundToken | null>;
  /** Reads a token by id, in any state; null if there is none. */
  token(id: TokenId): Promise<Token | null>;
  /** Lists the tokens that a family has made, directly or through others, by (createdAt, id), newest first. */
  tokens(query: TokenQuery): Promise<Page<Token>>;
  /**
   * Revokes a token and, with `withMade`, all tokens made by it, directly or through others. Answers the ids of the
   * tokens that it revoked; tokens revoked before are not changed.
   */
  revokeToken(id: TokenId, ask: Revocation & { readonly withMade: boolean }): Promise<readonly TokenId[]>;
  /** Sets `lastUsedAt`, unless it is later than `at` or less than `USE_NOTED_EVERY_MS` before it. */
  noteTokenUse(id: TokenId, at: Instant): Promise<void>;
  /**
   * Removes tokens that were revoked or had expired before `before`, and all but the last `keep` other ended tokens.
   */
  pruneTokens(ask: { readonly before: Instant; readonly now: Instant; readonly keep: number }): Promise<void>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export interface AddToken {
  readonly replaced: { readonly id: TokenId; readonly expiresAt: Instant } | null;
  readonly limit: number;
}

export interface FoundToken {
  readonly token: Token;
  /** The store's time of the read. */
  readonly now: Instant;
}

export interface TokenQuery {
  /** The family of the maker. */
  readonly madeBy: TokenId;
  readonly limit: number;
  readonly cursor?: string;
}

/** A use of a token is recorded at most this often. */
export const USE_NOTED_EVERY_MS = 60_000;
