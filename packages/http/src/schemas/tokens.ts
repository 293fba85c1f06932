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
const tokenId = line(TOKEN_ID_CHARS_LIMIT).describe('The id of a token, as listTokens answers it.');
const nonEmpty = <Item extends z.ZodType>(item: Item, maximum: number) =>
  atMost(maximum, z.array(item).min(1, 'must not be empty').max(maximum));

const expiresAt = instant
  .nullable()
  .exactOptional()
  .describe('When it ends; null for never. No later than the token of this request.');

export const createTokenRequest = z.object({
  name: name.describe('What people are shown as the one who asked.'),
  scopes: nonEmpty(scope, scopes.length).describe('What it may do.'),
  repositories: nonEmpty(repo, TOKEN_REPOSITORIES_LIMIT)
    .nullable()
    .exactOptional()
    .describe(
      'The only repositories that it may name; null for all. Left out, as for the token of this request.',
    ),
  checks: nonEmpty(name, TOKEN_CHECKS_LIMIT)
    .nullable()
    .exactOptional()
    .describe(
      'The only checks that it may list and report, by name; null for all. Left out, as for the token of this request.',
    ),
  expiresAt: expiresAt.describe(
    'When it ends; null for never. No later than the token of this request. Left out, in a year, or with that token if that is sooner.',
  ),
  person: name
    .nullable()
    .exactOptional()
    .describe(
      'The person behind it, shown with everything that is asked with it. Another than that of the token of this request takes the scope admin.',
    ),
  reporter: name
    .exactOptional()
    .describe(
      'The name under which it reports checks. Another than that of the token of this request takes the scope admin, and is the name of the token where it is left out.',
    ),
});

export const rotateTokenRequest = z.object({
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
    'When the new token ends; null for never. Left out, it is given as long as the old one was.',
  ),
});

export const listTokensRequest = z.object({ take, cursor });

export const revokeTokenRequest = z.object({
  tokenId,
  keepMade: z
    .boolean()
    .exactOptional()
    .describe('True spares the tokens that it made; left out, they are revoked with it.'),
});

export const whoamiRequest = z.object({});

const rights = {
  name: z.string(),
  person: z.string().nullable().describe('The person behind it; null where none was named.'),
  reporter: z.string().describe('The name under which it reports checks.'),
  scopes: z.array(scope),
  repositories: z.array(repo).nullable().describe('The only repositories that it may name; null for all.'),
  checks: z
    .array(z.string())
    .nullable()
    .describe('The only checks that it may list and report; null for all.'),
  expiresAt: timestamp.nullable().describe('When it ends; null for never.'),
};

export const whoamiAnswer = z.object({
  tokenId: z.string(),
  isBootstrap: z
    .boolean()
    .describe('Whether it is the token of the configuration, which no operation revokes.'),
  ...rights,
});

export const tokenState = z.enum(['active', 'expired', 'revoked']);

export const revocation = z.object({ at: timestamp, byTokenId: z.string(), byName: z.string() });

const described = {
  tokenId: z.string(),
  prefix: z.string().describe('The first characters of the token, by which it is recognised.'),
  state: tokenState,
  ...rights,
  madeByTokenId: z.string().describe('The token on whose request it was made.'),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable().describe('Up to a minute behind; null if it was never used.'),
  revoked: revocation.nullable().describe('When it was revoked and with which token; null if it was not.'),
  replacedByTokenId: z
    .string()
    .nullable()
    .describe('The token that was made in its place; null if none was.'),
};

export const token = z.object(described);

export const createdToken = z.object({
  ...described,
  warnings,
  token: z
    .string()
    .nullable()
    .describe(
      'The token itself. It is stored nowhere and shown this once; null where an Idempotency-Key was repeated.',
    ),
});

export const tokenPage = z.object({
  tokens: z.array(token),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});

export const revokedTokens = z.object({
  revokedTokenIds: z
    .array(z.string())
    .describe('Those that this request revoked; empty where all were before.'),
});
