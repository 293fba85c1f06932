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
  /** Constant for the token. Idempotency keys are scoped by it. */
  readonly id: string;
  /** Shown to people as the caller. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The repositories that it may name; any by default. */
  readonly repositories?: readonly RepoRef[];
  /** The names of the checks that it may list and report, with the scope `checks`; any by default. */
  readonly checks?: readonly string[];
  /** The name under which it reports checks, unchanged when its token is rotated; `name` by default. */
  readonly reporter?: string;
  /** The person who uses the token, as set when it was created; unknown by default. */
  readonly person?: string;
  /** What a report token may report. It may call `reportCheck` only. Left out for every other token. */
  readonly reporting?: ReportGrant;
  /** The build of a code host that the caller named in place of a token. It may only upload targets, as those of a fork. */
  readonly forkBuild?: string;
  /** True for the bootstrap token of the configuration, which cannot be revoked. */
  readonly isBootstrap?: boolean;
  /** True for a request without a token, which may only read queues with `publicRead`. */
  readonly isAnonymous?: true;
  /** The holder at the keeper of tokens. If omitted, the caller cannot create, list or revoke tokens. */
  readonly holder?: Holder;
}

/** The principal of a token that a `TokenKeeper` keeps. */
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

/** The id of the token whose revocation also ends this caller's report tokens; null if it cannot be revoked. */
export const issuerOf = ({ id, holder, isBootstrap }: Principal): string | null =>
  holder === undefined || isBootstrap === true ? null : id;

/** The `source` of the checks that this caller reports. */
export const reporterOf = ({ reporter, name }: Pick<Principal, 'reporter' | 'name'>): string =>
  reporter ?? name;

/**
 * Returns the principal of a token, or null if the token is not valid now, for whatever reason. It is called before the
 * body is read, with 1 to `TOKEN_CHARS_LIMIT` characters. It must take as long for an invalid token as for a valid one.
 */
export type Authenticate = (token: string) => Principal | null | Promise<Principal | null>;

export const TOKEN_CHARS_LIMIT = 512;

/**
 * Extends an authenticator by report tokens, each of which may only report one check of one test run. A report token ends
 * when the token that it was issued to is revoked.
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
    const id = `report/${testRunId}/${digestOf(token).slice(0, 16)}`;
    const principal: Principal = { id, name: reporter, scopes, reporting };
    if (issuer === null || tokens === null) return principal;
    return tokens.isRevoked(issuer as TokenId).then((isRevoked) => (isRevoked ? null : principal));
  };

export interface KnownToken extends Principal {
  readonly token: string;
}

/**
 * An authenticator over a fixed list. It keeps digests only. Its time leaks nothing: the lookup is by digest, which clients
 * cannot choose.
 */
export const tokenAuthenticator = (tokens: readonly KnownToken[]): Authenticate => {
  const principals = new Map(
    tokens.map(({ token, ...principal }) => {
      if (token === '' || token.length > TOKEN_CHARS_LIMIT)
        throw new RangeError(`a token has 1 to ${TOKEN_CHARS_LIMIT} characters`);
      return [digestOf(token), principal];
    }),
  );
  return (token) => principals.get(digestOf(token)) ?? null;
};

const digestOf = (token: string): string => hash('sha256', token);

interface TokenHeaders {
  readonly 'x-api-token'?: string | readonly string[] | undefined;
  readonly authorization?: string | undefined;
}

/**
 * The token of a request, from `x-api-token` or `Authorization: Bearer`. An empty `x-api-token` and another scheme count as
 * absent. Null if there is no token, if a header is repeated or too long, or if the two differ.
 */
export const tokenIn = (headers: TokenHeaders): string | null => {
  const header = headers['x-api-token'];
  const bearer = bearerOf(headers.authorization);
  const token = header === undefined || header === '' ? bearer : header;
  if (typeof token !== 'string' || token.length > TOKEN_CHARS_LIMIT) return null;
  return bearer === null || bearer === token ? token : null;
};

/** True also for an invalid token, which must be refused rather than ignored. */
export const bringsToken = (headers: TokenHeaders): boolean =>
  (headers['x-api-token'] ?? '') !== '' || (headers.authorization ?? '') !== '';

/** Like `tokenIn`, but throws 401 instead of returning null. */
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

/** Throws 403 for a report token, which may only call `reportCheck`. */
export const refuseReportToken = ({ reporting }: Principal): void => {
  if (reporting !== undefined)
    throw new HttpProblem(
      'CHECK_NOT_ALLOWED',
      'A report token may only report its check, by reportCheck; nothing was done. Use the token that listed the check.',
    );
};

/** Throws 403 unless the caller may list and report this check. The error does not reveal whether the check exists. */
export const requireCheck = (principal: Principal, check: string): void => {
  if (principal.checks !== undefined && !principal.checks.includes(check))
    throw new HttpProblem(
      'CHECK_NOT_ALLOWED',
      'This token may not report that check; nothing was done. Ask for a token that names the check.',
    );
};

/** Throws 403 if the submission would overtake others and the token lacks the scope for it. */
export const requireSubmitRights = (
  principal: Principal,
  request: {
    readonly forceEnqueued?: boolean | undefined;
    readonly skipTheLine?: boolean | undefined;
    readonly priority?: number | null | undefined;
  },
): void => {
  if (request.forceEnqueued === true) requireScope(principal, 'force', 'forceEnqueued');
  if (request.skipTheLine === true) requireScope(principal, 'skip', 'skipTheLine');
  if ((request.priority ?? defaultPriority.value) < defaultPriority.value)
    requireScope(principal, 'skip', 'a priority above the default');
};

/** True if the token may be used for this repository, under any of its names. */
export const mayUseRepository = (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  { repositories }: Pick<Principal, 'repositories'>,
  repo: RepoRef,
): boolean => {
  if (repositories === undefined) return true;
  const meant = mq.canonicalRepo(repo);
  return repositories.some((one) => isSameRepo(mq.canonicalRepo(one), meant));
};

/** The filter of a query for a token limited to repositories; empty for other tokens. */
export const ownRepositories = (
  mq: Pick<MergeQueue, 'canonicalRepo'>,
  { repositories }: Principal,
): { readonly repositories?: readonly RepoRef[] } =>
  repositories === undefined ? {} : { repositories: repositories.map((repo) => mq.canonicalRepo(repo)) };

/** Throws 403 unless the token may be used for this repository. The error does not reveal whether it exists. */
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
