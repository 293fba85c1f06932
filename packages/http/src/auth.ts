import { hash } from 'node:crypto';
import {
  defaultPriority,
  type Holder,
  isSameRepo,
  type MergeQueue,
  REPORT_TOKEN_PREFIX,
  type RepoRef,
  type ReportGrant,
  type Scope,
  type TokenId,
  type TokenKeeper,
} from '@mq/core';
import { HttpProblem, unauthorized } from './errors.js';

/** The user of a token and its rights. */
export interface Principal {
  /** Stable for the token; it keeps the idempotency keys of different tokens apart. */
  readonly id: string;
  /** What people are shown as the one who asked. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The only repositories that it may name; left out, any. */
  readonly repositories?: readonly RepoRef[];
  /** The only checks that it may list and report, by name; left out, any. It needs the scope `checks` as well. */
  readonly checks?: readonly string[];
  /** The name under which it reports checks, which stays the same when its token is rotated; left out, `name`. */
  readonly reporter?: string;
  /** The person behind it, as set when the token was made; left out, none is known. */
  readonly person?: string;
  /** What a report token is good for: nothing but `reportCheck` of this. Left out for every other token. */
  readonly reporting?: ReportGrant;
  /** True for the token of the configuration, which no operation can revoke. */
  readonly isBootstrap?: boolean;
  /** True for a request without a token: it reads queues with `publicRead`, and nothing else. */
  readonly isAnonymous?: true;
  /** The same as the keeper of tokens knows it; left out, it makes, lists and revokes none. */
  readonly holder?: Holder;
}

/** The user of a token that a `TokenKeeper` keeps. */
export const principalOf = (holder: Holder): Principal => ({
  id: holder.id,
  name: holder.name,
  scopes: new Set(holder.scopes),
  reporter: holder.reporter,
  ...(holder.repositories === null ? {} : { repositories: holder.repositories }),
  ...(holder.checks === null ? {} : { checks: holder.checks }),
  ...(holder.person === null ? {} : { person: holder.person }),
  holder,
});

/** The token that report tokens of this caller end with; null for one that no operation can revoke. */
export const issuerOf = ({ id, holder, isBootstrap }: Principal): string | null =>
  holder === undefined || isBootstrap === true ? null : id;

/** The source of what this caller reports. */
export const reporterOf = ({ reporter, name }: Pick<Principal, 'reporter' | 'name'>): string =>
  reporter ?? name;

/**
 * Returns the user of a token; null for every token that is not valid now, for any cause. It is called before the body
 * of a request is read, with a text of 1 to `TOKEN_CHARS_LIMIT` characters, and takes as long for a bad token as for a good.
 */
export type Authenticate = (token: string) => Principal | null | Promise<Principal | null>;

export const TOKEN_CHARS_LIMIT = 512;

/**
 * The same authenticator, which also takes report tokens: they report one check of one test run, and may do nothing else. One
 * that was given to a token of the keeper ends when that is revoked.
 */
export const withReportTokens =
  (
    mq: Pick<MergeQueue, 'readReportToken'>,
    tokens: Pick<TokenKeeper, 'isRevoked'> | null,
    authenticate: Authenticate,
  ): Authenticate =>
  (token) => {
    const reporting = token.startsWith(REPORT_TOKEN_PREFIX) ? mq.readReportToken(token) : null;
    if (reporting === null) return authenticate(token);
    const { testRunId, reporter, issuer } = reporting;
    const scopes = new Set<Scope>(['checks']);
    const principal: Principal = { id: `report/${testRunId}`, name: reporter, scopes, reporting };
    if (issuer === null || tokens === null) return principal;
    return tokens.isRevoked(issuer as TokenId).then((isRevoked) => (isRevoked ? null : principal));
  };

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

interface TokenHeaders {
  readonly 'x-api-token'?: string | readonly string[] | undefined;
  readonly authorization?: string | undefined;
}

/**
 * The token of a request: `x-api-token`, or `Authorization: Bearer`, which mean the same. An empty `x-api-token` and another
 * scheme count as absent. Null where there is none, where one is repeated or too long, and where the two differ.
 */
export const tokenIn = (headers: TokenHeaders): string | null => {
  const header = headers['x-api-token'];
  const bearer = bearerOf(headers.authorization);
  const token = header === undefined || header === '' ? bearer : header;
  if (typeof token !== 'string' || token.length > TOKEN_CHARS_LIMIT) return null;
  return bearer === null || bearer === token ? token : null;
};

/** The same; throws 401 in place of null. */
export const tokenOf = (headers: TokenHeaders): string => {
  const token = tokenIn(headers);
  if (token === null) throw unauthorized();
  return token;
};

const bearerShape = /^bearer +(\S+) *$/i;

const bearerOf = (authorization: string | undefined): string | null =>
  bearerShape.exec(authorization?.slice(0, BEARER_CHARS_LIMIT) ?? '')?.[1] ?? null;

const BEARER_CHARS_LIMIT = TOKEN_CHARS_LIMIT + 32;

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

/** Throws 403 unless it may list and report this check. The answer does not tell whether the check exists. */
export const requireCheck = (principal: Principal, check: string): void => {
  if (principal.checks !== undefined && !principal.checks.includes(check))
    throw new HttpProblem(
      'CHECK_NOT_ALLOWED',
      'This token may not report that check; nothing was done. Ask for a token that names the check.',
    );
};

/** Throws 403 for a submit that would overtake others by a right that the token lacks. */
export const requireSubmitRights = (
  principal: Principal,
  asked: {
    readonly forceEnqueued?: boolean | undefined;
    readonly skipTheLine?: boolean | undefined;
    readonly priority?: number | null | undefined;
  },
): void => {
  if (asked.forceEnqueued === true) requireScope(principal, 'force', 'forceEnqueued');
  if (asked.skipTheLine === true) requireScope(principal, 'skip', 'skipTheLine');
  if ((asked.priority ?? defaultPriority.value) < defaultPriority.value)
    requireScope(principal, 'skip', 'a priority above the default');
};

/** Whether it may be used for this repository, by any name of it. */
export const mayUseRepository = (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  { repositories }: Pick<Principal, 'repositories'>,
  repo: RepoRef,
): boolean => {
  if (repositories === undefined) return true;
  const meant = mq.canonicalRepo(repo);
  return repositories.some((one) => isSameRepo(mq.canonicalRepo(one), meant));
};

/** The condition of a query that a limited token is answered; empty for one that is not limited. */
export const ownRepositories = (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  { repositories }: Principal,
): { readonly repositories?: readonly RepoRef[] } =>
  repositories === undefined ? {} : { repositories: repositories.map((repo) => mq.canonicalRepo(repo)) };

/** Any name of a repository will do. The answer does not tell whether the repository exists. */
export const requireRepository = (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  principal: Principal,
  repo: RepoRef | undefined,
): void => {
  if (principal.repositories === undefined) return;
  if (repo === undefined)
    throw new HttpProblem(
      'REPOSITORY_NOT_ALLOWED',
      'This token is limited to named repositories: name one of them.',
    );
  if (!mayUseRepository(mq, principal, repo))
    throw new HttpProblem('REPOSITORY_NOT_ALLOWED', 'This token may not be used for that repository.');
};
