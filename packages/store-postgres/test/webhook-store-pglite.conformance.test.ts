import { webhookStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { embedded, sharedWebhookSchema } from './worlds.js';

const database = await embedded();
afterAll(() => database.end());

webhookStoreConformance({ describe, test, expect }, sharedWebhookSchema(database));
