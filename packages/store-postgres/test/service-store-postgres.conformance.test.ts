import { serviceStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { postgres, sharedServiceSchema } from './worlds.js';

const database = postgres();
afterAll(() => database.pool.end());

serviceStoreConformance({ describe, test, expect }, sharedServiceSchema(database));
