import { TARGET_CHARS_LIMIT, TARGETS_LIMIT } from '@mq/core';
import { z } from 'zod';
import { boundedList, prWithHead, queueRef } from './common.js';

/** A longer list is answered only where that was asked for. */
export const ECHOED_TARGETS_LIMIT = 1_000;

const everything = z.preprocess((value) => {
  const word = typeof value === 'string' ? value.toUpperCase() : value;
  return word === 'IMPACTS_ALL' ? 'ALL' : word;
}, z.literal('ALL'));

const target = z
  .string()
  .max(TARGET_CHARS_LIMIT)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters or lone surrogates');

export const impactedTargets = z.union([boundedList(target, TARGETS_LIMIT), everything], {
  error: 'must be a list of strings, or "ALL"',
});

export const setImpactedTargetsRequest = z.object({
  ...queueRef,
  pr: prWithHead,
  impactedTargets: impactedTargets.describe(
    'What the pull request touches. [] touches nothing; "ALL", also in a list, touches everything. Empty strings are dropped; a list of nothing else counts as "ALL".',
  ),
  includeImpactedTargets: z
    .boolean()
    .exactOptional()
    .describe(`True has a list answered that was sent with more than ${ECHOED_TARGETS_LIMIT} entries.`),
});

export const impactedTargetsAnswer = z.object({
  prNumber: z.int(),
  prSha: z.string().describe('The head that the targets are stored for.'),
  impactedTargetsCount: z
    .int()
    .nullable()
    .describe('How many targets are stored, each counted once; null where it is "ALL".'),
  impactedTargets: z
    .union([z.array(z.string()), z.literal('ALL')])
    .optional()
    .describe(`Absent where more than ${ECHOED_TARGETS_LIMIT} were sent without includeImpactedTargets.`),
});
