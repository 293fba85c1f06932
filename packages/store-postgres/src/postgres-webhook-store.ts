import type { ClaimedWebhook, KnownWebhook, Page, WebhookStore } from '@mq/core';
import { openTables, type SharedTablesOptions } from './shared-tables.js';
import {
  addDelivery,
  countPending,
  dueDeliveries,
  pruneDeliveries,
  readDeliveries,
  recordDeliveries,
  replayDeliveries,
  settleDelivery,
} from './webhook-deliveries.js';
import {
  addWebhook,
  claimWebhooks,
  readWebhook,
  readWebhooks,
  releaseWebhooks,
  removeWebhook,
  replaceWebhook,
} from './webhooks.js';

export type PostgresWebhookStoreOptions = SharedTablesOptions;

/**
 * Opens the store of webhooks, in the schema of the queues' store. Closing it leaves the database open, so close it
 * before the queues' store.
 */
export const postgresWebhookStore = async (options: PostgresWebhookStoreOptions): Promise<WebhookStore> => {
  const { names, run, close, now } = await openTables(options);
  return {
    now,
    addWebhook: (webhook, ask) => addWebhook(run, names, webhook, ask),
    webhook: (id): Promise<KnownWebhook | null> => readWebhook(run, names, id),
    webhooks: (query): Promise<Page<KnownWebhook>> => readWebhooks(run, names, query),
    replaceWebhook: (webhook, { cursor } = {}) => replaceWebhook(run, names, webhook, cursor ?? null),
    removeWebhook: (id) => removeWebhook(run, names, id),
    claim: (ask): Promise<readonly ClaimedWebhook[]> => claimWebhooks(run, names, ask),
    release: (owner) => releaseWebhooks(run, names, owner),
    record: (ask) => recordDeliveries(run, names, ask),
    addDelivery: (delivery) => addDelivery(run, names, delivery),
    countPending: (id) => countPending(run, names, id),
    due: (ask) => dueDeliveries(run, names, ask),
    settle: (delivery, result) => settleDelivery(run, names, delivery, result),
    deliveries: (query) => readDeliveries(run, names, query),
    replay: (ask) => replayDeliveries(run, names, ask),
    prune: (ask) => pruneDeliveries(run, names, ask),
    close,
  };
};
