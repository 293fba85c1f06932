import { z } from 'zod';
import { type ProblemCode, problemStatuses } from '../errors.js';

export const problemCode = z.enum(Object.keys(problemStatuses) as [ProblemCode, ...ProblemCode[]]);

export const fieldFault = z.object({
  path: z.string().describe('The field, such as `pr.number`; empty for the whole body.'),
  message: z.string(),
});

/** An answer other than 200 (RFC 9457). */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What is wrong and what to do.'),
  remedy: z
    .string()
    .optional()
    .describe('What to do, with which `detail` ends; absent if `detail` does not say it apart.'),
  instance: z.string(),
  code: problemCode.describe('A stable code; new ones may be added.'),
  errors: z.array(fieldFault).optional().describe('With 400: each fault with the path of its field.'),
  prNumbers: z
    .array(z.int())
    .optional()
    .describe('With QUEUE_NOT_EMPTY: the pull requests that are still in the queue, at most 1000.'),
  prCount: z.int().optional().describe('With QUEUE_NOT_EMPTY: how many are still in the queue.'),
  correlationId: z.string().optional().describe('With 500: the id in the log.'),
});
