import { warningCodes } from '@mq/core';
import { z } from 'zod';

/** The codes of warnings by this API and by the engine. */
const codes = [...warningCodes, 'UNREPORTED_CHECK', 'UNKNOWN_FIELD', 'READ_ONLY_FIELD'] as const;

export const warning = z.object({
  code: z.enum(codes),
  sentence: z.string().describe('The problem, and what to do about it.'),
  checks: z.array(z.string()).optional().describe('With UNREPORTED_CHECK: the checks.'),
  fields: z
    .array(z.string())
    .optional()
    .describe('With UNKNOWN_FIELD and READ_ONLY_FIELD: the fields of the request that were ignored.'),
});

/** An optional field of every answer. */
export const warnings = z.array(warning).optional().describe('Probable mistakes; absent if there are none.');

export interface WithWarnings {
  readonly warnings?: z.output<typeof warning>[] | undefined;
}
