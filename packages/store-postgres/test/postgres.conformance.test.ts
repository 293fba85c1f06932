import { storeConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { freshStore, postgres } from './worlds.js';

const database = postgres();
afterAll(() => database.pool.end());

storeConformance({ describe, test, expect }, () => freshStore(database));
