import type { components } from './generated/openapi.js';

/** What the server answers with an error: problem details (RFC 9457) with a stable code. */
export type Problem = components['schemas']['Problem'];

/** Codes of the client itself, for failures without a code of the server. */
export const clientErrorCodes = ['UNREACHABLE', 'TIMED_OUT', 'UNEXPECTED_ANSWER'] as const;

/** A code of the server that this client was made for, one of the client, or one of a newer server. */
export type MqErrorCode = Problem['code'] | (typeof clientErrorCodes)[number] | (string & {});

export interface MqErrorParts {
  readonly code: MqErrorCode;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly retryAfterMs?: number | null;
  readonly problem?: Problem | null;
  readonly cause?: unknown;
}

/** Every failure of a call but an abort, which rejects with the reason of its signal. */
export class MqError extends Error {
  override readonly name = 'MqError';
  /** Stable: programs branch on it, never on the message. */
  readonly code: MqErrorCode;
  /** The HTTP status; null if no answer came. */
  readonly status: number | null;
  /** The id of the request in the log of the server; null if no answer came. */
  readonly requestId: string | null;
  /** How long the server asks to wait before the next try; null if it does not say. */
  readonly retryAfterMs: number | null;
  /** The whole answer; null if it was not a problem. `errors` names every field at fault. */
  readonly problem: Problem | null;

  constructor(message: string, parts: MqErrorParts) {
    super(message, parts.cause === undefined ? {} : { cause: parts.cause });
    this.code = parts.code;
    this.status = parts.status ?? null;
    this.requestId = parts.requestId ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
    this.problem = parts.problem ?? null;
  }
}

const retryAfterOf = (headers: Headers): number | null => {
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1000 : null;
};

const isProblem = (json: unknown): json is Problem =>
  typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string';

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The detail already names the first fault. */
const messageOf = (problem: Problem): string => {
  const detail = problem.detail ?? problem.title ?? problem.code;
  const others = (problem.errors ?? []).filter(({ message }) => !detail.includes(message));
  return [detail, ...others.map(({ path, message }) => `${path}: ${message}`)].join('\n');
};

/** The error of an answer that is not a success. */
export const errorOf = (response: Response, text: string): MqError => {
  const { status, headers } = response;
  const parts = { status, requestId: headers.get('x-request-id'), retryAfterMs: retryAfterOf(headers) };
  const json = parsed(text);
  if (isProblem(json)) return new MqError(messageOf(json), { ...parts, code: json.code, problem: json });
  const words = `The server answered ${status} without a code: the address may not be an mq server, or a proxy answered.`;
  return new MqError(words, { ...parts, code: 'UNEXPECTED_ANSWER' });
};
