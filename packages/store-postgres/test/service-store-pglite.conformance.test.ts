import { serviceStoreConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { embedded, sharedServiceSchema } from './worlds.js';

const database = await embedded();
afterAll(() => database.end());

serviceStoreConformance({ describe, test, expect }, sharedServiceSchema(database));
