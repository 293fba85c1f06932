import { z } from 'zod';
import { type ProblemCode, problemStatuses } from './errors.js';
import type { Operation } from './operation.js';
import { metricsRequest } from './schemas/metrics.js';

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What is wrong and what to do.'),
  instance: z.string(),
  code: z.enum(Object.keys(problemStatuses) as [ProblemCode, ...ProblemCode[]]),
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('With 400: every fault, by the path of its field.'),
  prNumbers: z
    .array(z.int())
    .optional()
    .describe('With QUEUE_NOT_EMPTY: the pull requests that are still in the queue, at most 1000.'),
  prCount: z.int().optional().describe('With QUEUE_NOT_EMPTY: how many are still in the queue.'),
  correlationId: z.string().optional().describe('With 500: the id that is in the log.'),
});

const statusWords: Readonly<Record<number, string>> = {
  400: 'Malformed or invalid; nothing was stored.',
  401: 'No token, or not a good one.',
  403: 'The token lacks the scope or the repository.',
  404: 'No such repository, branch, queue, pull request or run.',
  409: 'It does not fit the state that things are in.',
  413: 'The body is larger than 20 MiB.',
  415: 'The body is no JSON by its Content-Type.',
  422: 'It cannot be done to a pull request in that state, or the Idempotency-Key was used otherwise.',
  429: 'Too many requests; Retry-After says when to come back.',
  500: 'Something went wrong here; the correlation id is in the log.',
  503: 'Not now; Retry-After says when to come back.',
};

const problemResponses = (statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: statusWords[status] ?? '',
        content: { 'application/problem+json': { schema: problem } },
      },
    ]),
  );

const readStatuses = [400, 401, 403, 404, 413, 415, 429, 500, 503];
const writeStatuses = [400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503];

/** What the document says about an operation. Nothing is validated by it. */
export const operationDocumentation = (operation: Operation) => ({
  operationId: operation.name,
  summary: operation.summary,
  description: `Needs the scope \`${operation.scope}\`.`,
  tags: [operation.tag],
  security: [{ ApiKeyAuth: [] }],
  body: operation.body,
  ...(operation.writes ? { headers: idempotencyHeader } : {}),
  response: {
    200: { description: 'Done.', content: { 'application/json': { schema: operation.answer } } },
    ...problemResponses(operation.writes ? writeStatuses : readStatuses),
  },
});

const idempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .max(255)
    .optional()
    .describe('The same key with the same body gets the first answer again, for 24 hours.'),
});

export const metricsDocumentation = {
  operationId: 'getMergeQueueMetrics',
  summary: 'Get the metrics of the queues in the text exposition format.',
  description: 'Needs the scope `metrics`.',
  tags: ['Metrics'],
  security: [{ ApiKeyAuth: [] }],
  querystring: z.object({
    repo: metricsRequest.shape.repo,
    repoHost: metricsRequest.shape.repoHost,
  }),
  response: {
    200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } },
    ...Object.fromEntries(
      [400, 401, 403, 404, 429, 500, 503].map((status) => [
        status,
        {
          description: statusWords[status] ?? '',
          content: { 'application/plain-text': { schema: z.string() } },
        },
      ]),
    ),
  },
};
