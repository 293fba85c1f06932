import { type EventsRequest, events } from './events.js';
import type { components } from './generated/openapi.js';
import { MqError } from './mq-error.js';
import { type AnswerOf, call } from './operations.js';
import { isPassing } from './retry.js';
import type { Transport } from './transport.js';

export type State = components['schemas']['SubmissionState'];

export interface WaitForRequest {
  readonly repo: components['schemas']['Repository'];
  readonly targetBranch: string;
  readonly pr: number;
}

export interface WaitForOptions {
  /** States to wait for, beside the terminal ones, which always end it. Default: only those. */
  readonly until?: readonly State[];
  readonly signal?: AbortSignal;
  /** Called with each answer that was read, the last one too. */
  readonly onChange?: (found: AnswerOf<'getSubmittedPullRequest'>) => void;
  /** Called when the server cannot be reached; the wait goes on. */
  readonly onLost?: (error: MqError | null) => void;
}

export type Waited = AnswerOf<'getSubmittedPullRequest'> & {
  /** True if the state is one of `until`, or if `until` was not given. */
  readonly reached: boolean;
};

export const terminalStates: ReadonlySet<State> = new Set(['merged', 'failed', 'cancelled']);

const isStream = (error: unknown): boolean =>
  !(error instanceof MqError && (error.code === 'UNEXPECTED_ANSWER' || error.status === 404));

/**
 * Resolves as soon as the pull request is merged, has failed or was cancelled, or is in one of the states of `until`.
 * It follows the events and reads after each; if a proxy breaks streams, it uses long polls. It waits for a server
 * that is unavailable.
 */
export const waitFor = async (
  transport: Transport,
  request: WaitForRequest,
  options: WaitForOptions = {},
): Promise<Waited> => {
  try {
    return await byStream(transport, request, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (isStream(error)) throw error;
    return byLongPoll(transport, request, options);
  }
};

const waitedOf = (found: AnswerOf<'getSubmittedPullRequest'>, { until }: WaitForOptions): Waited | null => {
  const reached = until === undefined ? terminalStates.has(found.state) : until.includes(found.state);
  return reached || terminalStates.has(found.state) ? { ...found, reached } : null;
};

const askOf = ({ repo, targetBranch, pr: number }: WaitForRequest) => ({
  repo,
  targetBranch,
  pr: { number },
});

/** Reads once the stream is open, and after each event: nothing in between is missed. */
const byStream = async (
  transport: Transport,
  request: WaitForRequest,
  options: WaitForOptions,
): Promise<Waited> => {
  const end = new AbortController();
  const signal = options.signal === undefined ? end.signal : AbortSignal.any([options.signal, end.signal]);
  const read = async (): Promise<Waited | null> => {
    const found = await call(transport, 'getSubmittedPullRequest', askOf(request), { signal });
    options.onChange?.(found);
    return waitedOf(found, options);
  };
  return new Promise<Waited>((resolve, reject) => {
    const settle = (act: () => void) => {
      act();
      end.abort();
    };
    const look = () =>
      read()
        .then((waited) => {
          if (waited !== null) settle(() => resolve(waited));
        })
        .catch((error) => {
          // The stream finds out that the server is away, and this is repeated when it is back.
          if (!isPassing(error)) settle(() => reject(error));
        });
    const follow = async () => {
      const filter: EventsRequest = request;
      for await (const _ of events(transport, filter, {
        signal,
        onOpen: () => void look(),
        onLost: (error) => options.onLost?.(error),
      }))
        await look();
    };
    follow().catch((error) => settle(() => reject(error)));
  });
};

const byLongPoll = async (
  transport: Transport,
  request: WaitForRequest,
  options: WaitForOptions,
): Promise<Waited> => {
  const { signal } = options;
  const until = options.until === undefined ? {} : { until: [...options.until] };
  for (;;) {
    try {
      const { reached: _, ...found } = await call(
        transport,
        'waitForPullRequest',
        { ...askOf(request), ...until },
        signal === undefined ? {} : { signal },
      );
      options.onChange?.(found);
      const waited = waitedOf(found, options);
      if (waited !== null) return waited;
    } catch (error) {
      if (!isPassing(error)) throw error;
      options.onLost?.(error);
    }
  }
};
