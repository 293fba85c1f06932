import { checkStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { embedded, sharedCheckSchema } from './worlds.js';

const database = await embedded();
afterAll(() => database.end());

checkStoreConformance({ describe, test, expect }, sharedCheckSchema(database));
