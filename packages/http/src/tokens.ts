import { bootstrapHolder, type Holder, type TokenKeeper } from '@mq/core';
import { type Authenticate, type Principal, principalOf, tokenAuthenticator } from './auth.js';
import { HttpProblem } from './errors.js';
import type { Ask } from './operation.js';

/** Tokens of a keeper, and the bootstrap token of the configuration, which works without its store. */
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

/** The keeper of tokens, and who asks it. Throws 404 where this service keeps none, or the token is of elsewhere. */
export const keeping = ({
  tokens,
  principal,
}: Pick<Ask<unknown>, 'tokens' | 'principal'>): { readonly keeper: TokenKeeper; readonly holder: Holder } => {
  if (tokens === null || principal.holder === undefined)
    throw new HttpProblem(
      'TOKENS_NOT_KEPT',
      'Tokens are not kept by this service; ask its operator where they are made.',
    );
  return { keeper: tokens, holder: principal.holder };
};
