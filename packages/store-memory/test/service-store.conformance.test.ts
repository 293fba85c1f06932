import { serviceStoreConformance } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryServiceStore } from '../src/index.js';

serviceStoreConformance({ describe, test, expect }, async () => ({ store: memoryServiceStore() }));
