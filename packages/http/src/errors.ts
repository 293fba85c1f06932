import { type ErrorCode, errorCodes, type Fault, MergeQueueError } from '@mq/core';

/** The HTTP status of each error code of the engine. A missing code does not compile. */
const engineStatuses = {
  INVALID_REQUEST: 400,
  INVALID_SETTINGS: 400,
  CURSOR_INVALID: 400,
  QUEUE_NOT_EMPTY: 400,
  UNKNOWN_HOST: 404,
  REPOSITORY_NOT_FOUND: 404,
  BRANCH_NOT_FOUND: 404,
  QUEUE_NOT_FOUND: 404,
  PULL_REQUEST_NOT_FOUND: 404,
  HISTORY_GONE: 404,
  NOT_SUBMITTED: 404,
  RUN_NOT_FOUND: 404,
  CHECK_NOT_REPORTABLE: 403,
  TEST_RUN_CLOSED: 409,
  REPORT_REFUSED: 409,
  QUEUE_EXISTS: 409,
  PULL_REQUEST_CLOSED: 409,
  PULL_REQUEST_MERGED: 409,
  PULL_REQUEST_UNREADABLE: 409,
  STALE_HEAD: 409,
  FORCE_NOT_SUPPORTED: 422,
  SETTINGS_CHANGED: 412,
  ALREADY_MERGED: 409,
  LANDING_UNDER_WAY: 409,
  NOT_ACTIVE: 422,
  NO_RUN_TO_RESTART: 422,
  IDEMPOTENCY_KEY_REUSED: 422,
  RIGHTS_EXCEEDED: 403,
  TOKEN_NOT_FOUND: 404,
  TOKEN_NOT_ACTIVE: 409,
  TOKENS_FULL: 409,
  TARGETS_FULL: 409,
  WEBHOOK_NOT_FOUND: 404,
  WEBHOOK_DISABLED: 409,
  WEBHOOKS_FULL: 409,
  COMMAND_BROKEN: 500,
  HOST_UNREACHABLE: 503,
  STORE_UNREACHABLE: 503,
  TOKENS_UNREADABLE: 503,
  CLOSED: 503,
} as const satisfies Record<ErrorCode, number>;

/** The HTTP status of each error code of this API, which it raises before it calls the engine. */
const httpStatuses = {
  MALFORMED_JSON: 400,
  MALFORMED_REQUEST: 400,
  UNAUTHORIZED: 401,
  SCOPE_MISSING: 403,
  REPOSITORY_NOT_ALLOWED: 403,
  CHECK_NOT_ALLOWED: 403,
  TOKENS_NOT_KEPT: 404,
  WEBHOOKS_NOT_KEPT: 404,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  BODY_TOO_LARGE: 413,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  EXPECTATION_FAILED: 417,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  OVERLOADED: 503,
  UNAVAILABLE: 503,
  HANDLER_TIMEOUT: 503,
} as const satisfies Record<string, number>;

export const problemStatuses = { ...engineStatuses, ...httpStatuses };
export type ProblemCode = keyof typeof problemStatuses;

/** `Retry-After` if the error gives no time. */
const RETRY_AFTER_SECONDS = 5;

interface ProblemExtras {
  /** What to do: the last words of the detail. */
  readonly remedy?: string;
  readonly faults?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The pull requests that prevent the operation. */
  readonly prs?: MergeQueueError['prs'] | undefined;
}

/** An answer other than 200. `detail` is shown to the caller and must not contain internals. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly statusCode: number;
  readonly remedy: string | null;
  readonly faults: readonly Fault[];
  readonly prs: MergeQueueError['prs'];
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    extras: ProblemExtras = {},
  ) {
    super(detail);
    this.statusCode = problemStatuses[code];
    this.remedy = extras.remedy ?? null;
    this.faults = extras.faults ?? [];
    this.prs = extras.prs ?? null;
    const wait = extras.retryAfterSeconds ?? (this.statusCode === 503 ? RETRY_AFTER_SECONDS : null);
    this.headers = {
      ...(wait === null ? {} : { 'retry-after': String(Math.max(1, Math.ceil(wait))) }),
      ...extras.headers,
    };
  }
}

/** The same answer for every cause, so that probing reveals nothing. */
export const unauthorized = (): HttpProblem => {
  const remedy = 'Send it in the header x-api-token, or as Authorization: Bearer.';
  return new HttpProblem('UNAUTHORIZED', `A valid API token is needed. ${remedy}`, {
    remedy,
    headers: { 'www-authenticate': 'ApiKey realm="merge queue", Bearer realm="merge queue"' },
  });
};

const frameworkProblems: Readonly<Record<string, () => HttpProblem>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new HttpProblem(
      'BODY_TOO_LARGE',
      'The body is larger than 20 MiB. Instead of such a long list of impacted targets, send "ALL".',
    ),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedContentType(),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new HttpProblem('MALFORMED_REQUEST', 'The body is not as long as Content-Length says.'),
};

export const unsupportedContentType = (): HttpProblem =>
  new HttpProblem(
    'CONTENT_TYPE_NOT_SUPPORTED',
    'Send JSON in UTF-8, not compressed, with Content-Type: application/json.',
  );

/** Maps an error to its answer; null for an unexpected error. */
export const problemOf = (error: unknown): HttpProblem | null => {
  if (error instanceof HttpProblem) return error;
  if (error instanceof MergeQueueError)
    return new HttpProblem(error.code, error.message, {
      remedy: errorCodes[error.code].remedy,
      faults: error.faults,
      prs: error.prs ?? undefined,
    });
  if (!(error instanceof Error)) return null;
  const { code, statusCode } = error as Error & { code?: unknown; statusCode?: unknown };
  if (typeof code === 'string' && Object.hasOwn(frameworkProblems, code))
    return frameworkProblems[code]?.() ?? null;
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new HttpProblem('MALFORMED_REQUEST', 'The request could not be read to its end.');
  return null;
};
