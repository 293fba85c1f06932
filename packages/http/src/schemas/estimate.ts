import { type EstimateObstacle, estimateObstacles } from '@mq/core';
import { z } from 'zod';
import { timestamp } from './common.js';

export const includeEstimatedTimeToMerge = z
  .boolean()
  .exactOptional()
  .describe('True adds the estimated merge time, or the reason why there is none.');

const availableEstimate = z.object({
  status: z.literal('available'),
  kind: z
    .enum(['merge', 'pendingFailureResolution'])
    .describe(
      '`pendingFailureResolution`: its tests failed, and the estimate is for the end of the wait for its verdict.',
    ),
  expectedMergeAt: timestamp.nullable().describe('Null only if its failure is expected to count.'),
  pessimisticMergeAt: timestamp
    .nullable()
    .describe('The time if every step takes as long as the slowest tenth; null if that is too far away.'),
  expectedResolutionAt: timestamp
    .nullable()
    .describe('When its failure is decided, either way; null unless `kind` is `pendingFailureResolution`.'),
  expectedTestStartAt: timestamp
    .nullable()
    .describe('The start of the test run that proves it, which may be in the past; null if there is none.'),
  expectedTestEndAt: timestamp.nullable().describe('The end of the same test run.'),
  waitingBehind: z.int().describe('The number of undecided pull requests ahead.'),
  basedOnRuns: z.int().describe('The number of passed test runs behind the durations.'),
});

const unavailableEstimate = z.object({
  status: z.literal('unavailable'),
  reason: z
    .enum(Object.keys(estimateObstacles) as [EstimateObstacle, ...EstimateObstacle[]])
    .describe('The codes are listed on the page of reasons.'),
  sentence: z.string(),
});

export const estimates = { available: availableEstimate, unavailable: unavailableEstimate };

export const estimatedTimeToMerge = z
  .discriminatedUnion('status', [availableEstimate, unavailableEstimate])
  .describe('Present if requested. Assumes that everything passes from now on.');
