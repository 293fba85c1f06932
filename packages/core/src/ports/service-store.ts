import type { Instant, TokenId } from '../model/ids.js';
import type { Revocation, Token } from '../model/token.js';
import type { Page } from './store.js';

/**
 * Where a service keeps what is no part of a queue: its tokens. An implementation is safe for concurrent use by many
 * processes and reads what it wrote. It never decides whether a token is valid: `tokenStateAt` does. Expected outcomes are
 * values; an exception means that it is not known whether the write happened.
 */
export interface ServiceStore {
  /** The store's time, one for all processes. */
  now(): Promise<Instant>;
  /**
   * Adds a token. With `replaced`, the token named there gets `replacedBy` and ends no later than at `expiresAt`, in the same write.
   * `exists`: there is one of its id or its digest. `gone`: the replaced one is not there, revoked, or replaced already.
   * `full`: its own maker's family has made, itself or through others, `limit` tokens that are neither revoked nor expired at
   * `createdAt`; tokens added at the same time may go beyond by their number. Where several apply, the first of this order.
   */
  addToken(token: Token, ask: AddToken): Promise<'added' | 'exists' | 'gone' | 'full'>;
  /** By the digest of the token, whatever its state; null where there is none. One read by a key. */
  findToken(digest: string): Promise<FoundToken | null>;
  /** Whatever its state; null where there is none. */
  token(id: TokenId): Promise<Token | null>;
  /** Those that a family has made, itself or through tokens that it made, by (createdAt, id), newest first. */
  tokens(query: TokenQuery): Promise<Page<Token>>;
  /**
   * Revokes a token and, with `withMade`, those made by it, itself or through others. Answers the ids of those that it revoked; one
   * that was revoked before stays as it is.
   */
  revokeToken(id: TokenId, ask: Revocation & { readonly withMade: boolean }): Promise<readonly TokenId[]>;
  /** Sets `lastUsedAt`, unless it is less than `USE_NOTED_EVERY_MS` before `at`, or later. */
  noteTokenUse(id: TokenId, at: Instant): Promise<void>;
  /** Removes tokens that were revoked or expired before an instant, and of the others that have ended all but the last `keep`. */
  pruneTokens(ask: { readonly before: Instant; readonly now: Instant; readonly keep: number }): Promise<void>;
  /** Ends what the store began. Afterwards every call rejects, with the `code` CLOSED. Doing it twice is no error. */
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

/** A use of a token is written at most this often. */
export const USE_NOTED_EVERY_MS = 60_000;
