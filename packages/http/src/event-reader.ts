import { type Followed, type HistoryItem, type MergeQueue, type Queue, shownRepo } from '@mq/core';
import type { z } from 'zod';
import { mayUseRepository, type Principal } from './auth.js';
import { jsonWithoutTokens } from './json-answer.js';
import { nullIfGone } from './null-if-gone.js';
import { eventsOf, type QueueEvent } from './present/events.js';
import { presentQueueView } from './present/queue.js';
import type { eventsRequest } from './schemas/events.js';

/** Events are sent together up to about this length. */
const CHUNK_CHARS_LIMIT = 16_384;

export interface EventReaderParts {
  readonly mq: Pick<MergeQueue, 'follow' | 'canonicalRepo' | 'getQueue'>;
  readonly principal: Pick<Principal, 'isAnonymous' | 'repositories'>;
  readonly request: Omit<z.output<typeof eventsRequest>, 'after'>;
}

/** Events that are sent in one piece. */
export interface Batch {
  /** As text/event-stream; empty if none of them is wanted. */
  readonly bytes: Uint8Array;
  /** The cursor of a stream that has got all of them. */
  readonly cursor: string;
  /** Nothing more is there yet. */
  readonly isLast: boolean;
}

/** Equal for readers that are given the same events. */
export const contentKeyOf = ({ principal, request }: EventReaderParts): string => {
  const { repo, repoHost, targetBranch, pr, types } = request;
  const rights = principal.isAnonymous === true ? 'public' : (principal.repositories ?? 'all');
  return JSON.stringify([rights, repo, repoHost, targetBranch, pr, types]);
};

/** Reads committed events behind a cursor as they come. Many streams may share one reader. */
export class EventReader {
  readonly #ended = new AbortController();
  readonly #steps: AsyncIterator<Followed>;
  #next: Promise<IteratorResult<Followed>>;

  /** Without a cursor: from now on. */
  constructor(
    private readonly parts: EventReaderParts,
    after: string | undefined,
  ) {
    const { mq, principal, request } = parts;
    const { repo, repoHost: host, targetBranch } = request;
    this.#steps = mq
      .follow({
        ...(repo === undefined || host === undefined ? {} : { repo: { host, ...repo } }),
        ...(targetBranch === undefined ? {} : { targetBranch }),
        ...(after === undefined ? {} : { after }),
        isWanted: (queue: Queue) =>
          principal.isAnonymous === true
            ? queue.deletedAt === null && queue.settings.publicRead
            : mayUseRepository(mq, principal, queue.repo),
        signal: this.#ended.signal,
      })
      [Symbol.asyncIterator]();
    this.#next = this.#steps.next();
  }

  /**
   * The next batch; null if there are no more. All waiting events form one batch: a write for each event would cost
   * more. The first one has no events and says where the reader begins.
   */
  async next(): Promise<Batch | null> {
    let text = '';
    for (;;) {
      const { done, value: step } = await this.#next;
      if (done === true) return null;
      text += await this.#textOfStep(step);
      this.#next = this.#steps.next();
      const isLast = !(await isReady(this.#next));
      if (isLast || step.type === 'started' || text.length >= CHUNK_CHARS_LIMIT)
        return { bytes: Buffer.from(text), cursor: step.cursor, isLast };
    }
  }

  /** Ends the reader. A pending read resolves to null. */
  end(): void {
    this.#ended.abort();
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

  /** Made once for all readers that get the row. */
  #shown(row: HistoryItem, queue: Queue): readonly ShownEvent[] {
    const shown = this.#isAnonymous ? shownPublicly : shownToTokens;
    const cached = shown.get(row);
    if (cached !== undefined) return cached;
    const made = eventsOf(row, queue).map((event) => ({ event, text: this.#textOf(event.type, event) }));
    shown.set(row, made);
    return made;
  }

  get #isAnonymous(): boolean {
    return this.parts.principal.isAnonymous === true;
  }

  /** What a client needs to start over: the current queue; `snapshot` is null if the queue was deleted. */
  async #snapshot(queue: Queue): Promise<object> {
    const { branch: targetBranch, id: queueId } = queue;
    const repo = shownRepo(queue.repo);
    const view = await this.parts.mq.getQueue({ repo, targetBranch }).catch(nullIfGone);
    const snapshot = view === null ? null : presentQueueView(view, repo);
    return { queueId, repository: repo, target_branch: targetBranch, snapshot };
  }

  /** Formats an event. JSON contains no line breaks, so one `data:` line is enough. */
  #textOf(type: string, data: object): string {
    const text = this.#isAnonymous ? jsonWithoutTokens(data) : JSON.stringify(data);
    return `event: ${type}\ndata: ${text}\n`;
  }
}

interface ShownEvent {
  readonly event: QueueEvent;
  /** As it is sent, without its id. */
  readonly text: string;
}

/** The events of rows that readers have been given, while those rows are in memory. */
const shownToTokens = new WeakMap<HistoryItem, readonly ShownEvent[]>();
const shownPublicly = new WeakMap<HistoryItem, readonly ShownEvent[]>();

/** Whether it is available without I/O. */
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
