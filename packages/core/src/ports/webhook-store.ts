import type { DeliveryId, Instant, TokenId, WebhookId } from '../model/ids.js';
import type { Delivery, DeliveryState, Webhook, WebhookProgress } from '../model/webhook.js';
import type { Page } from './store.js';

/**
 * Stores webhooks and their deliveries for all replicas. Every method is atomic, safe for concurrent use, and durable
 * once it resolves. An exception means that the outcome is unknown. It never decides what is delivered, or when.
 */
export interface WebhookStore {
  /** The time of the store, the same for all processes. */
  now(): Promise<Instant>;
  /**
   * Adds a webhook whose events begin at the cursor. Answers `exists` if there is one with this id, and `full` if the
   * family of its token's direct maker has `limit` webhooks.
   */
  addWebhook(
    webhook: Webhook,
    ask: { readonly cursor: string; readonly limit: number },
  ): Promise<'added' | 'exists' | 'full'>;
  /** Reads a webhook with its progress; null if there is none. */
  webhook(id: WebhookId): Promise<KnownWebhook | null>;
  /** Lists the webhooks that a family of tokens may manage, by (createdAt, id), newest first. */
  webhooks(query: WebhookQuery): Promise<Page<KnownWebhook>>;
  /**
   * Replaces a webhook if the stored version is lower by exactly 1; with a cursor, its events continue there, and earlier
   * failures are cleared. Otherwise changes nothing and answers false.
   */
  replaceWebhook(webhook: Webhook, ask?: { readonly cursor?: string }): Promise<boolean>;
  /** Removes a webhook and its deliveries. False if there is none. */
  removeWebhook(id: WebhookId): Promise<boolean>;
  /**
   * Leases enabled webhooks that no other owner holds, and renews those that this owner holds; own ones first, at most
   * `limit`. A lease ends after `leaseMs` of the store's time.
   */
  claim(ask: ClaimWebhooks): Promise<readonly ClaimedWebhook[]>;
  /** Ends all leases of an owner. Idempotent. */
  release(owner: string): Promise<void>;
  /**
   * Adds deliveries in this order and moves the cursor, in one write. Those that exist already are not changed. Changes
   * nothing and answers false unless the lease of this turn is held.
   */
  record(ask: RecordDeliveries): Promise<boolean>;
  /** Adds one delivery at the end. False if it exists, or the webhook does not. */
  addDelivery(delivery: NewDelivery): Promise<boolean>;
  /** Counts pending deliveries of a webhook. */
  countPending(id: WebhookId): Promise<number>;
  /**
   * Lists pending deliveries whose next try is due, in order, at most `limit`. Leaves out those behind a pending one
   * that shares a key and has had fewer than `ORDERED_TRIES` tries.
   */
  due(ask: {
    readonly webhookId: WebhookId;
    readonly at: Instant;
    readonly limit: number;
  }): Promise<readonly DueDelivery[]>;
  /**
   * Replaces a delivery if the stored version is lower by exactly 1, and records the try at the webhook. Answers since
   * when the webhook has been failing, null for a success; `stale` and no change if the delivery was changed or removed.
   */
  settle(delivery: Delivery, result: TryResult): Promise<{ readonly failingSince: Instant | null } | 'stale'>;
  /** Lists deliveries of a webhook, newest first. */
  deliveries(query: DeliveryQuery): Promise<Page<Delivery>>;
  /**
   * Makes deliveries that are not pending due at `at`, as if never tried, oldest first. Answers how many, and the cursor
   * of the next call if there are more than `limit`.
   */
  replay(ask: ReplayDeliveries): Promise<{ readonly count: number; readonly next: string | null }>;
  /** Removes deliveries that ended before an instant, and ended ones beyond the newest `keep` deliveries. */
  prune(ask: {
    readonly webhookId: WebhookId;
    readonly endedBefore: Instant;
    readonly keep: number;
  }): Promise<void>;
  /** Closes the store. Idempotent. Every later call of another method rejects with the `code` CLOSED. */
  close(): Promise<void>;
}

export interface KnownWebhook {
  readonly webhook: Webhook;
  readonly progress: WebhookProgress;
}

export interface WebhookQuery {
  readonly madeBy: TokenId;
  readonly limit: number;
  readonly cursor?: string;
}

export interface ClaimWebhooks {
  /** Unique per process and start. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
}

export interface ClaimedWebhook extends KnownWebhook {
  /** Changes whenever the lease passes to another owner. */
  readonly turn: string;
}

export interface NewDelivery {
  readonly delivery: Delivery;
  /** The body, encrypted. */
  readonly sealedBody: string;
}

export type DueDelivery = NewDelivery;

export interface RecordDeliveries {
  readonly webhookId: WebhookId;
  readonly owner: string;
  readonly turn: string;
  readonly cursor: string;
  readonly deliveries: readonly NewDelivery[];
}

export interface TryResult {
  readonly at: Instant;
  /** Null for a success. */
  readonly failure: string | null;
}

export interface DeliveryQuery {
  readonly webhookId: WebhookId;
  readonly states?: readonly DeliveryState[];
  readonly limit: number;
  readonly cursor?: string;
}

export interface ReplayDeliveries {
  readonly webhookId: WebhookId;
  readonly at: Instant;
  /** Only these. Default: all in the range. */
  readonly ids?: readonly DeliveryId[];
  /** Inclusive bounds of `createdAt`. */
  readonly since?: Instant;
  readonly until?: Instant;
  readonly states?: readonly DeliveryState[];
  readonly limit: number;
  readonly cursor?: string;
}
