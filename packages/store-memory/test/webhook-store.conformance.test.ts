import { virtualClock, webhookStoreConformance } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { memoryWebhookStore } from '../src/index.js';

webhookStoreConformance({ describe, test, expect }, async () => {
  const clock = virtualClock();
  return { store: memoryWebhookStore({ clock }), passTime: (ms) => clock.advance(ms) };
});
