import { bootstrapHolder, type Holder, type TokenKeeper } from '@mq/core';
import { type Authenticate, type Principal, principalOf, tokenAuthenticator } from './auth.js';
import { HttpProblem } from './errors.js';
import type { Ask } from './operation.js';

/** Authenticates the tokens of a keeper, and the bootstrap token, which works even if the keeper's store is down. */
export const keeperAuthenticator = (
  keeper: Pick<TokenKeeper, 'find'>,
  bootstrapToken: string,
): Authenticate => {
  const bootstrap: Principal = { ...principalOf(bootstrapHolder), isBootstrap: true };
  const isBootstrap = tokenAuthenticator([{ ...bootstrap, token: bootstrapToken }]);
  return async (token) => {
    if ((await isBootstrap(token)) !== null) return bootstrap;
    const holder = await keeper.find(token);
    return holder === null ? null : principalOf(holder);
  };
};

/** The keeper of tokens and the caller as its holder. Throws 404 if the service or the caller has none. */
export const keeping = ({
  tokens,
  principal,
}: Pick<Ask<unknown>, 'tokens' | 'principal'>): { readonly keeper: TokenKeeper; readonly holder: Holder } => {
  if (tokens === null || principal.holder === undefined)
    throw new HttpProblem('TOKENS_NOT_KEPT', 'This service has no stored tokens; ask its operator for one.');
  return { keeper: tokens, holder: principal.holder };
};
