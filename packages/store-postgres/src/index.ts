export { defaultRetention, type Retention } from '@mq/core';
export type { Database, List, Row, Signals, Value } from './database.js';
export { type MigrateOptions, migrate } from './migrate.js';
export {
  type PgClient,
  type PgDatabaseOptions,
  type PgPool,
  type PgQuery,
  type PgTypeParser,
  pgDatabase,
} from './pg-database.js';
export { openPGlite, type PGliteInstance, type PGliteOptions, pgliteDatabase } from './pglite-database.js';
export { type PostgresCheckStoreOptions, postgresCheckStore } from './postgres-check-store.js';
export {
  type PostgresHostCommandStoreOptions,
  postgresHostCommandStore,
} from './postgres-host-command-store.js';
export { type PostgresPresenceStoreOptions, postgresPresenceStore } from './postgres-presence-store.js';
export { type PostgresServiceStoreOptions, postgresServiceStore } from './postgres-service-store.js';
export { type PostgresStore, type PostgresStoreOptions, postgresStore } from './postgres-store.js';
export { type PostgresSummaryStoreOptions, postgresSummaryStore } from './postgres-summary-store.js';
export { type PostgresWebhookStoreOptions, postgresWebhookStore } from './postgres-webhook-store.js';
export { StoreProblem, type StoreProblemCode } from './store-problem.js';
