import { TARGET_CHARS_LIMIT, TARGETS_LIMIT } from '@mq/core';
import { z } from 'zod';
import { boundedList, prWithHead, queueRef } from './common.js';

const everything = z.preprocess((value) => {
  const word = typeof value === 'string' ? value.toUpperCase() : value;
  return word === 'IMPACTS_ALL' ? 'ALL' : word;
}, z.literal('ALL'));

const target = z
  .string()
  .min(1)
  .max(TARGET_CHARS_LIMIT)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters or lone surrogates');

export const setImpactedTargetsRequest = z.object({
  ...queueRef,
  pr: prWithHead,
  impactedTargets: z
    .union([boundedList(target, TARGETS_LIMIT), everything], {
      error: 'must be a list of strings, or "ALL"',
    })
    .describe(
      'What the pull request touches. [] touches nothing; "ALL", also in a list, touches everything.',
    ),
});

export const impactedTargetsAnswer = z.object({
  prNumber: z.int(),
  prSha: z.string().describe('The head that the targets are stored for.'),
  impactedTargets: z.union([z.array(z.string()), z.literal('ALL')]),
});
