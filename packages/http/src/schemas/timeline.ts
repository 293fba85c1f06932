import { z } from 'zod';
import { submissionState, timestamp } from './common.js';

export const actor = z.object({
  kind: z.string(),
  name: z.string(),
  person: z.string().optional().describe('The person behind the token; absent where none was named.'),
  tokenId: z.string().optional().describe('The token; absent where the request came without one.'),
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
  lack: z.string().nullable().describe('What it lacked to be merged; null where it came back to the line.'),
  detail: z.string().nullable().describe('What the code host said of that.'),
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

/** One thing that happened: the state that was entered, with an object named after it, or that it went on hold, came off hold or was delayed, or a test run, or a command. */
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
    .describe('The code host did not build or land its candidate; it is retried automatically.'),
  testRun: timelineRun.optional(),
  command: timelineCommand.optional(),
});
