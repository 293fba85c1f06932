import { bootstrapHolder, type Delivery, type Webhook } from '@mq/core';
import { BUILT_AT, deliveryIdOf, queueIdOf, webhookIdOf } from './ids.js';

/** The n-th webhook. The bootstrap token made it. */
export const aWebhook = (n: number, override: Partial<Webhook> = {}): Webhook => ({
  id: webhookIdOf(n),
  tokenId: bootstrapHolder.id,
  makers: [{ tokenId: bootstrapHolder.id, familyId: bootstrapHolder.familyId }],
  url: `https://receiver-${n}.example/hook`,
  description: '',
  format: 'standard',
  types: null,
  repo: null,
  branch: null,
  secrets: [{ sealed: 'sealed', until: null }],
  createdAt: BUILT_AT + n,
  disabled: null,
  requests: [],
  version: 1,
  ...override,
});

/** The n-th delivery of the first webhook: pending and due. */
export const aDelivery = (n: number, override: Partial<Delivery> = {}): Delivery => ({
  id: deliveryIdOf(n),
  webhookId: webhookIdOf(1),
  type: 'pull_request.merged',
  queueId: queueIdOf(1),
  sequence: n,
  keys: [`${queueIdOf(1)}/${n}`],
  hasSecrets: false,
  createdAt: BUILT_AT + n,
  state: 'pending',
  tries: 0,
  nextAt: BUILT_AT,
  endedAt: null,
  log: [],
  version: 1,
  ...override,
});
