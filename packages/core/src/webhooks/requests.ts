import { z } from 'zod';
import type { DeliveryId, Instant, WebhookId } from '../model/ids.js';
import type { RepoRef } from '../model/repo.js';
import { type DeliveryState, deliveryStates, type WebhookFormat, webhookFormats } from '../model/webhook.js';
import { fields } from '../validation/request-schemas.js';

export const WEBHOOK_URL_CHARS_LIMIT = 2_000;
export const WEBHOOK_DESCRIPTION_CHARS_LIMIT = 255;
const [TYPES_LIMIT, TYPE_CHARS_LIMIT] = [50, 100];
export const SECRET_OVERLAP_LIMIT_SECONDS = 30 * 86_400;
/** How long the old secret also signs by default: a day. */
export const SECRET_OVERLAP_DEFAULT_SECONDS = 86_400;
/** Deliveries that one request may name. */
export const REPLAYED_IDS_LIMIT = 100;

interface Repeatable {
  /** As in `RequestOrigin`; a repeated request gets the webhook again, and never its secret. */
  readonly idempotency?: { readonly id: string; readonly digest: string };
}

interface WebhookSettings {
  readonly description?: string;
  readonly format?: WebhookFormat;
  /** The event types that it gets; null for all. */
  readonly types?: readonly string[] | null;
  readonly repo?: RepoRef | null;
  /** Needs a repository. */
  readonly targetBranch?: string | null;
}

export interface CreateWebhookRequest extends Repeatable, WebhookSettings {
  readonly url: string;
}

/** Omitted fields stay as they are. */
export interface UpdateWebhookRequest extends Repeatable, WebhookSettings {
  readonly webhookId: WebhookId;
  readonly url?: string;
  /** False ends deliveries. True: deliver only events from now on. */
  readonly enabled?: boolean;
  /** True creates a new secret; the old one also signs for the overlap. */
  readonly rotateSecret?: boolean;
  readonly overlapSeconds?: number;
}

export interface ListDeliveriesRequest {
  readonly webhookId: WebhookId;
  readonly states?: readonly DeliveryState[];
  readonly take?: number;
  readonly cursor?: string;
}

/** Deliveries by id, or all of a range. Pending deliveries are left unchanged. */
export interface ReplayDeliveriesRequest {
  readonly webhookId: WebhookId;
  readonly deliveryIds?: readonly DeliveryId[];
  /** Inclusive bounds of when the event was recorded. */
  readonly since?: Instant;
  readonly until?: Instant;
  readonly states?: readonly DeliveryState[];
  readonly cursor?: string;
}

const repeatable = { idempotency: z.object({ id: fields.name, digest: fields.name }).optional() };
const url = z.string().min(1).max(WEBHOOK_URL_CHARS_LIMIT);
const settings = {
  description: z.string().max(WEBHOOK_DESCRIPTION_CHARS_LIMIT).optional(),
  format: z.enum(webhookFormats).optional(),
  types: z.array(z.string().max(TYPE_CHARS_LIMIT)).min(1).max(TYPES_LIMIT).nullable().optional(),
  repo: fields.repo.nullable().optional(),
  targetBranch: fields.name.nullable().optional(),
};
const webhookId = fields.name;
const states = z.array(z.enum(deliveryStates)).min(1).max(deliveryStates.length).optional();

export const createWebhookRequest = z.strictObject({ ...repeatable, url, ...settings });

export const updateWebhookRequest = z
  .strictObject({
    ...repeatable,
    webhookId,
    url: url.optional(),
    ...settings,
    enabled: z.boolean().optional(),
    rotateSecret: z.boolean().optional(),
    overlapSeconds: z.int().min(0).max(SECRET_OVERLAP_LIMIT_SECONDS).optional(),
  })
  .refine(({ rotateSecret, overlapSeconds }) => overlapSeconds === undefined || rotateSecret === true, {
    path: ['overlapSeconds'],
    message: 'needs rotateSecret: true',
  });

export const listWebhooksRequest = z.strictObject(fields.paging);
export const oneWebhookRequest = z.strictObject({ ...repeatable, webhookId });
export const listDeliveriesRequest = z.strictObject({ webhookId, states, ...fields.paging });
export const replayDeliveriesRequest = z
  .strictObject({
    webhookId,
    deliveryIds: z.array(fields.name).min(1).max(REPLAYED_IDS_LIMIT).optional(),
    since: fields.instant.optional(),
    until: fields.instant.optional(),
    states,
    cursor: fields.paging.cursor,
  })
  .refine(({ deliveryIds, since }) => deliveryIds !== undefined || since !== undefined, {
    path: ['since'],
    message: 'is required if no deliveryIds are named',
  });
