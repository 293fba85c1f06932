import { reportedConclusions, webAddress } from '@mq/core';
import { z } from 'zod';
import {
  anyCase,
  boundedList,
  instant,
  line,
  NAME_CHARS_LIMIT,
  repo,
  sha,
  take,
  timestamp,
} from './common.js';

const WAIT_SECONDS_LIMIT = 60;
const SILENT_SECONDS_LIMIT = 86_400;
const CHECKS_LIMIT = 100;
const TEST_RUN_ID_CHARS_LIMIT = 100;
const URL_CHARS_LIMIT = 2_000;
const SUMMARY_CHARS_LIMIT = 1_000;

const check = line(NAME_CHARS_LIMIT);
const testRunId = line(TEST_RUN_ID_CHARS_LIMIT);

export const listExpectedChecksRequest = z.object({
  repo: repo.exactOptional().describe('Default: every repository of the token.'),
  checks: boundedList(check, CHECKS_LIMIT)
    .exactOptional()
    .describe('Only these checks. Default: all that the token may report.'),
  silentSeconds: z
    .int()
    .min(0)
    .max(SILENT_SECONDS_LIMIT)
    .exactOptional()
    .describe(
      'Lists a check that you have begun only if your last report of it is at least this old, because its worker may be dead. Default: all that you have begun.',
    ),
  waitSeconds: z
    .int()
    .min(0)
    .max(WAIT_SECONDS_LIMIT)
    .exactOptional()
    .describe('Maximum wait if no check is expected; default 0.'),
  take,
});

export const expectedCheckStatus = z.enum(['queued', 'running']);

export const expectedCheck = z.object({
  repo,
  targetBranch: z.string(),
  testRunId: z.string(),
  ref: z.string().describe('The ref of the commit at the code host, to be fetched.'),
  commit: z.string().describe('The commit to test.'),
  check: z.string(),
  status: expectedCheckStatus.describe('`queued` until you begin.'),
  sequence: z.int().describe('The sequence of your last report; 0 before the first.'),
  reportedAt: timestamp.nullable().describe('When your last report arrived; null before the first.'),
  askedAt: timestamp,
  startBy: timestamp
    .nullable()
    .describe(
      'By when a reporter must begin, or else the check ends as an infrastructure failure; null once one has begun.',
    ),
  deadlineAt: timestamp.nullable().describe('When the test run times out; null if the queue has no timeout.'),
  reportToken: z
    .string()
    .describe('A token for `reportCheck`, valid only for this check of this test run. Keep it secret.'),
});

export const expectedChecks = z.object({
  expectedChecks: z.array(expectedCheck).describe('Oldest request first.'),
  reached: z.boolean().describe('False if no check was expected within the wait.'),
});

export const reportedStatus = z.enum(['queued', 'running', 'completed']);
export const reportedConclusion = z.enum(reportedConclusions);

export const reportCheckRequest = z
  .object({
    repo,
    testRunId: testRunId
      .exactOptional()
      .describe('Left out: that of a report token, or the newest live test run of `commit`.'),
    commit: sha.exactOptional().describe('The tested commit. Refused if the test run tests another one.'),
    check: check.describe('Name of the check.'),
    status: anyCase(reportedStatus.options, reportedStatus),
    conclusion: anyCase(reportedConclusion.options, reportedConclusion)
      .exactOptional()
      .describe('Required with `completed`, and only allowed then.'),
    failing: z
      .boolean()
      .exactOptional()
      .describe(
        'True if it has failed in part and is still running. It is shown to people; the verdict waits for the end.',
      ),
    sequence: z
      .int()
      .min(1)
      .exactOptional()
      .describe('The order of your reports of a check of a test run. Default: the order of arrival.'),
    startedAt: instant
      .exactOptional()
      .describe('Required for a failure that names only a commit, and not before the test run began.'),
    completedAt: instant.exactOptional().describe('Default: now.'),
    url: z
      .string()
      .max(URL_CHARS_LIMIT)
      .regex(webAddress, 'must be an http or https address without user and password')
      .exactOptional()
      .describe('The http or https link to the log, for people. This service never fetches it.'),
    summary: z
      .string()
      .max(SUMMARY_CHARS_LIMIT)
      .exactOptional()
      .describe('One line about its progress or result.'),
  })
  .meta({
    'x-mq-rules': [
      '`testRunId` or `commit` is given, unless the token is a report token.',
      '`conclusion` is given with the status `completed`, and only then.',
      '`startedAt` and `completedAt` are not before 1970, and at most 5 minutes ahead of the clock of this service.',
    ],
  });

export const checkReport = z.object({
  testRunId: z.string(),
  check: z.string(),
  reporter: z
    .string()
    .describe('The name under which your token reports, which is the source of the verdict.'),
  applied: z.boolean().describe('False if a later report of yours is known; then nothing was changed.'),
  status: reportedStatus.describe('The present status.'),
  conclusion: reportedConclusion.nullable(),
  sequence: z.int(),
});
