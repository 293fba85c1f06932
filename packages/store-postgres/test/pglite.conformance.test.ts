import { storeConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { embedded, sharedSchema } from './worlds.js';

const database = await embedded();
afterAll(() => database.end());

storeConformance({ describe, test, expect }, sharedSchema(database));
