import { hash } from 'node:crypto';
import type { MergeQueue, RepoRef } from '@mq/core';
import { isSameRepo } from '@mq/core';
import { HttpProblem, unauthorized } from './errors.js';

export const scopes = [
  'read',
  'submit',
  'cancel',
  'targets',
  'queue:write',
  'queue:delete',
  'force',
  'metrics',
  'tokens',
] as const;
export type Scope = (typeof scopes)[number];

/** The user of a token and its rights. */
export interface Principal {
  /** Stable for the token; it keeps the idempotency keys of different tokens apart. */
  readonly id: string;
  /** What people are shown as the one who asked. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The only repositories that it may name; left out, any. */
  readonly repositories?: readonly RepoRef[];
}

/**
 * Returns the user of a token; null for every token that is not valid now, for any cause. It is called before the body
 * of a request is read, with a text of 1 to `TOKEN_CHARS_LIMIT` characters, and takes as long for a bad token as for a good.
 */
export type Authenticate = (token: string) => Principal | null | Promise<Principal | null>;

export const TOKEN_CHARS_LIMIT = 512;

export interface KnownToken extends Principal {
  readonly token: string;
}

/**
 * An authenticator over a fixed list. It keeps digests only. What time it takes tells nothing of a token: what is looked up is its digest, which
 * clients cannot choose.
 */
export const tokenAuthenticator = (tokens: readonly KnownToken[]): Authenticate => {
  const known = new Map(
    tokens.map(({ token, ...principal }) => {
      if (token === '' || token.length > TOKEN_CHARS_LIMIT)
        throw new RangeError(`a token has 1 to ${TOKEN_CHARS_LIMIT} characters`);
      return [digestOf(token), principal];
    }),
  );
  return (token) => known.get(digestOf(token)) ?? null;
};

const digestOf = (token: string): string => hash('sha256', token);

/** The token of a header. Throws 401 for one that is missing, empty, repeated or too long. */
export const tokenOf = (header: string | readonly string[] | undefined): string => {
  if (typeof header !== 'string' || header === '' || header.length > TOKEN_CHARS_LIMIT) throw unauthorized();
  return header;
};

/** Throws 401 without a principal. */
export const authenticated = (principal: Principal | null): Principal => {
  if (principal === null) throw unauthorized();
  return principal;
};

export const requireScope = (principal: Principal, scope: Scope, purpose: string): void => {
  if (!principal.scopes.has(scope)) throw scopeMissing(scope, purpose);
};

export const scopeMissing = (scope: Scope, purpose: string): HttpProblem =>
  new HttpProblem('SCOPE_MISSING', `${purpose} needs a token with the scope ${scope}; nothing was done.`);

/** Any name of a repository will do. The answer does not tell whether the repository exists. */
export const requireRepository = (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  principal: Principal,
  repo: RepoRef | undefined,
): void => {
  const allowed = principal.repositories;
  if (allowed === undefined) return;
  if (repo === undefined)
    throw new HttpProblem(
      'REPOSITORY_NOT_ALLOWED',
      'This token is limited to named repositories: name one of them.',
    );
  const meant = mq.canonicalRepo(repo);
  if (!allowed.some((one) => isSameRepo(mq.canonicalRepo(one), meant)))
    throw new HttpProblem('REPOSITORY_NOT_ALLOWED', 'This token may not be used for that repository.');
};
