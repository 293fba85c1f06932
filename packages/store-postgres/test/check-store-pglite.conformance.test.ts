import {
  checkStoreConformance,
  hostCommandStoreConformance,
  presenceStoreConformance,
  summaryStoreConformance,
} from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import {
  embedded,
  sharedCheckSchema,
  sharedHostCommandSchema,
  sharedPresenceSchema,
  sharedSummarySchema,
} from './worlds.js';

const database = await embedded();
afterAll(() => database.end());

checkStoreConformance({ describe, test, expect }, sharedCheckSchema(database));
hostCommandStoreConformance({ describe, test, expect }, sharedHostCommandSchema(database));
summaryStoreConformance({ describe, test, expect }, sharedSummarySchema(database));
presenceStoreConformance({ describe, test, expect }, sharedPresenceSchema(database));
