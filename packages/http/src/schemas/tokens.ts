import {
  scopes,
  TOKEN_CHECKS_LIMIT,
  TOKEN_OVERLAP_DEFAULT_SECONDS,
  TOKEN_OVERLAP_LIMIT_SECONDS,
  TOKEN_REPOSITORIES_LIMIT,
} from '@mq/core';
import { z } from 'zod';
import { atMost, cursor, instant, line, NAME_CHARS_LIMIT, repo, take, timestamp } from './common.js';
import { warnings } from './warnings.js';

export const scope = z.enum(scopes);

const TOKEN_ID_CHARS_LIMIT = 100;
const name = line(NAME_CHARS_LIMIT);
const tokenId = line(TOKEN_ID_CHARS_LIMIT).describe('The id of a token, as answered by listTokens.');
const nonEmpty = <Item extends z.ZodType>(item: Item, maximum: number) =>
  atMost(maximum, z.array(item).min(1, 'must not be empty').max(maximum));

const EXPIRY_RULE = '`expiresAt` is in the future, and not later than the token of this request expires.';

const expiresAt = instant
  .nullable()
  .exactOptional()
  .describe('When it expires; null for never. Not later than the token of this request.');

export const createTokenRequest = z
  .object({
    name: name.describe('The name shown to people for its requests.'),
    scopes: nonEmpty(scope, scopes.length).describe('The operations that it may call.'),
    repositories: nonEmpty(repo, TOKEN_REPOSITORIES_LIMIT)
      .nullable()
      .exactOptional()
      .describe(
        'The only repositories that it may access; null for all. Default: those of the token of this request.',
      ),
    checks: nonEmpty(name, TOKEN_CHECKS_LIMIT)
      .nullable()
      .exactOptional()
      .describe(
        'The only checks that it may list and report, by name; null for all. Default: those of the token of this request.',
      ),
    expiresAt: expiresAt.describe(
      'When it expires; null for never. Not later than the token of this request. Default: in a year, or with that token if that is sooner.',
    ),
    person: name
      .nullable()
      .exactOptional()
      .describe(
        'The person behind it, shown with each of its requests. A person other than that of the token of this request needs the scope admin.',
      ),
    reporter: name
      .exactOptional()
      .describe(
        'The name under which it reports checks. A name other than that of the token of this request needs the scope admin. Default with that scope: the name of the token.',
      ),
  })
  .meta({ 'x-mq-rules': [EXPIRY_RULE] });

export const rotateTokenRequest = z
  .object({
    tokenId,
    overlapSeconds: z
      .int()
      .min(0)
      .max(TOKEN_OVERLAP_LIMIT_SECONDS)
      .exactOptional()
      .describe(
        `How long the old token stays valid, at most; default ${TOKEN_OVERLAP_DEFAULT_SECONDS}, a day.`,
      ),
    expiresAt: expiresAt.describe(
      'When the new token expires; null for never. Default: the same lifetime as the old one.',
    ),
  })
  .meta({ 'x-mq-rules': [EXPIRY_RULE] });

export const listTokensRequest = z.object({ take, cursor });

export const revokeTokenRequest = z.object({
  tokenId,
  keepMade: z
    .boolean()
    .exactOptional()
    .describe('True keeps the tokens that it made; by default they are revoked with it.'),
});

export const whoamiRequest = z.object({});

const rights = {
  name: z.string(),
  person: z.string().nullable().describe('The person behind it; null if none was named.'),
  reporter: z.string().describe('The name under which it reports checks.'),
  scopes: z.array(scope),
  repositories: z.array(repo).nullable().describe('The only repositories that it may access; null for all.'),
  checks: z
    .array(z.string())
    .nullable()
    .describe('The only checks that it may list and report; null for all.'),
  expiresAt: timestamp.nullable().describe('When it expires; null for never.'),
};

export const whoamiAnswer = z.object({
  tokenId: z.string(),
  isBootstrap: z
    .boolean()
    .describe('True for the token of the configuration, which cannot be revoked by an operation.'),
  ...rights,
});

export const tokenState = z.enum(['active', 'expired', 'revoked']);

export const revocation = z.object({ at: timestamp, byTokenId: z.string(), byName: z.string() });

const described = {
  tokenId: z.string(),
  prefix: z.string().describe('The first characters of the token, to recognise it.'),
  state: tokenState,
  ...rights,
  madeByTokenId: z.string().describe('The id of the token that made it.'),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable().describe('Accurate to a minute; null if it was never used.'),
  revoked: revocation.nullable().describe('When and by which token it was revoked; null if it was not.'),
  replacedByTokenId: z
    .string()
    .nullable()
    .describe('The id of the token that replaced it; null if none did.'),
};

export const token = z.object(described);

export const createdToken = z.object({
  ...described,
  warnings,
  token: z
    .string()
    .nullable()
    .describe(
      'The token itself. It is not stored and shown only once; null if an Idempotency-Key was repeated.',
    ),
});

export const tokenPage = z.object({
  tokens: z.array(token),
  nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
});

export const revokedTokens = z.object({
  revokedTokenIds: z
    .array(z.string())
    .describe('The tokens that this request revoked; empty if all were revoked before.'),
});
