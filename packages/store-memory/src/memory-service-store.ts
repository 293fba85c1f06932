import {
  type AddToken,
  type Clock,
  type FoundToken,
  type Instant,
  type Key,
  type Listing,
  MergeQueueError,
  type Page,
  type Revocation,
  readCursor,
  type ServiceStore,
  type Token,
  type TokenId,
  type TokenQuery,
  tokenStateAt,
  USE_NOTED_EVERY_MS,
} from '@mq/core';
import { frozen } from './frozen.js';
import { compareKeys, pageOf } from './page.js';

export interface MemoryServiceStoreOptions {
  /** Defaults to the system clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** Keeps tokens in this process only; they are lost when it ends. */
export const memoryServiceStore = (options: MemoryServiceStoreOptions = {}): ServiceStore =>
  new InMemory(options.clock ?? { now: Date.now });

const tokenListing: Listing = { name: 'tokens', shape: ['number', 'string'] };

const tokenKey = ({ createdAt, id }: Token): Key => [createdAt, id];

// Methods are atomic because each does its work without an await.
class InMemory implements ServiceStore {
  readonly #tokens = new Map<TokenId, Token>();
  #isClosed = false;

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  async now(): Promise<Instant> {
    return this.#enter();
  }

  async addToken(token: Token, { replaced, limit }: AddToken): Promise<'added' | 'exists' | 'gone' | 'full'> {
    this.#enter();
    if (this.#tokens.has(token.id) || this.#ofDigest(token.digest) !== null) return 'exists';
    const old = replaced === null ? null : (this.#tokens.get(replaced.id) ?? null);
    if (replaced !== null && (old === null || old.revoked !== null || old.replacedBy !== null)) return 'gone';
    const maker = token.makers.at(-1);
    const made = maker === undefined ? [] : this.#madeBy(maker.familyId);
    if (made.filter((one) => tokenStateAt(one, token.createdAt) === 'active').length >= limit) return 'full';
    this.#put(token);
    if (old !== null && replaced !== null)
      this.#put({
        ...old,
        replacedBy: token.id,
        expiresAt: Math.min(old.expiresAt ?? replaced.expiresAt, replaced.expiresAt),
      });
    return 'added';
  }

  async findToken(digest: string): Promise<FoundToken | null> {
    const now = this.#enter();
    const token = this.#ofDigest(digest);
    return token === null ? null : { token, now };
  }

  async token(id: TokenId): Promise<Token | null> {
    this.#enter();
    return this.#tokens.get(id) ?? null;
  }

  async tokens({ madeBy, limit, cursor }: TokenQuery): Promise<Page<Token>> {
    this.#enter();
    const after = readCursor(tokenListing, cursor);
    const made = this.#madeBy(madeBy)
      .filter((token) => after === null || compareKeys(tokenKey(token), after) < 0)
      .sort((one, other) => compareKeys(tokenKey(other), tokenKey(one)));
    return pageOf(tokenListing, made, limit, tokenKey);
  }

  async revokeToken(
    id: TokenId,
    { at, by, withMade }: Revocation & { readonly withMade: boolean },
  ): Promise<readonly TokenId[]> {
    this.#enter();
    const revoked = [...this.#tokens.values()].filter(
      (token) =>
        token.revoked === null &&
        (token.id === id || (withMade && token.makers.some(({ tokenId }) => tokenId === id))),
    );
    for (const token of revoked) this.#put({ ...token, revoked: { at, by } });
    return revoked.map((token) => token.id);
  }

  async noteTokenUse(id: TokenId, at: Instant): Promise<void> {
    this.#enter();
    const token = this.#tokens.get(id);
    if (token === undefined || (token.lastUsedAt ?? Number.NEGATIVE_INFINITY) > at - USE_NOTED_EVERY_MS)
      return;
    this.#put({ ...token, lastUsedAt: at });
  }

  async pruneTokens(ask: {
    readonly before: Instant;
    readonly now: Instant;
    readonly keep: number;
  }): Promise<void> {
    this.#enter();
    const ended = [...this.#tokens.values()]
      .map((token) => ({ id: token.id, endedAt: endOf(token) }))
      .filter(({ endedAt }) => endedAt <= ask.now)
      .sort((one, other) => compareKeys([other.endedAt, other.id], [one.endedAt, one.id]));
    for (const [place, { id, endedAt }] of ended.entries())
      if (endedAt < ask.before || place >= ask.keep) this.#tokens.delete(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  #enter(): Instant {
    if (this.#isClosed) throw new MergeQueueError('CLOSED', 'The store is closed.');
    return this.clock.now();
  }

  #put(token: Token): void {
    this.#tokens.set(token.id, frozen(token));
  }

  #ofDigest(digest: string): Token | null {
    for (const token of this.#tokens.values()) if (token.digest === digest) return token;
    return null;
  }

  #madeBy(familyId: TokenId): Token[] {
    return [...this.#tokens.values()].filter(({ makers }) =>
      makers.some((maker) => maker.familyId === familyId),
    );
  }
}

const endOf = ({ revoked, expiresAt }: Token): Instant =>
  Math.min(revoked?.at ?? Number.POSITIVE_INFINITY, expiresAt ?? Number.POSITIVE_INFINITY);
