import { TARGET_CHARS_LIMIT, TARGETS_LIMIT, withAtMost } from '@mq/core';
import { z } from 'zod';
import { alsoAccepts, boundedList, prWithHead, queueRef } from './common.js';

/** A longer list is included in an answer only on request. */
export const ECHOED_TARGETS_LIMIT = 1_000;

const everything = alsoAccepts(
  z.preprocess(
    (value) => (typeof value === 'string' && anyAll.test(value) ? 'ALL' : value),
    z.literal('ALL'),
  ),
  {
    type: 'string',
    pattern: '^(?:[iI][mM][pP][aA][cC][tT][sS]_)?[aA][lL][lL]$',
    description: 'In any letter case; older clients send `IMPACTS_ALL`.',
  },
);
const anyAll = /^(?:impacts_)?all$/i;

const TARGET_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]*$';

const target = withAtMost(TARGET_CHARS_LIMIT)(
  z.string().regex(new RegExp(TARGET_PATTERN, 'u'), 'must not contain control characters or lone surrogates'),
);

export const impactedTargets = z.union([boundedList(target, TARGETS_LIMIT), everything], {
  error: 'must be a list of strings, or "ALL"',
});

export const setImpactedTargetsRequest = z.object({
  ...queueRef,
  pr: prWithHead,
  impactedTargets: impactedTargets.describe(
    'The targets that the pull request touches. [] means none; "ALL", also in a list, means all. Empty strings are dropped; a list of only empty strings counts as "ALL".',
  ),
  includeImpactedTargets: z
    .boolean()
    .exactOptional()
    .describe(`True returns the list also if it has more than ${ECHOED_TARGETS_LIMIT} entries.`),
});

export const impactedTargetsAnswer = z.object({
  prNumber: z.int(),
  prSha: z.string().describe('The head commit for which the targets are stored.'),
  impactedTargetsCount: z.int().nullable().describe('The number of distinct targets; null for "ALL".'),
  impactedTargets: z
    .union([z.array(z.string()), z.literal('ALL')])
    .optional()
    .describe(`Absent if more than ${ECHOED_TARGETS_LIMIT} were sent without includeImpactedTargets.`),
});
