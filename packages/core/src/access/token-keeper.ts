import { MergeQueueError } from '../errors.js';
import type { Instant, TokenId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import { type Holder, rightsBeyond, type Token, type TokenState, tokenStateAt } from '../model/token.js';
import type { Clock } from '../ports/clock.js';
import { type Logger, silentLogger } from '../ports/logger.js';
import type { ServiceStore } from '../ports/service-store.js';
import { ANSWERS_KEPT_MS, type Page } from '../ports/store.js';
import { systemClock } from '../validation/options.js';
import { DEFAULT_TAKE, takenOf } from '../validation/paging.js';
import { checked } from '../validation/request-schemas.js';
import { idOfKey } from './id-of-key.js';
import {
  type CreateTokenRequest,
  createTokenRequest,
  type ListTokensRequest,
  listTokensRequest,
  type RevokeTokenRequest,
  type RotateTokenRequest,
  revokeTokenRequest,
  rotateTokenRequest,
  TOKEN_OVERLAP_DEFAULT_SECONDS,
} from './requests.js';
import { TokenLookup } from './token-lookup.js';
import { digestOfToken, newTokenText, shownPrefix } from './token-text.js';

const DAY_MS = 86_400_000;
/** How long a token is valid by default. */
export const TOKEN_LIFE_DEFAULT_MS = 365 * DAY_MS;
/** Max valid tokens that one token has created, directly or through others. */
export const TOKENS_PER_MAKER_LIMIT = 1_000;
/** Tokens that make tokens that make tokens. */
const MAKERS_LIMIT = 8;
/** How long an ended token stays on record, and how many do. */
const [ENDED_KEPT_MS, ENDED_KEPT_LIMIT] = [90 * DAY_MS, 10_000];

export interface TokenKeeperOptions {
  readonly store: ServiceStore;
  /** The names under which repositories are kept, as `MergeQueue.canonicalRepo` gives them. */
  readonly canonicalRepo: (repo: RepoRef) => RepoRef;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface KnownToken {
  readonly token: Token;
  readonly state: TokenState;
}

export interface MadeToken extends KnownToken {
  /** The token itself, shown only once; null if the request was repeated. */
  readonly text: string | null;
}

/**
 * The tokens of a service. A holder creates tokens within its own rights, and sees and revokes the tokens that its
 * family has created, directly or through others. Throws MergeQueueError where a request is refused. Safe for
 * concurrent use, on many replicas.
 */
export interface TokenKeeper {
  /** The holder of a token; null for every token that is not valid now. Rejects with TOKENS_UNREADABLE without a store. */
  find(text: string): Promise<Holder | null>;
  /** True for a token that was revoked, or is not on record any more. Rejects as `find` does. */
  isRevoked(id: TokenId): Promise<boolean>;
  /**
   * Refused with RIGHTS_EXCEEDED for rights that the holder lacks, and with TOKENS_FULL at `TOKENS_PER_MAKER_LIMIT`.
   */
  create(holder: Holder, request: CreateTokenRequest): Promise<MadeToken>;
  /**
   * Makes a token with the name and the rights of another, which stays valid for the overlap at most. Refused with
   * TOKEN_NOT_ACTIVE where that one was revoked or replaced before.
   */
  rotate(holder: Holder, request: RotateTokenRequest): Promise<MadeToken>;
  /** Newest first, those that were revoked or expired included while they are on record. */
  list(holder: Holder, request: ListTokensRequest): Promise<Page<KnownToken>>;
  /**
   * Revokes a token, and the tokens created with it unless the request keeps them. Returns the ids that were valid
   * before. Idempotent.
   */
  revoke(holder: Holder, request: RevokeTokenRequest): Promise<readonly TokenId[]>;
}

export const tokenKeeper = (options: TokenKeeperOptions): TokenKeeper => new StoredTokens(options);

class StoredTokens implements TokenKeeper {
  readonly #store: ServiceStore;
  readonly #canonicalRepo: TokenKeeperOptions['canonicalRepo'];
  readonly #logger: Logger;
  readonly #lookup: TokenLookup;

  constructor({ store, canonicalRepo, clock = systemClock, logger = silentLogger }: TokenKeeperOptions) {
    [this.#store, this.#canonicalRepo, this.#logger] = [store, canonicalRepo, logger];
    this.#lookup = new TokenLookup({ store, clock, logger });
  }

  find(text: string): Promise<Holder | null> {
    return this.#lookup.find(text);
  }

  isRevoked(id: TokenId): Promise<boolean> {
    return this.#lookup.isRevoked(id);
  }

  async create(holder: Holder, request: CreateTokenRequest): Promise<MadeToken> {
    const valid = checked(createTokenRequest, request);
    const now = await this.#store.now();
    return this.#add({ holder, now, request: valid, replaced: null }, this.#wantedBy(holder, valid, now));
  }

  async rotate(holder: Holder, request: RotateTokenRequest): Promise<MadeToken> {
    const valid = checked(rotateTokenRequest, request);
    const { overlapSeconds = TOKEN_OVERLAP_DEFAULT_SECONDS, expiresAt } = valid;
    const now = await this.#store.now();
    const old = await this.#visible(holder, valid.tokenId);
    const life = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
    const { name, person, reporter, scopes, repositories, checks } = old;
    return this.#add(
      { holder, now, request: valid, replaced: { old, expiresAt: now + overlapSeconds * 1_000 } },
      {
        ...{ name, person, reporter, scopes, repositories, checks },
        expiresAt: expiresAt === undefined ? earlier(life, holder.expiresAt) : expiresAt,
      },
    );
  }

  async list(holder: Holder, request: ListTokensRequest): Promise<Page<KnownToken>> {
    const { take, cursor } = checked(listTokensRequest, request);
    const limit = takenOf(take, DEFAULT_TAKE);
    const now = await this.#store.now();
    const page = await this.#store.tokens({
      madeBy: holder.familyId,
      limit,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { ...page, items: page.items.map((token) => ({ token, state: tokenStateAt(token, now) })) };
  }

  async revoke(holder: Holder, request: RevokeTokenRequest): Promise<readonly TokenId[]> {
    const { tokenId, keepMade = false } = checked(revokeTokenRequest, request);
    const token = await this.#visible(holder, tokenId);
    const revoked = await this.#store.revokeToken(token.id, {
      at: await this.#store.now(),
      by: { id: holder.id, name: holder.name },
      withMade: !keepMade,
    });
    this.#lookup.forget();
    this.#logger.debug({ by: holder.id, tokenIds: revoked }, 'tokens were revoked');
    return revoked;
  }

  /**
   * The new token, with defaults for what the request leaves out. Throws if the request asks for what only `admin`
   * may have.
   */
  #wantedBy(holder: Holder, request: CreateTokenRequest, now: Instant): Wanted {
    const { name, scopes, repositories, checks, expiresAt } = request;
    const isAdmin = holder.scopes.includes('admin');
    const person = request.person === undefined ? holder.person : request.person;
    const reporter = request.reporter ?? (isAdmin ? name : holder.reporter);
    const isForAnother = person !== holder.person || reporter !== holder.reporter;
    if (isForAnother && !isAdmin)
      throw new MergeQueueError(
        'RIGHTS_EXCEEDED',
        'Only a token with the scope admin can create tokens for another person or reporter.',
      );
    return {
      ...{ name, person, reporter },
      scopes: [...new Set(scopes)],
      repositories:
        repositories === undefined ? holder.repositories : (repositories?.map(this.#canonicalRepo) ?? null),
      checks: checks === undefined ? holder.checks : checks,
      expiresAt: expiresAt === undefined ? earlier(now + TOKEN_LIFE_DEFAULT_MS, holder.expiresAt) : expiresAt,
    };
  }

  async #add({ holder, now, request, replaced }: Making, wanted: Wanted): Promise<MadeToken> {
    if (holder.makers.length >= MAKERS_LIMIT)
      throw new MergeQueueError(
        'RIGHTS_EXCEEDED',
        `This token is the ${MAKERS_LIMIT}th in a chain of tokens that made each other, and cannot make another.`,
      );
    const beyond = rightsBeyond(wanted, holder);
    if (beyond.length > 0)
      throw new MergeQueueError('RIGHTS_EXCEEDED', `The token would have ${beyond.join('; ')}.`);
    refusePast(wanted, now);
    const text = newTokenText();
    const id = idOfKey<TokenId>('token', request.idempotency);
    const token: Token = {
      ...wanted,
      id,
      familyId: replaced?.old.familyId ?? id,
      digest: digestOfToken(text),
      prefix: shownPrefix(text),
      requestDigest: request.idempotency?.digest ?? null,
      makers: [...holder.makers, { tokenId: holder.id, familyId: holder.familyId }],
      createdAt: now,
      ...{ lastUsedAt: null, revoked: null, replacedBy: null },
    };
    const outcome = await this.#store.addToken(token, {
      replaced: replaced === null ? null : { id: replaced.old.id, expiresAt: replaced.expiresAt },
      limit: TOKENS_PER_MAKER_LIMIT,
    });
    switch (outcome) {
      case 'added':
        this.#lookup.forget();
        this.#logger.info({ by: holder.id, tokenId: id, scopes: token.scopes }, 'a token was made');
        await this.#prune(now);
        return { token, state: 'active', text };
      case 'exists':
        return this.#repeated(token, now);
      case 'gone':
        throw new MergeQueueError('TOKEN_NOT_ACTIVE', 'The token was revoked or replaced before.');
      case 'full':
        throw new MergeQueueError(
          'TOKENS_FULL',
          `There are ${TOKENS_PER_MAKER_LIMIT} valid tokens that were made by this one.`,
        );
    }
  }

  /** The same idempotency key came before. */
  async #repeated({ id, requestDigest }: Token, now: Instant): Promise<MadeToken> {
    const token = await this.#store.token(id);
    if (token === null || token.requestDigest !== requestDigest || token.createdAt < now - ANSWERS_KEPT_MS)
      throw new MergeQueueError(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used for another request.',
      );
    return { token, state: tokenStateAt(token, now), text: null };
  }

  /** Throws the same error for an unknown token and for a token of others. */
  async #visible(holder: Holder, id: TokenId): Promise<Token> {
    const token = await this.#store.token(id);
    const isMade = token?.makers.some(({ familyId }) => familyId === holder.familyId) ?? false;
    if (token === null || !isMade)
      throw new MergeQueueError('TOKEN_NOT_FOUND', 'This token has created no token with that id.');
    return token;
  }

  /** Removes old tokens. If that fails, the next creation of a token removes them. */
  async #prune(now: Instant): Promise<void> {
    await this.#store
      .pruneTokens({ before: now - ENDED_KEPT_MS, now, keep: ENDED_KEPT_LIMIT })
      .catch((error: unknown) => this.#logger.warn({ error }, 'old tokens could not be removed'));
  }
}

type Wanted = Pick<
  Holder,
  'name' | 'person' | 'reporter' | 'scopes' | 'repositories' | 'checks' | 'expiresAt'
>;

interface Making {
  readonly holder: Holder;
  readonly now: Instant;
  readonly request: CreateTokenRequest | RotateTokenRequest;
  readonly replaced: { readonly old: Token; readonly expiresAt: Instant } | null;
}

/** Null is never. */
const earlier = (one: Instant | null, other: Instant | null): Instant | null => {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
};

const refusePast = ({ expiresAt }: Wanted, now: Instant): void => {
  if (expiresAt === null || expiresAt > now) return;
  throw new MergeQueueError('INVALID_REQUEST', 'The token would have expired before it was created.', [
    { path: ['expiresAt'], message: 'must be in the future' },
  ]);
};
