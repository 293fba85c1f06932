import type { DeliveryId, Holder, WebhookId, WebhookKeeper } from '@mq/core';
import { HttpProblem } from './errors.js';
import { repeatable } from './idempotency.js';
import { type Ask, type Operation, operation } from './operation.js';
import { presentDelivery, presentMadeWebhook, presentWebhook } from './present/webhooks.js';
import { PAGE_TAKE_DEFAULT } from './schemas/common.js';
import { nothing } from './schemas/queue.js';
import * as webhooks from './schemas/webhooks.js';

/** The keeper of webhooks and the caller as its holder. Throws 404 if the service or the caller has none. */
const keeping = ({
  webhooks: keeper,
  principal: { holder },
}: Pick<Ask<unknown>, 'webhooks' | 'principal'>): {
  readonly keeper: WebhookKeeper;
  readonly holder: Holder;
} => {
  if (keeper === null || holder === undefined)
    throw new HttpProblem('WEBHOOKS_NOT_KEPT', 'This service has no webhooks.');
  return { keeper, holder };
};

const common = { scope: 'webhooks', tag: 'Webhooks', namesNoRepository: true } as const;

export const webhookOperations: readonly Operation[] = [
  operation({
    name: 'createWebhook',
    ...common,
    writes: true,
    summary: 'Create a webhook: what happens from now on is posted to its address, signed.',
    body: webhooks.createWebhookRequest,
    answer: webhooks.createdWebhook,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      return presentMadeWebhook(await keeper.create(holder, { ...ask.body, ...repeatable(ask.origin) }));
    },
  }),
  operation({
    name: 'listWebhooks',
    ...common,
    writes: false,
    summary: 'List the webhooks that the token of this request made, itself or through others, newest first.',
    body: webhooks.listWebhooksRequest,
    answer: webhooks.webhookPage,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const page = await keeper.list(holder, { ...ask.body, take: ask.body.take ?? PAGE_TAKE_DEFAULT });
      return {
        webhooks: page.items.map(presentWebhook),
        ...(page.next === null ? {} : { nextCursor: page.next }),
      };
    },
  }),
  operation({
    name: 'updateWebhook',
    ...common,
    writes: true,
    summary: 'Change a webhook, end or begin its deliveries, or make a new secret.',
    body: webhooks.updateWebhookRequest,
    answer: webhooks.createdWebhook,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const { webhookId, ...rest } = ask.body;
      const request = { ...rest, webhookId: webhookId as WebhookId, ...repeatable(ask.origin) };
      return presentMadeWebhook(await keeper.update(holder, request));
    },
  }),
  operation({
    name: 'deleteWebhook',
    ...common,
    writes: true,
    summary: 'Delete a webhook with its deliveries. Deleting one that does not exist is not an error.',
    body: webhooks.oneWebhookRequest,
    answer: nothing,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      await keeper.remove(holder, ask.body.webhookId as WebhookId);
      return {};
    },
  }),
  operation({
    name: 'testWebhook',
    ...common,
    writes: true,
    summary: 'Have an event of the type `webhook.test` delivered.',
    body: webhooks.oneWebhookRequest,
    answer: webhooks.testedWebhook,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const webhookId = ask.body.webhookId as WebhookId;
      const { id } = await keeper.test(holder, { webhookId, ...repeatable(ask.origin) });
      return { deliveryId: id };
    },
  }),
  operation({
    name: 'listDeliveries',
    ...common,
    writes: false,
    summary: 'List what was delivered to a webhook, or is to be, newest first.',
    body: webhooks.listDeliveriesRequest,
    answer: webhooks.deliveryPage,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const { webhookId, take = PAGE_TAKE_DEFAULT, ...rest } = ask.body;
      const request = { ...rest, webhookId: webhookId as WebhookId, take };
      const page = await keeper.deliveries(holder, request);
      return {
        deliveries: page.items.map(presentDelivery),
        ...(page.next === null ? {} : { nextCursor: page.next }),
      };
    },
  }),
  operation({
    name: 'replayDeliveries',
    ...common,
    // A repeated request is harmless: a redelivery has the same id, by which receivers deduplicate.
    writes: false,
    mayConflict: true,
    summary: 'Send deliveries again: some by id, or all of a range, at most 1000 per request.',
    body: webhooks.replayDeliveriesRequest,
    answer: webhooks.replayedDeliveries,
    run: async (ask) => {
      const { keeper, holder } = keeping(ask);
      const { webhookId, deliveryIds, ...rest } = ask.body;
      const { count, next } = await keeper.replay(holder, {
        ...rest,
        webhookId: webhookId as WebhookId,
        ...(deliveryIds === undefined
          ? {}
          : { deliveryIds: deliveryIds as readonly string[] as DeliveryId[] }),
      });
      return { replayedCount: count, ...(next === null ? {} : { nextCursor: next }) };
    },
  }),
];
