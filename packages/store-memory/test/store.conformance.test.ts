import { storeConformance, virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../src/index.js';

storeConformance({ describe, test, expect }, async ({ retention }) => {
  const clock = virtualClock();
  let behindMs = 0;
  const store = memoryStore({ clock: { now: () => clock.now() - behindMs }, retention });
  const setBack = async (ms: number): Promise<void> => {
    behindMs += ms;
  };
  return { store, passTime: (ms) => clock.advance(ms), setBack, dump: () => store.dump() };
});
