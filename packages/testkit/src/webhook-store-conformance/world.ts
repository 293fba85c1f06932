import type { ClaimedWebhook, Delivery, WebhookStore } from '@mq/core';
import type { TestRunner } from '../store-conformance/world.js';
import { aWebhook } from '../webhook-builders.js';

/** An empty store of its own for one test. */
export interface WebhookStoreUnderTest {
  readonly store: WebhookStore;
  /** Another store on the same data, as another process opens it. Leave it out if no other process can have the data. */
  another?(): Promise<WebhookStore>;
  /** Advances the store's time. */
  passTime(ms: number): Promise<void>;
}

export interface World extends WebhookStoreUnderTest {
  /** The same store where no other process can have the data. */
  another(): Promise<WebhookStore>;
  readonly expect: TestRunner['expect'];
}

export type Promises = Readonly<Record<string, (world: World) => Promise<void>>>;

export const LEASE_MS = 60_000;

/** Adds the n-th webhook and leases it as `one`. */
export const claimed = async ({ store }: World, n = 1): Promise<ClaimedWebhook> => {
  const outcome = await store.addWebhook(aWebhook(n), { cursor: 'start', limit: 100 });
  if (outcome !== 'added') throw new Error(`the webhook was not added: ${outcome}`);
  const found = await store.claim({ owner: 'one', leaseMs: LEASE_MS, limit: 100 });
  const own = found.find(({ webhook }) => webhook.id === aWebhook(n).id);
  if (own === undefined) throw new Error('the webhook was not leased');
  return own;
};

/** Records deliveries for the first webhook, and fails the test if the lease is not held. */
export const record = async (
  { store }: World,
  { webhook, turn }: ClaimedWebhook,
  deliveries: readonly Delivery[],
  cursor = 'next',
): Promise<void> => {
  const added = deliveries.map((delivery) => ({ delivery, sealedBody: `body of ${delivery.id}` }));
  const isHeld = await store.record({ webhookId: webhook.id, owner: 'one', turn, cursor, deliveries: added });
  if (!isHeld) throw new Error('the lease is not held');
};

export const changed = (delivery: Delivery, part: Partial<Delivery>): Delivery => ({
  ...delivery,
  ...part,
  version: delivery.version + 1,
});
