import { storeConformance } from '@mq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { embedded, freshStore } from './worlds.js';

const database = await embedded();
afterAll(() => database.pglite.close());

storeConformance({ describe, test, expect }, () => freshStore(database));
