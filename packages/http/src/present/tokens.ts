import { type Holder, type KnownToken, type MadeToken, shownRepo } from '@mq/core';
import type { z } from 'zod';
import { type Principal, reporterOf } from '../auth.js';
import type { createdToken, token, whoamiAnswer } from '../schemas/tokens.js';
import { isoTime, isoTimeOrNull } from './time.js';

const presentRights = ({
  name,
  person,
  reporter,
  scopes,
  repositories,
  checks,
  expiresAt,
}: Omit<Holder, 'id' | 'familyId' | 'makers'>) => ({
  ...{ name, person, reporter },
  scopes: [...scopes],
  repositories: repositories?.map(shownRepo) ?? null,
  checks: checks === null ? null : [...checks],
  expiresAt: isoTimeOrNull(expiresAt),
});

export const presentToken = ({ token: stored, state }: KnownToken): z.output<typeof token> => ({
  tokenId: stored.id,
  prefix: stored.prefix,
  state,
  ...presentRights(stored),
  madeByTokenId: stored.makers.at(-1)?.tokenId ?? '',
  createdAt: isoTime(stored.createdAt),
  lastUsedAt: isoTimeOrNull(stored.lastUsedAt),
  revoked:
    stored.revoked === null
      ? null
      : { at: isoTime(stored.revoked.at), byTokenId: stored.revoked.by.id, byName: stored.revoked.by.name },
  replacedByTokenId: stored.replacedBy,
});

export const presentMade = (made: MadeToken): z.output<typeof createdToken> => ({
  ...presentToken(made),
  token: made.text,
});

export const presentPrincipal = (principal: Principal): z.output<typeof whoamiAnswer> => ({
  tokenId: principal.id,
  isBootstrap: principal.isBootstrap === true,
  ...presentRights({
    name: principal.name,
    person: principal.person ?? null,
    reporter: reporterOf(principal),
    scopes: [...principal.scopes],
    repositories: principal.repositories?.map(shownRepo) ?? null,
    checks: principal.checks ?? null,
    expiresAt: principal.holder?.expiresAt ?? null,
  }),
});
