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
  repo: repo.exactOptional().describe('Left out: every repository that the token may name.'),
  checks: boundedList(check, CHECKS_LIMIT)
    .exactOptional()
    .describe('Only these checks; left out, all that the token may report.'),
  silentSeconds: z
    .int()
    .min(0)
    .max(SILENT_SECONDS_LIMIT)
    .exactOptional()
    .describe(
      'Lists a check that you have begun only where your last report of it is at least this old: its worker may be gone. Left out, all that you have begun are listed.',
    ),
  waitSeconds: z
    .int()
    .min(0)
    .max(WAIT_SECONDS_LIMIT)
    .exactOptional()
    .describe('How long to wait where nothing is expected; 0 where left out.'),
  take,
});

export const expectedCheckStatus = z.enum(['queued', 'running']);

export const expectedCheck = z.object({
  repo,
  targetBranch: z.string(),
  testRunId: z.string(),
  ref: z.string().describe('The ref under which the code host keeps the commit: fetch it.'),
  commit: z.string().describe('The commit to test.'),
  check: z.string(),
  status: expectedCheckStatus.describe('`queued` until you have begun.'),
  sequence: z.int().describe('That of your last report; 0 before.'),
  reportedAt: timestamp.nullable().describe('When your last report came; null before.'),
  askedAt: timestamp,
  startBy: timestamp
    .nullable()
    .describe(
      'By when a reporter has to begin, or the check ends as an infrastructure failure; null once one has.',
    ),
  deadlineAt: timestamp
    .nullable()
    .describe('When the test run is given up; null where the queue sets no timeout.'),
  reportToken: z
    .string()
    .describe('A token for `reportCheck`, good for this check of this test run alone. Keep it secret.'),
});

export const expectedChecks = z.object({
  expectedChecks: z.array(expectedCheck).describe('Those asked for first come first.'),
  reached: z.boolean().describe('False where nothing is expected, also after the wait.'),
});

export const reportedStatus = z.enum(['queued', 'running', 'completed']);
export const reportedConclusion = z.enum(reportedConclusions);

export const reportCheckRequest = z
  .object({
    repo,
    testRunId: testRunId
      .exactOptional()
      .describe('Left out: that of a report token, or the newest live test run of `commit`.'),
    commit: sha
      .exactOptional()
      .describe('The commit that was tested. Refused where the test run tests another one.'),
    check: check.describe('Name of the check.'),
    status: anyCase(reportedStatus.options, reportedStatus),
    conclusion: anyCase(reportedConclusion.options, reportedConclusion)
      .exactOptional()
      .describe('With `completed`, and only then.'),
    failing: z
      .boolean()
      .exactOptional()
      .describe(
        'True where it has failed in part and still runs. People are shown it; the verdict waits for the end.',
      ),
    sequence: z
      .int()
      .min(1)
      .exactOptional()
      .describe(
        'Your reports of a check of a test run count in this order; left out, in the order in which they come.',
      ),
    startedAt: instant
      .exactOptional()
      .describe('A failure that names only a commit needs one that is not before the test run began.'),
    completedAt: instant.exactOptional().describe('Left out: now.'),
    url: z
      .string()
      .max(URL_CHARS_LIMIT)
      .regex(webAddress, 'must be an http or https address without user and password')
      .exactOptional()
      .describe('The http or https address where a person reads the log. This service never fetches it.'),
    summary: z
      .string()
      .max(SUMMARY_CHARS_LIMIT)
      .exactOptional()
      .describe('One line on how it goes, or how it ended.'),
  })
  .meta({
    'x-mq-rules': [
      '`testRunId` or `commit` is given, unless the token is a report token.',
      '`conclusion` is given with the status `completed`, and only then.',
      '`startedAt` and `completedAt` are at most 5 minutes ahead of the clock of this service.',
    ],
  });

export const checkReport = z.object({
  testRunId: z.string(),
  check: z.string(),
  reporter: z.string().describe('The name that your token reports under: the source of the verdict.'),
  applied: z.boolean().describe('False where a later report of yours is known: nothing was changed.'),
  status: reportedStatus.describe('As known now.'),
  conclusion: reportedConclusion.nullable(),
  sequence: z.int(),
});
