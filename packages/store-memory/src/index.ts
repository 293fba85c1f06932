export { defaultRetention, type Retention } from '@mq/core';
export type { StoreDump } from './dump.js';
export { memoryCheckStore } from './memory-check-store.js';
export { type MemoryHostCommandStoreOptions, memoryHostCommandStore } from './memory-host-command-store.js';
export { type MemoryPresenceStoreOptions, memoryPresenceStore } from './memory-presence-store.js';
export { type MemoryServiceStoreOptions, memoryServiceStore } from './memory-service-store.js';
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory-store.js';
export { memorySummaryStore } from './memory-summary-store.js';
export { type MemoryWebhookStoreOptions, memoryWebhookStore } from './memory-webhook-store.js';
