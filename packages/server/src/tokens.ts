import { randomBytes } from 'node:crypto';
import { type Authenticate, scopes, tokenAuthenticator } from '@mq/http';

const TOKEN_BYTES = 24;

export const makeToken = (): string => `mqt_${randomBytes(TOKEN_BYTES).toString('base64url')}`;

/** The one token of this server: it may do everything. */
export const bootstrapAuthenticator = (token: string): Authenticate =>
  tokenAuthenticator([{ id: 'bootstrap', name: 'the bootstrap token', token, scopes: new Set(scopes) }]);
