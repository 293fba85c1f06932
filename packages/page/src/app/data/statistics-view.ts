import type { AnswerOf, Client } from '@mq/client';
import type { QueueRef } from './queue-view.js';

export type Statistics = AnswerOf<'getQueueStatistics'>;
export type Span = Statistics['total'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back the history looks, and how it is divided. */
export const ranges = {
  day: { words: '24 hours', ms: DAY_MS, bucket: 'hour' },
  week: { words: '7 days', ms: 7 * DAY_MS, bucket: 'day' },
  month: { words: '30 days', ms: 30 * DAY_MS, bucket: 'day' },
  quarter: { words: '12 weeks', ms: 84 * DAY_MS, bucket: 'week' },
} as const;
export type Range = keyof typeof ranges;

export const loadStatistics = (
  client: Client,
  ref: QueueRef,
  range: Range,
  signal: AbortSignal,
): Promise<Statistics> => {
  const { ms, bucket } = ranges[range];
  const since = new Date(Date.now() - ms).toISOString();
  return client.getQueueStatistics({ ...ref, since, bucket }, { signal });
};
