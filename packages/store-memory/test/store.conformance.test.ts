import { storeConformance, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../src/index.js';

storeConformance({ describe, test, expect }, async ({ retention }) => {
  const clock = virtualClock();
  const store = memoryStore({ clock, retention });
  return { store, passTime: (ms) => clock.advance(ms), dump: () => store.dump() };
});
