import { submissionStates } from '@mq/core';
import { z } from 'zod';
import { timestamp } from './common.js';

const actor = z.object({ kind: z.string(), name: z.string() });

const moved = {
  reason: z.string().nullable().describe('The reason code.'),
  detail: z.string().nullable(),
};
const movedBy = { ...moved, actor };
const movedByRun = { ...moved, testRunId: z.string().nullable() };

/** One thing that happened: the state that was entered, with an object named after it, or that it went on hold, came off hold or was delayed, or a test run, or a command. */
export const timelineEntry = z.object({
  timestamp,
  attempt: z.int().optional(),
  state: z.enum(submissionStates).optional(),
  notReady: z.object(movedBy).optional(),
  pending: z.object(movedByRun).optional(),
  testing: z.object(movedByRun).optional(),
  testsPassed: z.object(movedByRun).optional(),
  pendingFailure: z.object(movedByRun).optional(),
  failure: z.object(movedByRun).optional(),
  cancellation: z.object(movedBy).optional(),
  merged: z.object({ ...movedByRun, actor }).optional(),
  aside: z
    .object({
      lack: z
        .string()
        .nullable()
        .describe('What it lacked to be merged; null where it came back to the line.'),
      detail: z.string().nullable().describe('What the code host said of that.'),
    })
    .optional(),
  putOff: z
    .object(moved)
    .optional()
    .describe('The code host did not build or land its candidate; it is retried automatically.'),
  testRun: z
    .object({
      testRunId: z.string(),
      change: z.enum(['created', 'testing', 'ended', 'closed']),
      sha: z.string().nullable(),
      outcome: z.string().nullable(),
      closedBecause: z.string().nullable(),
      testedPullRequests: z.array(z.object({ prNumber: z.int() })),
    })
    .optional(),
  command: z.object({ name: z.string(), actor }).optional(),
});
