import type { components, operations } from './generated/openapi.js';
import { MqError } from './mq-error.js';
import { backoffMs, isPassing, pause } from './retry.js';
import { type SseMessage, SseParser } from './sse.js';
import type { Transport } from './transport.js';

type Repository = components['schemas']['Repository'];
type Snapshot = components['schemas']['GetQueueSnapshotAnswer'];

interface About {
  readonly timestamp: string;
  readonly queueId: string;
  /** The row of the history behind the event. */
  readonly sequence: number;
  readonly repository: Repository;
  readonly target_branch: string;
}

interface PullRequestEvent extends About {
  readonly pr_number: number;
  readonly attempt: number | null;
  readonly reason?: string | null;
  readonly reason_detail?: string | null;
  readonly test_run_id: string | null;
  readonly [field: string]: unknown;
}

interface BatchEvent extends About {
  readonly pr_numbers: readonly number[];
  readonly test_run_id: string | null;
  readonly [field: string]: unknown;
}

type Of<Type extends string, Data> = { readonly id: string | null; readonly type: Type; readonly data: Data };

type PullRequestState =
  | 'submitted'
  | 'queued'
  | 'testing'
  | 'tests_passed'
  | 'pending_failure'
  | 'not_ready'
  | 'merged'
  | 'failed'
  | 'canceled';

/**
 * What the stream sends. `id` is the position behind it: pass it as `after` to go on from there. Null if another event of the
 * same row of the history follows.
 */
export type MqEvent =
  | Of<`pull_request.${PullRequestState}`, PullRequestEvent>
  | Of<`pull_request_batch.${'testing' | 'pending_failure' | 'failed' | 'merged'}`, BatchEvent>
  | Of<'queue.changed', About & { readonly [field: string]: unknown }>
  | Of<'alarm', About & { readonly code: string; readonly sentence: string }>
  /** Events are missing: `snapshot` is the queue as it stands, null if it was deleted. */
  | Of<
      'reset',
      {
        readonly queueId: string;
        readonly repository: Repository;
        readonly target_branch: string;
        readonly snapshot: components['schemas']['GetQueueAnswer'] | null;
      }
    >;

type EventsQuery = NonNullable<operations['streamEvents']['parameters']['query']>;

export interface EventsRequest {
  /** Default: events of every repository that the token may read. */
  readonly repo?: Repository;
  readonly targetBranch?: string;
  /** Needs `repo` and `targetBranch`. */
  readonly pr?: number;
  readonly types?: readonly Exclude<MqEvent['type'], 'reset'>[];
  /** The `id` of the last seen event. Default: the stream begins now. */
  readonly after?: string;
  /** Events are sent together, at most once in this time. Default: at once. */
  readonly restMs?: number;
  /** A queue whose snapshot is given to `onSnapshot`: first all of it, or the changes since `version`. */
  readonly shown?: {
    readonly repo: Repository;
    readonly targetBranch: string;
    readonly version?: string;
  };
}

export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Called when the stream is open, for the first time and again. */
  readonly onOpen?: () => void;
  /**
   * Called with the changes of the queue in `shown`, at most once per second. Called with the whole queue if `since`
   * is null.
   */
  readonly onSnapshot?: (snapshot: Snapshot) => void;
  /** Called with each position of the stream, even if no event has come: pass the last one as `after` to go on from there. */
  readonly onPosition?: (position: string) => void;
  /** Called when the stream has ended or could not be opened; it is opened again after `waitMs`. */
  readonly onLost?: (error: MqError | null, waitMs: number) => void;
}

/** The server sends a heartbeat every 15 s. */
const SILENCE_LIMIT_MS = 60_000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Events as they happen, each once and in the order of the commits of their queue, for ever: a stream that ends is resumed
 * behind the last row of the history whose events have all come. Rejects if the server refuses (401, 403, 404, 400), and with the reason of the signal.
 */
export async function* events(
  transport: Transport,
  request: EventsRequest,
  options: EventsOptions = {},
): AsyncGenerator<MqEvent, void, undefined> {
  let after = request.after ?? null;
  for (let tries = 0; ; ) {
    let lost: MqError | null = null;
    // Only the last of several events of one row has the id: if the stream breaks before it, they all come once more.
    let held: MqEvent[] = [];
    try {
      for await (const message of messagesOf(transport, request, after, options)) {
        tries = 0;
        if (message.event === 'queue_snapshot') options.onSnapshot?.(dataOf(message) as Snapshot);
        else if (message.event !== null && message.data !== null) held.push(eventOf(message));
        if (message.id === null) continue;
        after = message.id;
        options.onPosition?.(after);
        const whole = held;
        held = [];
        yield* whole;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      lost = error;
    }
    const waitMs = Math.max(lost?.retryAfterMs ?? 0, backoffMs(tries, LONGEST_WAIT_MS));
    tries += 1;
    options.onLost?.(lost, waitMs);
    await pause(waitMs, options.signal);
  }
}

const eventOf = (message: SseMessage): MqEvent =>
  ({ id: message.id, type: message.event, data: dataOf(message) }) as MqEvent;

const dataOf = ({ data }: SseMessage): unknown => {
  try {
    return JSON.parse(data ?? '');
  } catch (cause) {
    throw new MqError('The stream has an event that is not JSON.', { code: 'UNEXPECTED_ANSWER', cause });
  }
};

const queryOf = ({ repo, targetBranch, pr, types, restMs, shown }: EventsRequest): string => {
  const query = {
    ...(repo === undefined ? {} : { repo: `${repo.owner}/${repo.name}`, repoHost: repo.host }),
    ...(targetBranch === undefined ? {} : { targetBranch }),
    ...(pr === undefined ? {} : { pr }),
    ...(types === undefined ? {} : { types: types.join(',') }),
    ...(restMs === undefined ? {} : { restMs }),
    ...(shown === undefined ? {} : shownQuery(shown)),
  } satisfies { readonly [Name in keyof EventsQuery]: unknown };
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) text.set(name, String(value));
  return text.size === 0 ? 'events' : `events?${text}`;
};

const shownQuery = ({ repo, targetBranch, version }: NonNullable<EventsRequest['shown']>) => ({
  ...{ shownRepo: `${repo.owner}/${repo.name}`, shownRepoHost: repo.host, shownBranch: targetBranch },
  ...(version === undefined ? {} : { shownVersion: version }),
});

/** The messages of one connection. Ends with it, and rejects if it breaks or is silent. */
async function* messagesOf(
  transport: Transport,
  request: EventsRequest,
  after: string | null,
  { signal, onOpen }: EventsOptions,
): AsyncGenerator<SseMessage, void, undefined> {
  const silence = new AbortController();
  const ended = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
  const headers = { accept: 'text/event-stream', ...(after === null ? {} : { 'last-event-id': after }) };
  try {
    const response = await transport.response({ path: queryOf(request), init: { headers }, signal: ended });
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      throw new MqError(
        'The answer is not an event stream: the address may not be an mq server, or a proxy answered.',
        {
          code: 'UNEXPECTED_ANSWER',
          status: response.status,
        },
      );
    onOpen?.();
    const parser = new SseParser();
    const decoder = new TextDecoder();
    for await (const bytes of piecesOf(response, ended)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
      yield* parser.push(decoder.decode(bytes, { stream: true }));
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof MqError) throw cause;
    throw new MqError('The connection was lost.', { code: 'UNREACHABLE', cause });
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Uses a reader: not every browser can iterate a stream, and not every given `fetch` ends it on abort. */
async function* piecesOf(
  { body }: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  const cancel = () => void reader?.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const piece = await reader?.read();
      signal.throwIfAborted();
      if (piece === undefined || piece.done) return;
      yield piece.value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
