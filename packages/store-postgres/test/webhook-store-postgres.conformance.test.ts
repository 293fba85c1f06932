import { webhookStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { postgres, sharedWebhookSchema } from './worlds.js';

const database = postgres();
afterAll(() => database.pool.end());

webhookStoreConformance({ describe, test, expect }, sharedWebhookSchema(database));
