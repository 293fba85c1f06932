import {
  bootstrapHolder,
  type Holder,
  type Instant,
  type ServiceStore,
  type Token,
  type TokenId,
  tokenStateAt,
} from '@mq/core';

export type Rights = Pick<Holder, 'scopes' | 'repositories' | 'checks' | 'reporter'>;

/** Tokens that replaced each other, at most. */
const HEIRS_LIMIT = 1_000;

/**
 * The rights of the token that made a webhook, or of the one that replaced it; null once it was revoked, or ended without
 * being replaced.
 */
export const rightsOf = async (
  store: Pick<ServiceStore, 'token'>,
  id: TokenId,
  now: Instant,
): Promise<Rights | null> => {
  if (id === bootstrapHolder.id) return bootstrapHolder;
  let token = await store.token(id);
  for (let heirs = 0; heirs < HEIRS_LIMIT; heirs += 1) {
    if (token === null || tokenStateAt(token, now) === 'revoked') return null;
    if (tokenStateAt(token, now) === 'active' || token.replacedBy === null) break;
    const heir: Token | null = await store.token(token.replacedBy);
    token = heir;
  }
  return token !== null && tokenStateAt(token, now) === 'active' ? token : null;
};
