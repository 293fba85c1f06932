import { z } from 'zod';
import { submissionState, timestamp } from './common.js';

export const actor = z.object({
  kind: z.string(),
  name: z.string(),
  person: z.string().optional().describe('The person behind the token; absent if none was named.'),
  tokenId: z.string().optional().describe('The id of the token; absent if the request had none.'),
});

const moved = {
  reason: z.string().nullable().describe('The reason code.'),
  detail: z.string().nullable(),
};
const movedBy = { ...moved, actor };
const movedByRun = { ...moved, testRunId: z.string().nullable() };

export const steps = {
  moved: z.object(moved),
  movedBy: z.object(movedBy),
  movedByRun: z.object(movedByRun),
  merged: z.object({ ...movedByRun, actor }),
};

export const aside = z.object({
  lack: z.string().nullable().describe('Why it is not ready; null if it is ready again.'),
  detail: z.string().nullable().describe('The message of the code host.'),
});

export const timelineRun = z.object({
  testRunId: z.string(),
  change: z.enum(['created', 'testing', 'ended', 'closed']),
  sha: z.string().nullable(),
  outcome: z.string().nullable(),
  closedBecause: z.string().nullable(),
  testedPullRequests: z.array(z.object({ prNumber: z.int() })),
});

export const timelineCommand = z.object({ name: z.string(), actor });

/**
 * One entry: a new state (with an object named after it), a hold, the end of a hold, a delay, a change of a test run, or a
 * command.
 */
export const timelineEntry = z.object({
  timestamp,
  attempt: z.int().optional(),
  state: submissionState.optional(),
  notReady: steps.movedBy.optional(),
  pending: steps.movedByRun.optional(),
  testing: steps.movedByRun.optional(),
  testsPassed: steps.movedByRun.optional(),
  pendingFailure: steps.movedByRun.optional(),
  failure: steps.movedByRun.optional(),
  cancellation: steps.movedBy.optional(),
  merged: steps.merged.optional(),
  aside: aside.optional(),
  putOff: steps.moved
    .optional()
    .describe('The code host did not build or land its candidate. The queue retries.'),
  testRun: timelineRun.optional(),
  command: timelineCommand.optional(),
});
