import { checkStoreConformance } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryCheckStore } from '../src/index.js';

checkStoreConformance({ describe, test, expect }, async () => ({ store: memoryCheckStore() }));
