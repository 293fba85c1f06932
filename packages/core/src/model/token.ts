import type { Instant, TokenId } from './ids.js';
import { isSameRepo, type RepoRef } from './repo.js';
import { type Scope, scopes } from './rights.js';

/** The rights of a token. A null list allows all. */
export interface Rights {
  readonly scopes: readonly Scope[];
  /** By their canonical names. */
  readonly repositories: readonly RepoRef[] | null;
  /** The names of checks that it can list and report. */
  readonly checks: readonly string[] | null;
}

/** A maker of a token: the token that requested it. */
export interface Maker {
  readonly tokenId: TokenId;
  readonly familyId: TokenId;
}

/** A token as used in a request. */
export interface Holder extends Rights {
  readonly id: TokenId;
  /** The first of a chain of replaced tokens; its own id if it replaced none. */
  readonly familyId: TokenId;
  readonly name: string;
  /** The person behind it, as given when it was created; null if unknown. */
  readonly person: string | null;
  /** The reporter name of the checks that it reports. */
  readonly reporter: string;
  /** All makers, outermost first, the direct one last. Empty for the bootstrap token. */
  readonly makers: readonly Maker[];
  /** Null if it never expires. */
  readonly expiresAt: Instant | null;
}

/** A token as stored. The secret itself is not stored. */
export interface Token extends Holder {
  /** SHA-256 of the secret, in hexadecimal digits. */
  readonly digest: string;
  /** The first characters of the secret, so that people can recognise it. */
  readonly prefix: string;
  /** A digest of the request that created it, to detect repetitions; null without an idempotency key. */
  readonly requestDigest: string | null;
  readonly createdAt: Instant;
  /** Null if never used. May be up to a minute old. */
  readonly lastUsedAt: Instant | null;
  readonly revoked: Revocation | null;
  /** The token that replaced it. */
  readonly replacedBy: TokenId | null;
}

export interface Revocation {
  readonly at: Instant;
  /** The token that requested the revocation, and its name. */
  readonly by: { readonly id: TokenId; readonly name: string };
}

export type TokenState = 'active' | 'expired' | 'revoked';

export const tokenStateAt = ({ revoked, expiresAt }: Token, now: Instant): TokenState => {
  if (revoked !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
};

/** The token from the configuration. It has all rights and cannot be revoked. */
export const bootstrapHolder: Holder = {
  id: 'bootstrap' as TokenId,
  familyId: 'bootstrap' as TokenId,
  name: 'the bootstrap token',
  person: null,
  reporter: 'the bootstrap token',
  scopes,
  repositories: null,
  checks: null,
  makers: [],
  expiresAt: null,
};

/**
 * The rights that a new token requests beyond those of its maker, as phrases for the caller; empty if there are none.
 */
export const rightsBeyond = (
  requested: Rights & Pick<Holder, 'expiresAt'>,
  own: Holder,
): readonly string[] => {
  const scopesBeyond = requested.scopes.filter((scope) => !own.scopes.includes(scope));
  return [
    ...(scopesBeyond.length === 0 ? [] : [`the scopes ${scopesBeyond.join(', ')}`]),
    ...beyond(
      'repositories',
      requested.repositories,
      own.repositories,
      isSameRepo,
      ({ owner, name }) => `${owner}/${name}`,
    ),
    ...beyond('checks', requested.checks, own.checks, (one, other) => one === other, String),
    ...(own.expiresAt !== null && (requested.expiresAt === null || requested.expiresAt > own.expiresAt)
      ? ['a later end']
      : []),
  ];
};

const beyond = <Item>(
  kind: string,
  requested: readonly Item[] | null,
  own: readonly Item[] | null,
  isSame: (one: Item, other: Item) => boolean,
  shown: (item: Item) => string,
): readonly string[] => {
  if (own === null) return [];
  if (requested === null) return [`all ${kind}`];
  const items = requested.filter((item) => !own.some((one) => isSame(one, item)));
  return items.length === 0 ? [] : [`the ${kind} ${items.map(shown).join(', ')}`];
};
