import type { TokenId } from '@mq/core';
import { repeatable } from './idempotency.js';
import { requireKnownHosts } from './known-hosts.js';
import { type Operation, operation } from './operation.js';
import { presentMade, presentPrincipal, presentToken } from './present/tokens.js';
import { PAGE_TAKE_DEFAULT } from './schemas/common.js';
import * as tokens from './schemas/tokens.js';
import { keeping } from './tokens.js';

export const tokenOperations: readonly Operation[] = [
  operation({
    name: 'whoami',
    scope: null,
    writes: false,
    tag: 'Tokens',
    summary: 'Get what the token of this request may do, and until when.',
    namesNoRepository: true,
    body: tokens.whoamiRequest,
    answer: tokens.whoamiAnswer,
    run: async ({ principal }) => presentPrincipal(principal),
  }),
  operation({
    name: 'createToken',
    scope: 'tokens',
    writes: true,
    tag: 'Tokens',
    summary: 'Create a token with at most the rights of the token of this request.',
    namesNoRepository: true,
    body: tokens.createTokenRequest,
    answer: tokens.createdToken,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      // A token for a host that is not configured would be valid for nothing.
      await requireKnownHosts(ask.mq, ask.principal, ask.body.repositories ?? []);
      const made = await keeper.create(holder, { ...ask.body, ...repeatable(ask.origin) });
      ask.audit({ tokenId: made.token.id, scopes: made.token.scopes }, 'a token was created');
      return presentMade(made);
    },
  }),
  operation({
    name: 'rotateToken',
    scope: 'tokens',
    writes: true,
    tag: 'Tokens',
    summary: 'Replace a token by a new one; the old one stays valid for an overlap.',
    namesNoRepository: true,
    body: tokens.rotateTokenRequest,
    answer: tokens.createdToken,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const { tokenId, ...rest } = ask.body;
      const request = { ...rest, tokenId: tokenId as TokenId, ...repeatable(ask.origin) };
      const made = await keeper.rotate(holder, request);
      ask.audit({ tokenId: made.token.id, replaces: tokenId }, 'a token was rotated');
      return presentMade(made);
    },
  }),
  operation({
    name: 'listTokens',
    scope: 'tokens',
    writes: false,
    tag: 'Tokens',
    summary: 'List the tokens that the token of this request made, itself or through them, newest first.',
    namesNoRepository: true,
    body: tokens.listTokensRequest,
    answer: tokens.tokenPage,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const page = await keeper.list(holder, { ...ask.body, take: ask.body.take ?? PAGE_TAKE_DEFAULT });
      return {
        tokens: page.items.map(presentToken),
        ...(page.next === null ? {} : { nextCursor: page.next }),
      };
    },
  }),
  operation({
    name: 'revokeToken',
    scope: 'tokens',
    writes: true,
    tag: 'Tokens',
    summary: 'Revoke a token that your token created, together with all tokens that it created.',
    namesNoRepository: true,
    body: tokens.revokeTokenRequest,
    answer: tokens.revokedTokens,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const { tokenId, ...rest } = ask.body;
      const revoked = await keeper.revoke(holder, { tokenId: tokenId as TokenId, ...rest });
      ask.audit({ tokenId, tokenIds: revoked }, 'tokens were revoked');
      return { revokedTokenIds: [...revoked] };
    },
  }),
];
