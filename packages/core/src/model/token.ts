import type { Instant, TokenId } from './ids.js';
import { isSameRepo, type RepoRef } from './repo.js';
import { type Scope, scopes } from './rights.js';

/** What a token allows. A list that is null stands for all. */
export interface Rights {
  readonly scopes: readonly Scope[];
  /** Under their canonical names. */
  readonly repositories: readonly RepoRef[] | null;
  /** Names of checks that it may list and report. */
  readonly checks: readonly string[] | null;
}

/** One of those that led to a token: a token on whose request the next one was made. */
export interface Maker {
  readonly tokenId: TokenId;
  readonly familyId: TokenId;
}

/** A token as its holder acts by it. */
export interface Holder extends Rights {
  readonly id: TokenId;
  /** The first of the tokens that replaced each other; its own id where it replaced none. */
  readonly familyId: TokenId;
  readonly name: string;
  /** The person behind it, as set when it was made; null where none is known. */
  readonly person: string | null;
  /** The source of the checks that it reports. */
  readonly reporter: string;
  /** Outermost first, its own maker last; empty for the bootstrap token. */
  readonly makers: readonly Maker[];
  /** Null: never. */
  readonly expiresAt: Instant | null;
}

/** A token as it is stored. The token itself is stored nowhere. */
export interface Token extends Holder {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly digest: string;
  /** The first characters of the token, by which people recognise it. */
  readonly prefix: string;
  /** Of the request that made it, for one that is repeated; null where it had no idempotency key. */
  readonly requestDigest: string | null;
  readonly createdAt: Instant;
  /** Null: never used. Up to a minute behind. */
  readonly lastUsedAt: Instant | null;
  readonly revoked: Revocation | null;
  /** The token that took its place. */
  readonly replacedBy: TokenId | null;
}

export interface Revocation {
  readonly at: Instant;
  /** The token on whose request, and its name. */
  readonly by: { readonly id: TokenId; readonly name: string };
}

export type TokenState = 'active' | 'expired' | 'revoked';

export const tokenStateAt = ({ revoked, expiresAt }: Token, now: Instant): TokenState => {
  if (revoked !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
};

/** The token of the configuration: it may do everything, and no operation revokes it. */
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

/** What a new token asks for beyond its maker's own, in words for the caller; empty where it lies within. */
export const rightsBeyond = (asked: Rights & Pick<Holder, 'expiresAt'>, own: Holder): readonly string[] => {
  const scopesBeyond = asked.scopes.filter((scope) => !own.scopes.includes(scope));
  return [
    ...(scopesBeyond.length === 0 ? [] : [`the scopes ${scopesBeyond.join(', ')}`]),
    ...beyond(
      'repositories',
      asked.repositories,
      own.repositories,
      isSameRepo,
      ({ owner, name }) => `${owner}/${name}`,
    ),
    ...beyond('checks', asked.checks, own.checks, (one, other) => one === other, String),
    ...(own.expiresAt !== null && (asked.expiresAt === null || asked.expiresAt > own.expiresAt)
      ? ['a later end']
      : []),
  ];
};

const beyond = <Item>(
  kind: string,
  asked: readonly Item[] | null,
  own: readonly Item[] | null,
  isSame: (one: Item, other: Item) => boolean,
  shown: (item: Item) => string,
): readonly string[] => {
  if (own === null) return [];
  if (asked === null) return [`all ${kind}`];
  const items = asked.filter((item) => !own.some((one) => isSame(one, item)));
  return items.length === 0 ? [] : [`the ${kind} ${items.map(shown).join(', ')}`];
};
