import {
  SNAPSHOT_ALARMS_LIMIT,
  SNAPSHOT_CHECKS_LIMIT,
  SNAPSHOT_ENDED_LIMIT,
  SNAPSHOT_ESTIMATES_LIMIT,
  SNAPSHOT_RUNS_LIMIT,
  SNAPSHOT_SUBMISSIONS_LIMIT,
} from '@mq/core';
import { z } from 'zod';
import { line, priorityName, queueRef, submissionState, timestamp } from './common.js';
import { estimatedTimeToMerge } from './estimate.js';
import { reason, waitingFor } from './pull-request.js';
import { queueAnswer } from './queue.js';
import { checkRun, testingDetails } from './testing-details.js';

export const VERSION_CHARS_LIMIT = 100;

export const queueSnapshotRequest = z.object({
  ...queueRef,
  version: line(VERSION_CHARS_LIMIT)
    .exactOptional()
    .describe('The `version` of the last answer. Only what has changed since is answered, if that is known.'),
  overviewOnly: z
    .boolean()
    .exactOptional()
    .describe('True leaves out pull requests, test runs and ended pull requests. Send no `version` with it.'),
});

export const snapshotPullRequest = z.object({
  prNumber: z.int(),
  prTitle: z.string(),
  prAuthor: z.string(),
  prUrl: z.string(),
  prSha: z.string(),
  attempt: z.int(),
  state: submissionState,
  stateChangedAt: timestamp,
  submittedAt: timestamp,
  priorityValue: z.int(),
  priorityName,
  skipTheLine: z.boolean().describe('True if it is urgent.'),
  noBatch: z.boolean(),
  position: z
    .int()
    .nullable()
    .describe('Its rank in the order of getQueue, from 1; null if it is not admitted.'),
  lane: z
    .int()
    .nullable()
    .describe(
      'The number of the first pull request of its lane: those that are connected by overlapping targets. Null if it is not admitted.',
    ),
  testRunId: z
    .string()
    .nullable()
    .describe('Its newest open test run, under `testRuns`; null if it has none.'),
  waitingFor: waitingFor.optional(),
  estimatedTimeToMerge: estimatedTimeToMerge
    .optional()
    .describe(
      `Absent until it was computed, and behind the first ${SNAPSHOT_ESTIMATES_LIMIT} pull requests of the line.`,
    ),
});

export const snapshotCheck = z.object({
  name: z.string(),
  source: z.string(),
  status: checkRun.shape.status,
  conclusion: z.string().nullable().describe('In upper case; null until it has ended.'),
  startedAt: timestamp,
  completedAt: timestamp.nullable(),
  summary: z.string().nullable(),
  hasLog: z.boolean().describe('True if getMergeQueueTestingDetails answers the address of its log.'),
});

export const snapshotTestRun = z.object({
  testRunId: z.string(),
  purpose: testingDetails.shape.purpose,
  state: z.enum(['building', 'testing', 'ended']),
  outcome: testingDetails.shape.outcome,
  prNumbers: z.array(z.int()).describe('The pull requests that it tests; empty for a baseline run.'),
  testedOnTopOf: z
    .array(z.int())
    .describe('The pull requests below them that have not landed, in order; empty on the bare target.'),
  baseSha: z.string(),
  testBranch: z.string().nullable().describe('Null until the candidate is built.'),
  testBranchSha: z.string().nullable(),
  createdAt: timestamp,
  testingSince: timestamp.nullable(),
  deadlineAt: timestamp.nullable().describe('When it times out; null without a timeout.'),
  endedAt: timestamp.nullable(),
  bisects: z
    .string()
    .nullable()
    .describe('The failed test run whose culprit it searches for; null if it is not part of a bisection.'),
  requiredStatuses: z.array(z.string()),
  checks: z.array(snapshotCheck).describe(`The checks that have begun, at most ${SNAPSHOT_CHECKS_LIMIT}.`),
  explanation: z.string().describe('What it waits for, or how it ended.'),
});

export const snapshotEnded = z.object({
  prNumber: z.int(),
  prTitle: z.string(),
  prAuthor: z.string(),
  prUrl: z.string(),
  prSha: z.string(),
  state: submissionState,
  submittedAt: timestamp,
  endedAt: timestamp,
  reason: reason.nullable(),
  landedCommit: z.string().nullable().describe('Null if the queue did not land it.'),
  failedTestRun: z
    .string()
    .nullable()
    .describe('The test run whose failure ended it; null if there is none.'),
});

export const snapshotAlarm = z.object({
  sequence: z.int().describe('The number of its row in the history.'),
  code: z.string(),
  sentence: z.string(),
  timestamp,
});

export const snapshotLanding = z.object({
  prNumbers: z.array(z.int()),
  testRunId: z.string(),
  since: timestamp,
});

const more = z.int().describe('How many more there are than the limit.');

const pullRequestRows = z.object({
  rows: z.array(snapshotPullRequest),
  removed: z.array(z.int()).describe('Numbers of rows to remove.'),
  order: z.array(z.int()).optional().describe('The numbers of all rows, in order; absent if as before.'),
  more,
});

const testRunRows = z.object({
  rows: z.array(snapshotTestRun),
  removed: z.array(z.string()).describe('Ids of rows to remove.'),
  order: z.array(z.string()).optional().describe('The ids of all rows, in order; absent if as before.'),
  more,
});

const endedRows = z.object({
  rows: z.array(snapshotEnded),
  removed: pullRequestRows.shape.removed,
  order: pullRequestRows.shape.order,
});

export const snapshotCounts = z.object({
  enqueued: z.int().describe('Admitted pull requests.'),
  begun: z.int().describe('Those of them whose tests have begun.'),
  notReady: z.int().describe('Pull requests that are not ready.'),
  slotsInUse: z.int().describe('Test runs in progress, of at most `activeConcurrency` of the queue.'),
  bisectionSlotsInUse: z.int().describe('Test runs of bisection in progress, and baseline runs.'),
});

export const queueSnapshot = z.object({
  version: z.string().describe('To be sent with the next request. Any replica takes it.'),
  since: z
    .string()
    .nullable()
    .describe(
      'The version that the rows are to be applied to; null if the answer is whole and replaces all rows.',
    ),
  computedAt: timestamp.describe('The moment that is shown: up to a second ago, a minute without a change.'),
  queue: queueAnswer.optional().describe('Absent if it has not changed.'),
  counts: snapshotCounts.optional().describe('Present with `queue`.'),
  targetSha: z.string().nullable().optional().describe('The tip of the target branch. Present with `queue`.'),
  landing: snapshotLanding
    .nullable()
    .optional()
    .describe('The landing in progress; null if there is none. Present with `queue`.'),
  alarms: z
    .array(snapshotAlarm)
    .optional()
    .describe(
      `Alarms of the last 24 hours, newest first, at most ${SNAPSHOT_ALARMS_LIMIT}; absent if they have not changed.`,
    ),
  pullRequests: pullRequestRows
    .optional()
    .describe(
      `The line in the order of getQueue, then those that are not ready, at most ${SNAPSHOT_SUBMISSIONS_LIMIT} rows.`,
    ),
  testRuns: testRunRows
    .optional()
    .describe(`Open test runs in queue order, then baseline runs, at most ${SNAPSHOT_RUNS_LIMIT}.`),
  ended: endedRows
    .optional()
    .describe(`Pull requests that have left the queue, newest first, at most ${SNAPSHOT_ENDED_LIMIT}.`),
});

export const snapshotTables = { pullRequestRows, testRunRows, endedRows };
