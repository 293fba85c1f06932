import type { Estimate } from '@mq/core';
import type { z } from 'zod';
import type { estimatedTimeToMerge } from '../schemas/estimate.js';
import { isoTimeOrNull } from './time.js';

export const presentEstimate = (estimate: Estimate): z.output<typeof estimatedTimeToMerge> => {
  if (estimate.status === 'unavailable') return estimate;
  return {
    ...estimate,
    expectedMergeAt: isoTimeOrNull(estimate.expectedMergeAt),
    pessimisticMergeAt: isoTimeOrNull(estimate.pessimisticMergeAt),
    expectedResolutionAt: isoTimeOrNull(estimate.expectedResolutionAt),
    expectedTestStartAt: isoTimeOrNull(estimate.expectedTestStartAt),
    expectedTestEndAt: isoTimeOrNull(estimate.expectedTestEndAt),
  };
};
