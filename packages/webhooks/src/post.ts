import { type IncomingMessage, request as startRequest } from 'node:http';
import { type ConnectParts, connectChecked, RefusedTarget } from './connect.js';

/** A receiver that takes longer has failed this try. */
export const POST_LIMIT_MS = 15_000;
/** Max bytes that are read of an answer; the rest is ignored. */
const ANSWER_READ_LIMIT_BYTES = 65_536;
/** Max bytes of an answer that the delivery log keeps. */
export const ANSWER_KEPT_BYTES = 1_024;
/** How long the body of an answer may take: it does not change what became of the try. */
const ANSWER_BODY_LIMIT_MS = 2_000;
const RETRY_AFTER_LIMIT_MS = 3_600_000;

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Posted {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Null for a status of 2xx. */
  readonly error: string | null;
  /** The beginning of the answer; null if there was none. */
  readonly answer: string | null;
  /** How long the receiver asked to wait; null if it did not. */
  readonly retryAfterMs: number | null;
}

/**
 * Posts a body once: no redirect is followed, no proxy is used. Every behaviour of the receiver is a value; it
 * rejects only when the signal aborts.
 */
export const post = async (
  request: PostRequest,
  parts: ConnectParts & { readonly limitMs?: number },
  signal: AbortSignal,
): Promise<Posted> => {
  const limit = AbortSignal.timeout(parts.limitMs ?? POST_LIMIT_MS);
  const either = AbortSignal.any([signal, limit]);
  try {
    return await answered(request, parts, either);
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, error: faultOf(error, limit), answer: null, retryAfterMs: null };
  }
};

const answered = async (
  { url: text, headers, body }: PostRequest,
  parts: ConnectParts,
  signal: AbortSignal,
): Promise<Posted> => {
  const url = new URL(text);
  const socket = await connectChecked(url, parts, signal);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = startRequest({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          ...headers,
          host: url.host,
          'content-length': Buffer.byteLength(body),
          connection: 'close',
        },
        createConnection: () => socket,
        signal,
      });
      request.once('response', resolve);
      request.on('error', reject);
      // An answer that changes the protocol closes the connection, with neither a response nor an error.
      request.once('close', () => reject(new Error('the connection was closed')));
      request.end(body);
    });
    const status = response.statusCode ?? 0;
    const isSuccess = status >= 200 && status < 300;
    return {
      status,
      error: isSuccess ? null : statusFault(status),
      answer: await beginningOf(response),
      retryAfterMs: retryAfterOf(response),
    };
  } finally {
    socket.destroy();
  }
};

const statusFault = (status: number): string =>
  status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed.`
    : `It answered ${status}.`;

const beginningOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => response.destroy(), ANSWER_BODY_LIMIT_MS);
  try {
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_READ_LIMIT_BYTES) break;
    }
  } catch {
    // The answer was cut off: its status was received, and counts.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_KEPT_BYTES).toString('utf8');
};

const retryAfterOf = ({ statusCode, headers }: IncomingMessage): number | null => {
  if (statusCode !== 429 && statusCode !== 503) return null;
  const seconds = /^\d{1,6}$/.exec(headers['retry-after'] ?? '')?.[0];
  return seconds === undefined ? null : Math.min(Number(seconds) * 1_000, RETRY_AFTER_LIMIT_MS);
};

const faultOf = (error: unknown, limit: AbortSignal): string => {
  if (limit.aborted) return 'It did not answer in time.';
  if (error instanceof RefusedTarget) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  const said = error instanceof Error ? error.message : String(error);
  return `It could not be reached: ${code ?? said}.`.slice(0, 500);
};
