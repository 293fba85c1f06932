import { storeConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { postgres, sharedSchema } from './worlds.js';

const database = postgres();
afterAll(() => database.pool.end());

storeConformance({ describe, test, expect }, sharedSchema(database));
