import { HostError } from '@mq/core';
import PQueue from 'p-queue';
import type { z } from 'zod';

/** Timeout of one call, including its body. */
export const CALL_TIMEOUT_MS = 20_000;
const CALLS_AT_ONCE = 8;
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;
const MESSAGE_LIMIT_CHARS = 300;
/** Upper bound for `Retry-After` of the host. */
const RETRY_LIMIT_MS = 10 * 60_000;

/** One call, for counters and logs. Never holds a credential. */
export interface GiteaCall {
  readonly method: string;
  /** Without scheme and host. */
  readonly path: string;
  /** Null if no answer arrived. */
  readonly status: number | null;
  readonly tookMs: number;
}

export interface ApiOptions {
  /** The address of the server, without a trailing slash. */
  readonly url: string;
  /** Called for each request, so that the token can be rotated at run time. */
  readonly token: () => string | Promise<string>;
  readonly stop: AbortSignal;
  readonly onCall?: (call: GiteaCall) => void;
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** Accepted statuses besides 2xx; any other throws. */
  readonly statuses?: readonly number[];
  readonly isUrgent?: boolean;
}

export interface Answered {
  readonly status: number;
  readonly value: unknown;
  /** The header `Date` of the answer; null if there is none. */
  readonly date: string | null;
}

/** Calls the HTTP API, with a timeout, a max size of the answer and a max number of concurrent calls. */
export class GiteaApi {
  readonly #turns = new PQueue({ concurrency: CALLS_AT_ONCE });

  constructor(private readonly options: ApiOptions) {}

  /** Null for 404. */
  async get<Shape extends z.ZodType>(
    path: string,
    shape: Shape,
    { isUrgent = false }: Pick<CallOptions, 'isUrgent'> = {},
  ): Promise<z.output<Shape> | null> {
    const { status, value } = await this.call(path, { statuses: [404], isUrgent });
    return status === 404 ? null : valid(path, shape, value);
  }

  /** Validates what came with a 2xx. The value is null if there was none, and for the other expected statuses. */
  async ask<Shape extends z.ZodType>(
    path: string,
    shape: Shape,
    options: CallOptions,
  ): Promise<{ readonly status: number; readonly value: z.output<Shape> | null }> {
    const { status, value } = await this.call(path, options);
    const isNone = status === 204 || status >= 300;
    return { status, value: isNone ? null : valid(path, shape, value) };
  }

  async call(path: string, options: CallOptions = {}): Promise<Answered> {
    const { statuses = [], isUrgent = false } = options;
    const answered = await this.#turns.add(() => this.#once(path, options), { priority: isUrgent ? 1 : 0 });
    const { status, value, date, retryAfter } = answered;
    if ((status >= 200 && status < 300) || statuses.includes(status)) return { status, value, date };
    throw errorOf(path, status, messageIn(value), retryAfter);
  }

  /** The HTTP status of the first request of a git push to `owner/name`. Pushes nothing. */
  async pushStatus(repository: string): Promise<number> {
    const { url, token, stop } = this.options;
    try {
      const response = await fetch(`${url}/${repository}.git/info/refs?service=git-receive-pack`, {
        redirect: 'manual',
        signal: AbortSignal.any([stop, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
        headers: { authorization: `Basic ${basic(await token())}` },
      });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      throw new HostError(`The host does not answer: ${whyUnanswered(error)}`, 'later', null, {
        cause: error,
      });
    }
  }

  async #once(path: string, { method = 'GET', body }: CallOptions) {
    const { url, token, stop, onCall } = this.options;
    const begunAt = performance.now();
    let status: number | null = null;
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        redirect: 'manual',
        signal: AbortSignal.any([stop, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
        headers: {
          accept: 'application/json',
          authorization: `token ${await token()}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      status = response.status;
      const text = await boundedText(path, response);
      const { headers } = response;
      return {
        ...{ status, value: parsed(text) },
        ...{ date: headers.get('date'), retryAfter: headers.get('retry-after') },
      };
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw new HostError(`The host does not answer: ${whyUnanswered(error)}`, 'later', null, {
        cause: error,
      });
    } finally {
      onCall?.({ method, path, status, tookMs: Math.round(performance.now() - begunAt) });
    }
  }
}

/** Basic credentials with the token as password. The server ignores the user name. */
export const basic = (token: string): string => Buffer.from(`mq:${token}`).toString('base64');

const boundedText = async (path: string, response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_LIMIT_BYTES)
      throw new HostError(`The host answered ${path} with more than ${ANSWER_LIMIT_BYTES} bytes.`, 'later');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** Undefined if the text is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const valid = <Shape extends z.ZodType>(path: string, shape: Shape, value: unknown): z.output<Shape> => {
  const checked = shape.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const where = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
  throw new HostError(`The host's answer to ${path} is not what its API describes${where}.`, 'later');
};

const messageIn = (value: unknown): string => {
  const message = typeof value === 'object' && value !== null && 'message' in value ? value.message : '';
  return typeof message === 'string' ? message.replace(/\s+/g, ' ').trim().slice(0, MESSAGE_LIMIT_CHARS) : '';
};

/**
 * Maps an HTTP error. A refused token holds the queues until it works again. A redirect means a renamed repository, which a
 * person has to confirm. Everything else is considered temporary.
 */
const errorOf = (path: string, status: number, message: string, retryAfter: string | null): HostError => {
  const said = `${status}${message === '' ? '' : `: ${message}`}`;
  if (status === 401 || status === 403)
    return new HostError(
      `The host refuses the token for ${path} (${said}). Check the token and its rights.`,
      'never',
      null,
      {
        reach: 'access',
      },
    );
  if (status >= 300 && status < 400)
    return new HostError(
      `The repository was renamed at the host (${path} answers ${status}). Use its current name.`,
      'never',
      null,
      {
        reach: 'repository',
      },
    );
  if (status === 429 || status === 503)
    return new HostError(`The host asks to wait (${said}).`, 'later', retryAt(retryAfter));
  return new HostError(`The host answered ${path} with ${said}.`, 'later');
};

const retryAt = (header: string | null): number | null => {
  if (header === null) return null;
  const delayMs = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(delayMs) ? null : Date.now() + Math.min(Math.max(delayMs, 0), RETRY_LIMIT_MS);
};

const whyUnanswered = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `nothing came within ${CALL_TIMEOUT_MS / 1000} s.`;
  if (error.name === 'AbortError') return 'the server is stopping.';
  return error.cause instanceof Error ? error.cause.message : error.message;
};
