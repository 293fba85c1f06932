import { checkStoreConformance, presenceStoreConformance, summaryStoreConformance } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryCheckStore, memoryPresenceStore, memorySummaryStore } from '../src/index.js';

checkStoreConformance({ describe, test, expect }, async () => ({ store: memoryCheckStore() }));
summaryStoreConformance({ describe, test, expect }, async () => ({ store: memorySummaryStore() }));
presenceStoreConformance({ describe, test, expect }, async () => ({ store: memoryPresenceStore() }));
