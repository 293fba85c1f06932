import {
  STATISTICS_BUCKETS_LIMIT,
  STATISTICS_CHECKS_LIMIT,
  STATISTICS_DAYS_LIMIT,
  statisticsBuckets,
} from '@mq/core';
import { z } from 'zod';
import { anyCase, instant, queueRef, timestamp } from './common.js';

export const bucket = z.enum(statisticsBuckets);

export const queueStatisticsRequest = z
  .object({
    ...queueRef,
    since: instant.describe('Rounded down to the start of a bucket in UTC; weeks begin on Monday.'),
    until: instant.exactOptional().describe('Rounded up to the end of a bucket. Default: now.'),
    bucket: anyCase(statisticsBuckets, bucket).exactOptional().describe('Length of a bucket; default day.'),
  })
  .meta({
    'x-mq-rules': [
      '`until` is not before `since`.',
      `There are at most ${STATISTICS_BUCKETS_LIMIT} buckets, and ${STATISTICS_DAYS_LIMIT} days.`,
    ],
  });

export const timeInQueue = z.object({
  medianMs: z.int(),
  p95Ms: z.int(),
});

export const ciMinutes = z.object({
  purpose: z.string().describe('What the test run was for, as in getMergeQueueTestingDetails.'),
  cause: z.string().describe('Why the test run was closed, as `closedBecause` there.'),
  used: z.boolean().describe('True if the test run decided something: a failure, or a pass that merged.'),
  minutes: z.number(),
});

export const checkStatistics = z.object({
  name: z.string(),
  tests: z.int(),
  failures: z.int().describe('Failed tests, flakes included.'),
  flakes: z
    .int()
    .describe(
      'Failures by chance: the same pull request passed when it was tested again to confirm the failure.',
    ),
  failureRate: z.number().describe('`failures` of `tests`.'),
  flakeRate: z.number().describe('`flakes` of `tests`.'),
});

export const statisticsOfSpan = z.object({
  since: timestamp,
  until: timestamp,
  landed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  timeInQueue: timeInQueue
    .nullable()
    .describe('From admission to landing, at most 5 % off; null if nothing landed.'),
  ciMinutes: z.array(ciMinutes).describe('CI time by cause, most first.'),
  checks: z
    .array(checkStatistics)
    .describe(`Checks that ended, most failures first, at most ${STATISTICS_CHECKS_LIMIT}.`),
});

export const queueStatistics = z.object({
  bucket,
  total: statisticsOfSpan,
  buckets: z.array(statisticsOfSpan).describe('Oldest first, without gaps; empty ones included.'),
});
