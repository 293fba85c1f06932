import { MqError } from './mq-error.js';

export interface RetryOptions {
  /** How often a request is repeated at most; 0 is never. Default 4. */
  readonly limit?: number;
  /** The longest wait before a repetition. If the server asks for more, the error is thrown. Default 30 s. */
  readonly longestWaitMs?: number;
}

const RETRIES_DEFAULT = 4;
const LONGEST_WAIT_DEFAULT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const RETRIED_STATUSES: ReadonlySet<number | null> = new Set([429, 502, 503, 504]);

/** Resolves after the time; rejects with the reason of the signal as soon as it aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Between half and all of the exponential wait, so that clients do not retry at the same time. */
export const backoffMs = (tries: number, longestMs: number): number => {
  const full = Math.min(longestMs, FIRST_WAIT_MS * 2 ** tries);
  return full / 2 + (Math.random() * full) / 2;
};

/** True for transient failures: no answer, too many requests, and a server that is unavailable. */
export const isPassing = (error: unknown): error is MqError =>
  error instanceof MqError && (error.code === 'UNREACHABLE' || RETRIED_STATUSES.has(error.status));

/** Repeats `attempt` while its failure is transient. `attempt` must be idempotent. */
export const withRetries = async <Value>(
  attempt: () => Promise<Value>,
  { limit = RETRIES_DEFAULT, longestWaitMs = LONGEST_WAIT_DEFAULT_MS }: RetryOptions,
  signal?: AbortSignal,
): Promise<Value> => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const askedMs = error instanceof MqError ? (error.retryAfterMs ?? 0) : 0;
      if (!isPassing(error) || tries >= limit || askedMs > longestWaitMs) throw error;
      await pause(Math.max(askedMs, backoffMs(tries, longestWaitMs)), signal);
    }
  }
};
