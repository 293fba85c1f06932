import { type EstimateObstacle, estimateObstacles } from '@mq/core';
import { z } from 'zod';
import { timestamp } from './common.js';

export const includeEstimatedTimeToMerge = z
  .boolean()
  .exactOptional()
  .describe('True adds the estimated merge time, or why there is none.');

const availableEstimate = z.object({
  status: z.literal('available'),
  kind: z
    .enum(['merge', 'pendingFailureResolution'])
    .describe(
      '`pendingFailureResolution`: its tests failed, and the estimate is for the end of the wait for its verdict.',
    ),
  expectedMergeAt: timestamp.nullable().describe('Null only where its failure is expected to count.'),
  pessimisticMergeAt: timestamp
    .nullable()
    .describe('If everything took as long as the slowest tenth does; null where that is out of reach.'),
  expectedResolutionAt: timestamp
    .nullable()
    .describe('When its failure counts, or counts no more; null unless `kind` says so.'),
  expectedTestStartAt: timestamp
    .nullable()
    .describe('Of the run that vouches for it, which may have begun already; null without one.'),
  expectedTestEndAt: timestamp.nullable().describe('Of the same run.'),
  waitingBehind: z.int().describe('How many undecided pull requests stand before it.'),
  basedOnRuns: z.int().describe('The passed test runs from which the durations were learnt.'),
});

const unavailableEstimate = z.object({
  status: z.literal('unavailable'),
  reason: z
    .enum(Object.keys(estimateObstacles) as [EstimateObstacle, ...EstimateObstacle[]])
    .describe('The codes are in the page of reasons.'),
  sentence: z.string(),
});

export const estimates = { available: availableEstimate, unavailable: unavailableEstimate };

export const estimatedTimeToMerge = z
  .discriminatedUnion('status', [availableEstimate, unavailableEstimate])
  .describe('Present where it was asked for: supposes that from now on everything passes.');
