import type { JsonObject } from './json.js';

interface Refusal {
  readonly name: string;
  readonly description: string;
}

const refusals: Readonly<Record<number, Refusal>> = {
  400: { name: 'BadRequest', description: 'Malformed or invalid; nothing was stored.' },
  401: { name: 'Unauthorized', description: 'Missing or invalid token.' },
  403: { name: 'Forbidden', description: 'The token lacks the scope or the repository.' },
  404: { name: 'NotFound', description: 'No such repository, branch, queue, pull request or test run.' },
  408: { name: 'RequestTimeout', description: 'The body did not arrive in time.' },
  409: { name: 'Conflict', description: 'The request conflicts with the present state.' },
  412: {
    name: 'PreconditionFailed',
    description: 'The settings have changed since the version in If-Match.',
  },
  413: { name: 'BodyTooLarge', description: 'The body is larger than 20 MiB.' },
  415: { name: 'UnsupportedContentType', description: 'The Content-Type of the body is not JSON.' },
  417: { name: 'ExpectationFailed', description: 'The header Expect has an unknown value.' },
  422: {
    name: 'NotPossible',
    description:
      'It cannot be done to a pull request in that state, or the Idempotency-Key was used for another request.',
  },
  429: { name: 'TooManyRequests', description: 'Too many requests; retry after Retry-After.' },
  431: { name: 'HeadersTooLarge', description: 'The headers are too large.' },
  500: { name: 'InternalError', description: 'An unexpected error; the correlation id is in the log.' },
  503: { name: 'Unavailable', description: 'Temporarily unavailable; retry after Retry-After.' },
};

const readStatuses = [400, 401, 403, 404, 408, 413, 415, 417, 429, 431, 500, 503];
const writeStatuses = [...readStatuses, 409, 412, 422].toSorted((one, other) => one - other);
const metricsStatuses = [400, 401, 403, 404, 417, 429, 431, 500, 503];

const isRetried = (status: number): boolean => status === 429 || status === 503;

const headersOf = (status: number): JsonObject => ({
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  ...(isRetried(status) ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
});

/** The error responses of operations that take a body, as named components. */
export const responses: JsonObject = Object.fromEntries(
  Object.entries(refusals).map(([status, { name, description }]) => [
    name,
    {
      description,
      headers: headersOf(Number(status)),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  ]),
);

export const problemResponses = (writes: boolean): JsonObject =>
  referring(writes ? writeStatuses : readStatuses);

const referring = (statuses: readonly number[]): JsonObject =>
  Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${refusals[status]?.name}` }]),
  );

/** The error responses of a stream, which can be sent before its first event only. */
export const streamResponses: JsonObject = referring(metricsStatuses);

/** The error responses of the metrics operation, which are plain text. */
export const errorResponses: JsonObject = Object.fromEntries(
  metricsStatuses.map((status) => [
    status,
    {
      description: refusals[status]?.description ?? '',
      headers: headersOf(status),
      content: { 'application/plain-text': { schema: { type: 'string' } } },
    },
  ]),
);
