import { z } from 'zod';
import type { Instant, TokenId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import { type Scope, scopes } from '../model/rights.js';
import { fields } from '../validation/request-schemas.js';

export const TOKEN_REPOSITORIES_LIMIT = 100;
export const TOKEN_CHECKS_LIMIT = 100;
export const TOKEN_OVERLAP_LIMIT_SECONDS = 30 * 86_400;
/** How long a replaced token stays valid by default: a day. */
export const TOKEN_OVERLAP_DEFAULT_SECONDS = 86_400;

interface Repeatable {
  /** As in `RequestOrigin`; a repeated request gets the token's description again, and never the token. */
  readonly idempotency?: { readonly id: string; readonly digest: string };
}

export interface CreateTokenRequest extends Repeatable {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Default: those of the token of the request. Null: all, which only a token for all may give. */
  readonly repositories?: readonly RepoRef[] | null;
  readonly checks?: readonly string[] | null;
  /** Default: a year, and no later than the token of the request. Null: never. */
  readonly expiresAt?: Instant | null;
  /** Default: the person of the token of the request. Another one takes the scope `admin`. */
  readonly person?: string | null;
  /** Default: the name for a token with `admin`, else that of the token of the request. Another one takes the scope `admin`. */
  readonly reporter?: string;
}

/** A token that takes the place of another: the same name and rights, another secret. */
export interface RotateTokenRequest extends Repeatable {
  readonly tokenId: TokenId;
  /** How long the replaced one stays valid, at most. */
  readonly overlapSeconds?: number;
  /** Default: the lifetime of the replaced token, from now, but no later than the end of the token of the request. */
  readonly expiresAt?: Instant | null;
}

const repeatable = { idempotency: z.object({ id: fields.name, digest: fields.name }).optional() };
const expiresAt = fields.instant.nullable().optional();

export const createTokenRequest = z.strictObject({
  ...repeatable,
  name: fields.name,
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
  repositories: z.array(fields.repo).min(1).max(TOKEN_REPOSITORIES_LIMIT).nullable().optional(),
  checks: z.array(fields.name).min(1).max(TOKEN_CHECKS_LIMIT).nullable().optional(),
  expiresAt,
  person: fields.name.nullable().optional(),
  reporter: fields.name.optional(),
});

export const rotateTokenRequest = z.strictObject({
  ...repeatable,
  tokenId: fields.name,
  overlapSeconds: z.int().min(0).max(TOKEN_OVERLAP_LIMIT_SECONDS).optional(),
  expiresAt,
});

export interface ListTokensRequest {
  readonly take?: number;
  readonly cursor?: string;
}

export const listTokensRequest = z.strictObject(fields.paging);

export interface RevokeTokenRequest {
  readonly tokenId: TokenId;
  /** True keeps the tokens that were created with it; by default they are revoked too. */
  readonly keepMade?: boolean;
}

export const revokeTokenRequest = z.strictObject({
  tokenId: fields.name,
  keepMade: z.boolean().optional(),
});
