import type { HistoryItem, Queue } from '@mq/core';
import { type EventType, eventsOf, type QueueEvent } from './events.js';

/** The types of events sent to webhooks. Streams carry a few more. */
export const webhookEventTypes = [
  'pull_request.submitted',
  'pull_request.queued',
  'pull_request.testing',
  'pull_request.merged',
  'pull_request.failed',
  'pull_request.canceled',
  'pull_request_batch.testing',
  'pull_request_batch.merged',
  'pull_request_batch.failed',
  'pull_request_batch.pending_failure',
  'queue.changed',
  'alarm',
] as const satisfies readonly EventType[];

const isForWebhooks: ReadonlySet<EventType> = new Set(webhookEventTypes);

/** The events of one history row that are sent to webhooks, in order. */
export const webhookEventsOf = (row: HistoryItem, queue: Queue): readonly QueueEvent[] =>
  eventsOf(row, queue).filter(({ type }) => isForWebhooks.has(type));
