import { checkStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { postgres, sharedCheckSchema } from './worlds.js';

const database = postgres();
afterAll(() => database.pool.end());

checkStoreConformance({ describe, test, expect }, sharedCheckSchema(database));
