import { Readable } from 'node:stream';
import { type Followed, type HistoryItem, type MergeQueue, MergeQueueError, type Queue } from '@mq/core';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import { mayUseRepository, type Principal } from './auth.js';
import { jsonWithoutTokens } from './json-answer.js';
import { TOKEN_CHECK_MS } from './operation.js';
import { eventsOf, type QueueEvent } from './present/events.js';
import { presentQueueView } from './present/queue.js';
import type { eventsRequest } from './schemas/events.js';

export const EVENT_STREAM_CONTENT_TYPE = 'text/event-stream; charset=utf-8';
/** Interval of heartbeats, which keep proxies and clients from closing an idle stream. */
export const HEARTBEAT_MS = 15_000;
/** Timeout of a client that reads nothing. It may reconnect and resume with the id of its last event. */
export const SLOW_CLIENT_MS = 30_000;
/** Events are sent together up to about this length. */
const CHUNK_CHARS = 16_384;
/** Reconnection delay that clients are given. */
const RETRY_MS = 1_000;

export interface StreamParts {
  readonly mq: MergeQueue;
  readonly principal: Principal;
  readonly request: z.output<typeof eventsRequest>;
  /** The header `Last-Event-ID`; it takes precedence over `after` in the request. */
  readonly lastEventId: string | undefined;
  /** Aborts when the service stops. */
  readonly closing: AbortSignal;
  /** Rejects if the token is revoked or expired. */
  readonly requireStillValid: () => Promise<void>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Streams committed events as text/event-stream. The stream ends when the service stops, when the token becomes invalid, or
 * when the client reads nothing for `SLOW_CLIENT_MS`. Rejects before the first byte if the request cannot be served.
 */
export const eventStream = async (parts: StreamParts): Promise<Readable> => {
  const { mq, principal, request, lastEventId } = parts;
  const { repo, repoHost: host, targetBranch } = request;
  const after = lastEventId ?? request.after;
  const named = repo === undefined || host === undefined ? {} : { repo: { host, ...repo } };
  // A stream of a host that is not configured would stay silent; this is refused with UNKNOWN_HOST.
  if (named.repo !== undefined) await mq.listQueues({ ...named, take: 1 });
  const end = new AbortController();
  const follow = mq.follow({
    ...named,
    ...(targetBranch === undefined ? {} : { targetBranch }),
    ...(after === undefined ? {} : { after }),
    isWanted: (queue: Queue) =>
      principal.isAnonymous === true
        ? queue.deletedAt === null && queue.settings.publicRead
        : mayUseRepository(mq, principal, queue.repo),
    signal: end.signal,
  });
  const steps = follow[Symbol.asyncIterator]();
  const first = await steps.next();
  return new EventStream(parts, end, steps, first.done === true ? '' : first.value.cursor);
};

interface ShownEvent {
  readonly event: QueueEvent;
  /** As it is sent, without its id. */
  readonly text: string;
}

/** The events of rows that streams have been sent, while those rows are in memory. */
const shownToTokens = new WeakMap<HistoryItem, readonly ShownEvent[]>();
const shownPublicly = new WeakMap<HistoryItem, readonly ShownEvent[]>();

class EventStream extends Readable {
  #cursor: string;
  #drained: (() => void) | null = null;
  #isOver = false;
  readonly #timers: NodeJS.Timeout[];

  constructor(
    private readonly parts: StreamParts,
    private readonly end: AbortController,
    private readonly steps: AsyncIterator<Followed>,
    cursor: string,
  ) {
    super({ highWaterMark: CHUNK_CHARS });
    this.#cursor = cursor;
    this.#timers = [
      setInterval(() => this.#beat(), HEARTBEAT_MS),
      setInterval(() => this.#checkToken(), TOKEN_CHECK_MS),
    ];
    parts.closing.addEventListener('abort', this.#finish, { once: true });
    this.push(`retry: ${RETRY_MS}\nid: ${cursor}\n\n`);
    void this.#pump();
    if (parts.closing.aborted) this.#finish();
  }

  override _read(): void {
    this.#drained?.();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stop();
    this.#drained?.();
    callback(error);
  }

  /** What is there already is sent together: a write for each event would cost more than all else. */
  async #pump(): Promise<void> {
    try {
      let text = '';
      let next = this.steps.next();
      for (;;) {
        const { done, value: step } = await next;
        if (done === true || this.#isOver) break;
        text += await this.#textOfStep(step);
        next = this.steps.next();
        if ((await isReady(next)) && text.length < CHUNK_CHARS) continue;
        await this.#write(text, step.cursor);
        text = '';
      }
    } catch (error) {
      this.parts.log.warn({ err: error }, 'a stream of events ended early; its client resumes it');
    }
    this.#finish();
  }

  async #textOfStep(step: Followed): Promise<string> {
    if (step.type === 'started') return '';
    if (step.type === 'reset')
      return withId(this.#textOf('reset', await this.#snapshot(step.queue)), step.cursor);
    const wanted = this.#shown(step.row, step.queue).filter(({ event }) => this.#isWanted(event));
    const last = wanted.at(-1);
    return wanted.map((one) => withId(one.text, one === last ? step.cursor : null)).join('');
  }

  #isWanted(event: QueueEvent): boolean {
    const { pr, types } = this.parts.request;
    return (types?.includes(event.type) ?? true) && (pr === undefined || isAbout(event, pr));
  }

  /** Made once for all streams that get the row. */
  #shown(row: HistoryItem, queue: Queue): readonly ShownEvent[] {
    const shown = this.#isAnonymous ? shownPublicly : shownToTokens;
    const known = shown.get(row);
    if (known !== undefined) return known;
    const made = eventsOf(row, queue).map((event) => ({ event, text: this.#textOf(event.type, event) }));
    shown.set(row, made);
    return made;
  }

  get #isAnonymous(): boolean {
    return this.parts.principal.isAnonymous === true;
  }

  /** What a client needs to start over: the current queue; `snapshot` is null if the queue was deleted. */
  async #snapshot(queue: Queue): Promise<object> {
    const { repo, branch: targetBranch, id: queueId } = queue;
    const view = await this.parts.mq.getQueue({ repo, targetBranch }).catch(nullIfGone);
    const snapshot = view === null ? null : presentQueueView(view, repo);
    return { queueId, repository: repo, target_branch: targetBranch, snapshot };
  }

  /** Formats an event. JSON contains no line breaks, so one `data:` line is enough. */
  #textOf(type: string, data: object): string {
    const text = this.#isAnonymous ? jsonWithoutTokens(data) : JSON.stringify(data);
    return `event: ${type}\ndata: ${text}\n`;
  }

  /** With all of the text a client is at the cursor. */
  async #write(text: string, cursor: string): Promise<void> {
    this.#cursor = cursor;
    if (this.#isOver || text === '' || this.push(text)) return;
    const timer = setTimeout(() => this.destroy(), SLOW_CLIENT_MS);
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    this.#drained = null;
    clearTimeout(timer);
  }

  /** Sends a heartbeat with the current cursor, so that a resuming client does not read filtered-out rows again. */
  #beat(): void {
    if (this.#drained === null && !this.#isOver) this.push(`id: ${this.#cursor}\n\n`);
  }

  #checkToken(): void {
    this.parts.requireStillValid().catch(this.#finish);
  }

  readonly #finish = (): void => {
    if (this.#isOver) return;
    this.#stop();
    this.push(null);
  };

  #stop(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.parts.closing.removeEventListener('abort', this.#finish);
    this.end.abort();
  }
}

/** Whether it is there without waiting for input or output. */
const isReady = (next: Promise<unknown>): Promise<boolean> => {
  const isLater = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([
    next.then(
      () => true,
      () => true,
    ),
    isLater,
  ]);
};

const withId = (text: string, id: string | null): string =>
  id === null ? `${text}\n` : `${text}id: ${id}\n\n`;

const isAbout = ({ pr_number: number, pr_numbers: numbers = [] }: QueueEvent, pr: number): boolean =>
  number === pr || numbers.includes(pr);

const nullIfGone = (error: unknown): null => {
  if (error instanceof MergeQueueError && error.code === 'QUEUE_NOT_FOUND') return null;
  throw error;
};
