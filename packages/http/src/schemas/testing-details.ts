import type { Outcome, TestRun } from '@mq/core';
import { z } from 'zod';
import { instant, line, pr, queueRef, take, timestamp } from './common.js';
import { waitingFor } from './pull-request.js';

const outcomes = [
  'passed',
  'failed',
  'timed_out',
  'cancelled',
  'infrastructure',
] as const satisfies readonly Outcome[];

const purposes = [
  'test',
  'isolate',
  'control',
  'compose',
] as const satisfies readonly TestRun['purpose']['kind'][];

const TEST_RUN_ID_CHARS_LIMIT = 100;

export const testingDetailsRequest = z
  .object({
    ...queueRef,
    testRunId: line(TEST_RUN_ID_CHARS_LIMIT).exactOptional().describe('One test run, open or closed.'),
    pr: pr
      .exactOptional()
      .describe('The open test runs of this pull request, or its last one if none is open.'),
  })
  .refine(({ testRunId, pr }) => testRunId === undefined || pr === undefined, {
    message: 'must not be given together with pr',
    path: ['testRunId'],
  })
  .meta({ not: { required: ['testRunId', 'pr'], properties: { testRunId: {}, pr: {} } } });

const targets = z.union([z.array(z.string()), z.literal('ALL')]);

export const checkRun = z.object({
  name: z.string(),
  url: z.string().nullable(),
  status: z.enum(['QUEUED', 'IN_PROGRESS', 'COMPLETED']),
  conclusion: z.string().optional().describe('In upper case; absent until it has ended.'),
  startedAt: timestamp,
  completedAt: timestamp.nullable(),
  summary: z.string().nullable(),
});

export const checkSuite = z.object({ source: z.string(), checkRuns: z.array(checkRun) });

export const statusCheck = z.object({
  context: z.string(),
  url: z.string().optional(),
  state: z.string().optional(),
});

export const failureCausingStatus = z.object({
  name: z.string(),
  source: z.string(),
  url: z.string().nullable(),
  conclusion: z.string(),
});

export const testedPullRequest = z.object({
  prNumber: z.int(),
  prUrl: z.string().optional(),
  title: z.string().optional(),
  waitingFor: waitingFor.optional(),
});

export const testingDetails = z.object({
  testRunId: z.string(),
  purpose: z
    .enum(purposes)
    .describe(
      'test: tests its pull requests. isolate: part of the bisection of a failed batch. control: a baseline run of the bare target. compose: combines the passes of several lanes, without tests.',
    ),
  status: z.enum(['in_progress', 'failed', 'cancelled', 'succeeded']),
  outcome: z.enum(outcomes).nullable().describe('How it ended; null until then.'),
  requiredStatuses: z.array(z.string()),
  requiredStatusesSource: z.enum(['merge_instance', 'repo_provider_branch_protection']).nullable(),
  testBranch: z
    .string()
    .nullable()
    .describe('The ref of the tested commit at the code host; null until it is built.'),
  testBranchSha: z.string().nullable().describe('The tested commit; null until it is built.'),
  baseSha: z.string().describe('The commit of the target branch that it was built on.'),
  createdAt: timestamp,
  testingSince: timestamp.nullable(),
  deadlineAt: timestamp.nullable().describe('When it times out; null without a timeout.'),
  endedAt: timestamp.nullable(),
  closedBecause: z.string().nullable().describe('Why it was closed; null while it is open.'),
  checkSuites: z.array(checkSuite),
  statusChecks: z.array(statusCheck).describe('Always empty: checkSuites has every check.'),
  failureCausingStatuses: z
    .array(failureCausingStatus)
    .describe('The check that failed it; empty otherwise.'),
  testedPullRequests: z.array(testedPullRequest),
  explanation: z
    .string()
    .optional()
    .describe('One sentence: what the test run waits for, or how it ended and why it was closed.'),
  dependentPrs: z.array(z.int()).describe('Pull requests ahead that it is stacked on.'),
  waitsOnPrs: z.array(z.int()).describe('Pull requests that must be decided before it can land.'),
  impactedTargets: targets
    .optional()
    .describe('Targets of the tested pull requests and of those below them.'),
  impactedTargetsForTestedPrs: targets.optional(),
});

export const testingDetailsAnswer = z
  .object({ ...testingDetails.partial().shape, runs: z.array(testingDetails) })
  .describe(
    'At the top level the requested test run, by testRunId or the newest of the pull request; under runs all that were found.',
  );

const TESTING_RESULTS_DAYS_LIMIT = 45;
const DAY_MS = 86_400_000;
const OFFSET_LIMIT = 1_000_000;

export const listTestingResultsRequest = z
  .object({
    ...queueRef,
    since: instant.describe(`Runs that ended then or later (ISO 8601).`),
    until: instant
      .exactOptional()
      .describe('Only test runs that ended at this time or earlier. Default: now.'),
    offset: z.int().min(0).max(OFFSET_LIMIT).exactOptional().describe('Items to skip; default 0.'),
    take,
  })
  .refine(({ since, until }) => until === undefined || until >= since, {
    message: 'must not be before since',
    path: ['until'],
  })
  .refine(({ since, until }) => until === undefined || until - since <= TESTING_RESULTS_DAYS_LIMIT * DAY_MS, {
    message: `must not be more than ${TESTING_RESULTS_DAYS_LIMIT} days after since`,
    path: ['until'],
  })
  .meta({
    'x-mq-rules': [
      '`until` is not before `since`.',
      `\`until\` is at most ${TESTING_RESULTS_DAYS_LIMIT} days after \`since\`.`,
    ],
  });

export const testingResult = z.object({
  testRunId: z.string(),
  isBisection: z.boolean().describe('True for a test run of bisection.'),
  prNumber: z.int(),
  attempt: z.int(),
  outcome: z.enum([...outcomes, 'interrupted']),
  cycleConclusion: z.enum(['passed', 'failed', 'cancelled', 'interrupted']),
  startedAt: timestamp.nullable(),
  endedAt: timestamp,
  testingDurationMs: z.int().nullable(),
});

export const testingResultPage = z.object({
  testingResults: z.array(testingResult),
  totalItems: z.int(),
});
