import {
  deliveryStates,
  REPLAYED_IDS_LIMIT,
  SECRET_OVERLAP_DEFAULT_SECONDS,
  SECRET_OVERLAP_LIMIT_SECONDS,
  WEBHOOK_DESCRIPTION_CHARS_LIMIT,
  WEBHOOK_URL_CHARS_LIMIT,
  webhookFormats,
  webhookStops,
} from '@mq/core';
import { z } from 'zod';
import { webhookEventTypes } from '../present/webhook-events.js';
import { atMost, cursor, instant, line, repo, take, targetBranch, timestamp } from './common.js';
import { warnings } from './warnings.js';

const ID_CHARS_LIMIT = 100;
const webhookId = line(ID_CHARS_LIMIT).describe('The id of a webhook, as listWebhooks answers it.');
const deliveryId = line(ID_CHARS_LIMIT);
const list = <Item extends z.ZodType>(item: Item, maximum: number) =>
  atMost(maximum, z.array(item).min(1, 'must not be empty').max(maximum));

export const eventType = z.enum(webhookEventTypes);
export const format = z.enum(webhookFormats);
export const deliveryState = z.enum(deliveryStates);
export const stopReason = z.enum(webhookStops);

const url = line(WEBHOOK_URL_CHARS_LIMIT).describe(
  'Where events are posted: https, unless the configuration allows more, and no address in a private network.',
);
const settings = {
  description: z
    .string()
    .max(WEBHOOK_DESCRIPTION_CHARS_LIMIT)
    .exactOptional()
    .describe('What it is for, for people.'),
  format: format
    .exactOptional()
    .describe('`standard`: the events as JSON, signed. `slack`: one line of text with a link.'),
  types: list(eventType, webhookEventTypes.length)
    .nullable()
    .exactOptional()
    .describe('The event types that it gets. Default and null: all.'),
  repo: repo
    .nullable()
    .exactOptional()
    .describe('Only events of this repository. Default and null: all that the token may name.'),
  targetBranch: targetBranch
    .nullable()
    .exactOptional()
    .describe('Only events of this queue. Needs repo. Default and null: all.'),
};

const URL_RULE =
  '`url` is https on port 443 without user and password, and no address in a private network; the configuration can allow more.';
const BRANCH_RULE = '`targetBranch` needs `repo`, in the request or set before.';

export const createWebhookRequest = z
  .object({ url, ...settings })
  .meta({ 'x-mq-rules': [URL_RULE, BRANCH_RULE] });

export const updateWebhookRequest = z
  .object({
    webhookId,
    url: url.exactOptional(),
    ...settings,
    enabled: z
      .boolean()
      .exactOptional()
      .describe('False ends deliveries; true begins again, with what happens from then on.'),
    rotateSecret: z
      .boolean()
      .exactOptional()
      .describe('True makes a new secret. Deliveries are signed with both for the overlap.'),
    overlapSeconds: z
      .int()
      .min(0)
      .max(SECRET_OVERLAP_LIMIT_SECONDS)
      .exactOptional()
      .describe(
        `How long the old secret also signs; default ${SECRET_OVERLAP_DEFAULT_SECONDS}, a day. Needs rotateSecret.`,
      ),
  })
  .meta({
    'x-mq-rules': [URL_RULE, BRANCH_RULE, '`overlapSeconds` needs `rotateSecret: true`.'],
  });

export const listWebhooksRequest = z.object({ take, cursor });
export const oneWebhookRequest = z.object({ webhookId });

export const listDeliveriesRequest = z.object({
  webhookId,
  states: list(deliveryState, deliveryStates.length).exactOptional().describe('Left out, all.'),
  take,
  cursor,
});

export const replayDeliveriesRequest = z
  .object({
    webhookId,
    deliveryIds: list(deliveryId, REPLAYED_IDS_LIMIT)
      .exactOptional()
      .describe('These deliveries. Default: all of the range.'),
    since: instant
      .exactOptional()
      .describe('Only what was recorded then or later. Required without deliveryIds.'),
    until: instant.exactOptional().describe('Only what was recorded then or before.'),
    states: list(deliveryState, deliveryStates.length)
      .exactOptional()
      .describe('Only deliveries in one of these states, e.g. `failed`. Pending ones are left as they are.'),
    cursor: cursor.describe('The nextCursor of the previous answer. Default: from the oldest one.'),
  })
  .refine(({ deliveryIds, since }) => deliveryIds !== undefined || since !== undefined, {
    path: ['since'],
    message: 'is required if no deliveryIds are named',
  })
  .meta({ anyOf: [{ required: ['deliveryIds'] }, { required: ['since'] }] });

export const disabledWebhook = z.object({
  at: timestamp,
  reason: stopReason.describe(
    '`owner`: by updateWebhook; `failing`: five days without a success; `gone`: it answered 410; `token_ended`: its token was revoked or expired; `secret_unreadable`: the key of the service was changed.',
  ),
});

const described = {
  webhookId: z.string(),
  url: z.string(),
  description: z.string(),
  format,
  types: z.array(eventType).nullable(),
  repo: repo.nullable().describe('Null for all.'),
  targetBranch: z.string().nullable(),
  madeByTokenId: z.string().describe('The token whose rights limit what it gets.'),
  createdAt: timestamp,
  disabled: disabledWebhook.nullable().describe('Null while events are delivered.'),
  oldSecretsUntil: timestamp.nullable().describe('How long older secrets sign too; null if none does.'),
  lastSuccessAt: timestamp.nullable().describe('When a delivery last succeeded; null if none has.'),
  failingSince: timestamp
    .nullable()
    .describe('When the first delivery failed since the last success; null if none has.'),
  lastFailure: z.string().nullable().describe('Why the last failed try failed; null if none has.'),
};

export const webhook = z.object(described);

export const createdWebhook = z.object({
  ...described,
  warnings,
  secret: z
    .string()
    .nullable()
    .describe(
      'The signing secret, `whsec_…`. Shown this once; null if an Idempotency-Key was repeated, or none was made.',
    ),
});

export const webhookPage = z.object({
  webhooks: z.array(webhook),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});

export const deliveryTry = z.object({
  at: timestamp,
  tookMs: z.int(),
  status: z.int().nullable().describe('The status of the answer; null if there was none.'),
  error: z.string().nullable().describe('Why it failed; null if it succeeded.'),
  answer: z
    .string()
    .nullable()
    .describe(
      'The beginning of the answer, at most 1 kB; null if none is kept: for events with report tokens, and where private addresses are allowed.',
    ),
});

export const delivery = z.object({
  deliveryId: z.string().describe('The header webhook-id, the same for every try and replay.'),
  webhookId: z.string(),
  type: z.string(),
  queueId: z.string().nullable().describe('The queue of the event; null for a test delivery.'),
  sequence: z.int().nullable().describe('The row of its history; null for a test delivery.'),
  createdAt: timestamp.describe('When the event was recorded.'),
  state: deliveryState.describe('`failed`: given up after the last try.'),
  nextTryAt: timestamp.nullable().describe('Null unless it is pending.'),
  endedAt: timestamp.nullable(),
  tries: z.array(deliveryTry).describe('The last tries, oldest first.'),
});

export const deliveryPage = z.object({
  deliveries: z.array(delivery),
  nextCursor: z.string().optional().describe('Where the next page begins; absent at the end.'),
});

export const testedWebhook = z.object({
  deliveryId: z.string().describe('The delivery, to be found with listDeliveries.'),
});

export const replayedDeliveries = z.object({
  replayedCount: z.int(),
  nextCursor: z.string().optional().describe('Ask again with it where there are more; absent at the end.'),
});
