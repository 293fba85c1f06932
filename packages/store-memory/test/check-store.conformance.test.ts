import {
  checkStoreConformance,
  hostCommandStoreConformance,
  presenceStoreConformance,
  summaryStoreConformance,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  memoryCheckStore,
  memoryHostCommandStore,
  memoryPresenceStore,
  memorySummaryStore,
} from '../src/index.js';

checkStoreConformance({ describe, test, expect }, async () => ({ store: memoryCheckStore() }));
hostCommandStoreConformance({ describe, test, expect }, async () => ({ store: memoryHostCommandStore() }));
summaryStoreConformance({ describe, test, expect }, async () => ({ store: memorySummaryStore() }));
presenceStoreConformance({ describe, test, expect }, async () => ({ store: memoryPresenceStore() }));
