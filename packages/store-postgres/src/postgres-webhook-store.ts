import type { ClaimedWebhook, KnownWebhook, Page, WebhookStore } from '@mq/core';
import { closableRunner } from './closable-runner.js';
import type { Database } from './database.js';
import { checkMigrated, DEFAULT_SCHEMA, migrate } from './migrate.js';
import { namesIn, Values } from './statement.js';
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

export interface PostgresWebhookStoreOptions {
  readonly database: Database;
  /** The schema of the queues' store; defaults to `mq`. */
  readonly schema?: string;
  /** False does not migrate, and rejects if the tables are not those of this version. */
  readonly migrate?: boolean;
}

/**
 * Opens the store of webhooks, in the schema of the queues' store. Closing it leaves the database open, so close it
 * before the queues' store.
 */
export const postgresWebhookStore = async (options: PostgresWebhookStoreOptions): Promise<WebhookStore> => {
  const { database, schema = DEFAULT_SCHEMA } = options;
  const names = namesIn(schema);
  if (options.migrate !== false) await migrate({ database, schema });
  await checkMigrated(database, names);
  const { run, close } = closableRunner(database, names);
  return {
    now: async () => {
      const [row] = await run(`select ${names.now}::text as now`, new Values());
      return Number(row?.now);
    },
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
