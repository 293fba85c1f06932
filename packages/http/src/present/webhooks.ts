import { type Delivery, type KnownWebhook, type MadeWebhook, shownRepo } from '@mq/core';
import type { z } from 'zod';
import type { createdWebhook, delivery, webhook } from '../schemas/webhooks.js';
import { isoTime, isoTimeOrNull } from './time.js';

type Shown = z.output<typeof webhook>;

export const presentWebhook = ({ webhook: known, progress }: KnownWebhook): Shown => {
  const ends = known.secrets.flatMap(({ until }) => (until === null ? [] : [until]));
  return {
    webhookId: known.id,
    url: known.url,
    description: known.description,
    format: known.format,
    types: known.types as Shown['types'],
    repo: known.repo && shownRepo(known.repo),
    targetBranch: known.branch,
    madeByTokenId: known.tokenId,
    createdAt: isoTime(known.createdAt),
    disabled:
      known.disabled === null ? null : { at: isoTime(known.disabled.at), reason: known.disabled.reason },
    oldSecretsUntil: ends.length === 0 ? null : isoTime(Math.max(...ends)),
    lastSuccessAt: isoTimeOrNull(progress.lastSuccessAt),
    failingSince: isoTimeOrNull(progress.failingSince),
    lastFailure: progress.lastFailure,
  };
};

export const presentMadeWebhook = (made: MadeWebhook): z.output<typeof createdWebhook> => ({
  ...presentWebhook(made),
  secret: made.secret,
});

export const presentDelivery = (known: Delivery): z.output<typeof delivery> => ({
  deliveryId: known.id,
  webhookId: known.webhookId,
  type: known.type,
  queueId: known.queueId,
  sequence: known.sequence,
  createdAt: isoTime(known.createdAt),
  state: known.state,
  nextTryAt: isoTimeOrNull(known.nextAt),
  endedAt: isoTimeOrNull(known.endedAt),
  tries: known.log.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })),
});
