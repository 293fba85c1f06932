import { errorOf, MqError } from './mq-error.js';
import type { RetryOptions } from './retry.js';

export interface ClientOptions {
  /** The address of the server, without `/v1`: `https://mq.example.com`. */
  readonly url: string | URL;
  /** Null or left out: no token is sent, and the server answers 401. */
  readonly token?: string | null;
  /** Replaces the `fetch` of the runtime: for tests, proxies and service bindings. */
  readonly fetch?: typeof fetch;
  readonly retry?: RetryOptions;
  /** The timeout of a request. Default 150 s; waiting operations take up to 55 s. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** By default each writing call has its own key, so that its retries do nothing twice. */
  readonly idempotencyKey?: string;
  /**
   * For `updateQueue`: the ETag of the settings that were read. If they have changed since, the call fails with
   * `SETTINGS_CHANGED`.
   */
  readonly ifMatch?: string;
  /** Called with the headers of the answer: `etag`, `x-request-id`. */
  readonly onHeaders?: (headers: Headers) => void;
}

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_DEFAULT_MS = 150_000;

/** Sends requests to one server, and to no other address: redirects are refused. */
export class Transport {
  readonly #base: URL;
  readonly #fetch: typeof fetch;

  constructor(private readonly options: ClientOptions) {
    const url = new URL(options.url);
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    this.#base = new URL('v1/', url);
    const given = options.fetch;
    // Called without `this`: browsers refuse the global `fetch` as a method of another object.
    this.#fetch = given === undefined ? (input, init) => fetch(input, init) : given;
  }

  get retry(): RetryOptions {
    return this.options.retry ?? {};
  }

  /** The text of a successful answer. Rejects with MqError, or with the reason of the signal. */
  async text(sent: Sent, onHeaders?: (headers: Headers) => void): Promise<string> {
    const limit = new AbortController();
    const limitMs = this.options.timeoutMs ?? TIMEOUT_DEFAULT_MS;
    const timer = setTimeout(() => limit.abort(), limitMs);
    const signal = sent.signal === undefined ? limit.signal : AbortSignal.any([sent.signal, limit.signal]);
    try {
      const response = await this.response({ ...sent, signal });
      onHeaders?.(response.headers);
      return await response.text();
    } catch (error) {
      sent.signal?.throwIfAborted();
      if (limit.signal.aborted)
        throw new MqError(`${this.#base.origin} did not answer within ${limitMs / 1000} s.`, {
          code: 'TIMED_OUT',
        });
      throw error instanceof MqError ? error : this.#unreachable(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A successful answer whose body is not read yet. */
  async response({ path, init, signal }: Sent): Promise<Response> {
    const { token } = this.options;
    const headers = new Headers(init.headers);
    if (token !== undefined && token !== null) headers.set('x-api-token', token);
    let response: Response;
    try {
      response = await this.#fetch(new URL(path, this.#base), {
        ...init,
        headers,
        redirect: 'manual',
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#unreachable(error);
    }
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new MqError(
        `${this.#base.origin} redirects to another address, and the token is not sent there: use that address if you trust it.`,
        { code: 'UNEXPECTED_ANSWER', status: response.status },
      );
    if (!response.ok) throw errorOf(response, await response.text());
    return response;
  }

  #unreachable(cause: unknown): MqError {
    const reason = deepestMessage(cause);
    return new MqError(`${this.#base.origin} cannot be reached: ${reason}.`, { code: 'UNREACHABLE', cause });
  }
}

/** Runtimes say "fetch failed", and why in the cause. */
const deepestMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return deepestMessage(error.cause);
  return error.message === '' && 'code' in error ? String(error.code) : error.message.replace(/\.$/, '');
};

/** 128 random bits. `crypto.randomUUID` is missing on pages that were loaded over http. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
