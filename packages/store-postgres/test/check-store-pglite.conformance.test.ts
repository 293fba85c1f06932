import { checkStoreConformance, summaryStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { embedded, sharedCheckSchema, sharedSummarySchema } from './worlds.js';

const database = await embedded();
afterAll(() => database.end());

checkStoreConformance({ describe, test, expect }, sharedCheckSchema(database));
summaryStoreConformance({ describe, test, expect }, sharedSummarySchema(database));
