import type { WebhookStore } from '@mq/core';
import { webhookIdOf } from '../ids.js';
import { codeOf, rejection, type TestRunner } from '../store-conformance/world.js';
import { aDelivery, aWebhook } from '../webhook-builders.js';
import { deliveryPromises } from './deliveries.js';
import { webhookPromises } from './webhooks.js';
import type { Promises, WebhookStoreUnderTest } from './world.js';

export type { WebhookStoreUnderTest } from './world.js';

const id = webhookIdOf(1);

const everyCall = (store: WebhookStore): Readonly<Record<string, () => Promise<unknown>>> => ({
  now: () => store.now(),
  addWebhook: () => store.addWebhook(aWebhook(1), { cursor: '', limit: 1 }),
  webhook: () => store.webhook(id),
  webhooks: () => store.webhooks({ madeBy: aWebhook(1).tokenId, limit: 1 }),
  replaceWebhook: () => store.replaceWebhook(aWebhook(1)),
  removeWebhook: () => store.removeWebhook(id),
  claim: () => store.claim({ owner: 'one', leaseMs: 1, limit: 1 }),
  release: () => store.release('one'),
  record: () => store.record({ webhookId: id, owner: 'one', turn: '1', cursor: '', deliveries: [] }),
  addDelivery: () => store.addDelivery({ delivery: aDelivery(1), sealedBody: '' }),
  countPending: () => store.countPending(id),
  due: () => store.due({ webhookId: id, at: 1, limit: 1 }),
  settle: () => store.settle(aDelivery(1), { at: 1, failure: null }),
  deliveries: () => store.deliveries({ webhookId: id, limit: 1 }),
  replay: () => store.replay({ webhookId: id, at: 1, limit: 1 }),
  prune: () => store.prune({ webhookId: id, endedBefore: 1, keep: 1 }),
});

const closing: Promises = {
  'every call after closing rejects with the code CLOSED': async ({ store, expect }) => {
    await store.close();
    await store.close();
    for (const call of Object.values(everyCall(store)))
      expect(codeOf(await rejection(call()))).toBe('CLOSED');
  },
};

/** Tries every promise of the `WebhookStore` port on an implementation, through the port alone. */
export const webhookStoreConformance = (
  { describe, test, expect }: TestRunner,
  makeStore: () => Promise<WebhookStoreUnderTest>,
): void => {
  describe('a store of webhooks', () => {
    for (const [sentence, keep] of Object.entries({ ...webhookPromises, ...deliveryPromises, ...closing }))
      test(sentence, async () => {
        const made = await makeStore();
        const opened = [made.store];
        const another = async () => {
          const store = await (made.another?.() ?? made.store);
          opened.push(store);
          return store;
        };
        try {
          await keep({ ...made, another, expect });
        } finally {
          await Promise.all(opened.map((store) => store.close()));
        }
      });
  });
};
