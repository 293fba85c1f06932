import { type Delivery, type KnownWebhook, type MadeWebhook, shownRepo } from '@mq/core';
import type { z } from 'zod';
import type { createdWebhook, delivery, webhook } from '../schemas/webhooks.js';
import { isoTime, isoTimeOrNull } from './time.js';

type Shown = z.output<typeof webhook>;

export const presentWebhook = ({ webhook: row, progress }: KnownWebhook): Shown => {
  const ends = row.secrets.flatMap(({ until }) => (until === null ? [] : [until]));
  return {
    webhookId: row.id,
    url: row.url,
    description: row.description,
    format: row.format,
    types: row.types as Shown['types'],
    repo: row.repo && shownRepo(row.repo),
    targetBranch: row.branch,
    madeByTokenId: row.tokenId,
    createdAt: isoTime(row.createdAt),
    disabled: row.disabled === null ? null : { at: isoTime(row.disabled.at), reason: row.disabled.reason },
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

export const presentDelivery = (row: Delivery): z.output<typeof delivery> => ({
  deliveryId: row.id,
  webhookId: row.webhookId,
  type: row.type,
  queueId: row.queueId,
  sequence: row.sequence,
  createdAt: isoTime(row.createdAt),
  state: row.state,
  nextTryAt: isoTimeOrNull(row.nextAt),
  endedAt: isoTimeOrNull(row.endedAt),
  tries: row.log.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })),
});
