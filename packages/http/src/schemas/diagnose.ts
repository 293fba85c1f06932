import { DIAGNOSED_QUEUES_LIMIT, FINDINGS_LIMIT, severities } from '@mq/core';
import { z } from 'zod';
import { repo, targetBranch, timestamp } from './common.js';
import { whoamiAnswer } from './tokens.js';

export const diagnoseRequest = z.object({
  repo: repo.exactOptional().describe('Only queues of this repository.'),
  targetBranch: targetBranch.exactOptional().describe('Only queues of this branch.'),
  repair: z
    .boolean()
    .exactOptional()
    .describe('True first repairs what findings mark as repairable. Needs a token of all repositories.'),
});

export const severity = z.enum(severities);

export const finding = z.object({
  code: z.string().describe('The codes are in the page of findings.'),
  severity,
  subject: z.string().describe('What it is about: a queue, or a part of the service.'),
  sentence: z.string().describe('What was found, with numbers.'),
  remedy: z.string().describe('What to do.'),
  isRepairable: z.boolean().exactOptional().describe('True if `repair` does that; absent otherwise.'),
});

export const diagnosis = z.object({
  version: z.string().nullable().describe('The version of the service; null if it does not say.'),
  time: timestamp.describe('The clock of the service, to compare with that of the client.'),
  token: whoamiAnswer.describe('What the token of this request may do.'),
  findings: z
    .array(finding)
    .nullable()
    .describe(`Errors first, at most ${FINDINGS_LIMIT}; null for a token without the scope admin.`),
  queues: z
    .int()
    .nullable()
    .describe(
      `The number of queues that were checked, at most ${DIAGNOSED_QUEUES_LIMIT}; null without admin.`,
    ),
  isComplete: z.boolean().describe('False if there are more queues or findings than that.'),
});
