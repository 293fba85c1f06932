import { SNAPSHOT_RUNS_LIMIT, SNAPSHOT_SUBMISSIONS_LIMIT, wantedStatuses } from '@mq/core';
import { z } from 'zod';
import { instant, queueRef, submissionState, timestamp } from './common.js';
import { snapshotTestRun } from './snapshot.js';

export const queueAtRequest = z.object({
  ...queueRef,
  at: instant.describe('The moment (ISO 8601). One in the future counts as now.'),
});

export const pastPullRequest = z.object({
  prNumber: z.int(),
  prTitle: z.string(),
  prAuthor: z.string(),
  attempt: z.int(),
  state: submissionState,
  stateChangedAt: timestamp,
  reason: z.string().nullable().describe('The code of the reason for its state; null if none is recorded.'),
  position: z
    .int()
    .nullable()
    .describe('Its rank in the order of getQueue, from 1; null if it was not admitted.'),
  testRunId: z
    .string()
    .nullable()
    .describe('Its newest open test run, under `testRuns`; null if it had none.'),
});

const { purpose, outcome, state } = snapshotTestRun.shape;

export const pastTestRun = z.object({
  testRunId: z.string(),
  purpose,
  state,
  outcome,
  prNumbers: z.array(z.int()).describe('The pull requests that it tested; empty for a baseline run.'),
  testedOnTopOf: z.array(z.int()).describe('The pull requests ahead that were in its candidate.'),
  baseSha: z.string(),
  testBranchSha: z.string().nullable().describe('Null until the candidate was built.'),
  createdAt: timestamp,
  testingSince: timestamp.nullable(),
});

export const queueAt = z.object({
  at: timestamp,
  earliestAt: timestamp.describe('The earliest moment that can be asked for: older history was removed.'),
  state: z
    .enum(wantedStatuses)
    .nullable()
    .describe('The state of the queue; null if the history does not go back to it.'),
  pullRequests: z
    .array(pastPullRequest)
    .describe(
      `In the order of getQueue, then those that were not ready, at most ${SNAPSHOT_SUBMISSIONS_LIMIT}.`,
    ),
  morePullRequests: z.int().describe('How many more there were.'),
  testRuns: z.array(pastTestRun).describe(`Open test runs by creation, at most ${SNAPSHOT_RUNS_LIMIT}.`),
  moreTestRuns: z.int().describe('How many more there were.'),
});
