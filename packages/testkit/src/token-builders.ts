import { bootstrapHolder, type Token } from '@mq/core';
import { aRepo } from './builders.js';
import { BUILT_AT, tokenIdOf } from './ids.js';

/** The n-th token. The bootstrap token made it. */
export const aToken = (n: number, override: Partial<Token> = {}): Token => ({
  id: tokenIdOf(n),
  familyId: tokenIdOf(n),
  digest: n.toString(16).padStart(64, '0'),
  prefix: 'mqt_abcd',
  requestDigest: null,
  name: `client ${n}`,
  person: null,
  reporter: `client ${n}`,
  scopes: ['read', 'submit'],
  repositories: [aRepo],
  checks: null,
  makers: [{ tokenId: bootstrapHolder.id, familyId: bootstrapHolder.familyId }],
  createdAt: BUILT_AT + n,
  expiresAt: null,
  lastUsedAt: null,
  revoked: null,
  replacedBy: null,
  ...override,
});
