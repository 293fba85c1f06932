import type { AnswerOf, OperationName } from '@mq/client';
import fastify, { type FastifyInstance } from 'fastify';
import { mergeQueuePage } from '../src/index.js';
import {
  aPull,
  aQueue,
  busyLine,
  foundPull,
  type Line,
  type Queue,
  queueAt,
  snapshotOf,
  someStatistics,
} from './fixtures.js';

export type Answers = { [Name in OperationName]?: (body: Record<string, unknown>) => AnswerOf<Name> };

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

const NO_QUEUE = {
  status: 404,
  code: 'QUEUE_NOT_FOUND',
  title: 'Queue not found',
  detail: 'There is no queue.',
};

/** A server of the API whose answers a test sets, at an address that stays the same when it is stopped and started. */
export class StubServer {
  queues: Queue[] = [aQueue()];
  line: Line = busyLine();
  scopes: AnswerOf<'whoami'>['scopes'] = ['read', 'submit', 'cancel', 'queue:write', 'skip'];
  /** Answers that replace the usual ones. */
  answers: Answers = {};
  /** Refuses the named operations. */
  refusals: { [Name in OperationName | 'events']?: Refusal } = {};
  /** The queue that a request is about; null: there is none. */
  queueOf: (body: Record<string, unknown>) => Queue | null = () => this.queues[0] ?? aQueue();
  /** The code of the link that signs in. */
  linkCode: string | null = null;
  /** Each request of an operation, in order. */
  readonly asked: { readonly operation: string; readonly body: Record<string, unknown> }[] = [];
  #app: FastifyInstance | null = null;
  #port = 0;
  #sequence = 0;
  readonly #streams = new Set<(text: string) => void>();
  /** The ids that the streams were resumed after, in order; null for one that began. */
  readonly resumedAfter: (string | null)[] = [];

  /** `prefix`: the path below which the page and the API are; empty for none. */
  constructor(
    readonly folder: string,
    readonly prefix = '',
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}${this.prefix}`;
  }

  /** The version of the queue that the page named in its last stream; null without one. */
  shown: string | null = null;

  get streams(): number {
    return this.#streams.size;
  }

  async start(): Promise<void> {
    const app = fastify({ forceCloseConnections: true });
    const { prefix } = this;
    await app.register(mergeQueuePage, { folder: this.folder, prefix, api: prefix });
    app.post<{ Params: { operation: string }; Body: Record<string, unknown> }>(
      `${prefix}/v1/:operation`,
      async ({ params, body }, reply) => {
        const operation = params.operation as OperationName;
        this.asked.push({ operation, body });
        const refusal = this.refusals[operation];
        if (refusal !== undefined)
          return reply
            .code(refusal.status)
            .type('application/problem+json')
            .send({ ...refusal, title: refusal.code });
        if (body.targetBranch !== undefined && this.queueOf(body) === null)
          return reply.code(404).type('application/problem+json').send(NO_QUEUE);
        const answer = this.answers[operation] ?? this.#usual()[operation];
        if (answer === undefined)
          return reply.code(404).send({ code: 'NOT_FOUND', detail: 'There is none.', status: 404 });
        return reply.send((answer as (body: Record<string, unknown>) => unknown)(body));
      },
    );
    app.post<{ Body: { code: string } }>(`${prefix}/sign-in`, async ({ body }, reply) =>
      body.code === this.linkCode ? { token: 'token-of-the-link' } : reply.code(401).send({}),
    );
    app.get(`${prefix}/v1/events`, (request, reply) => {
      const refusal = this.refusals.events;
      if (refusal !== undefined)
        return void reply
          .code(refusal.status)
          .type('application/problem+json')
          .send({ ...refusal, title: refusal.code });
      this.resumedAfter.push((request.headers['last-event-id'] as string | undefined) ?? null);
      this.shown = (request.query as { readonly shownVersion?: string }).shownVersion ?? null;
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      reply.raw.write(`retry: 1000\nid: ${this.#sequence}\n\n`);
      const send = (text: string) => void reply.raw.write(text);
      this.#streams.add(send);
      reply.raw.on('close', () => this.#streams.delete(send));
    });
    await app.listen({ host: '127.0.0.1', port: this.#port });
    const address = app.server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
    this.#app = app;
  }

  async stop(): Promise<void> {
    await this.#app?.close();
    this.#app = null;
  }

  /** Sends an event of the queue on the streams. */
  emit(branch = 'main'): void {
    this.#sequence += 1;
    const data = {
      timestamp: new Date().toISOString(),
      queueId: aQueue().queueId,
      sequence: this.#sequence,
      repository: aQueue().repo,
      target_branch: branch,
      settings: {},
    };
    for (const send of this.#streams)
      send(`id: ${this.#sequence}\nevent: queue.changed\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends the line of the queue on the streams, as a change of the queue that they show. */
  bring(): void {
    const snapshot = snapshotOf(aQueue(), this.line, `brought.${this.#sequence}`);
    for (const send of this.#streams) send(`event: queue_snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`);
  }

  /** The named pull request of the line. */
  foundPull(body: Record<string, unknown>): ReturnType<typeof foundPull> {
    const { number } = body.pr as { number: number };
    const all = [...this.line.enqueued, ...this.line.notReady];
    return foundPull(all.find(({ prNumber }) => prNumber === number) ?? aPull(number));
  }

  #usual(): Answers {
    return {
      whoami: () => ({
        tokenId: 'token-1',
        isBootstrap: false,
        name: 'ada',
        person: 'ada',
        reporter: 'ada',
        scopes: this.scopes,
        repositories: null,
        checks: null,
        expiresAt: null,
      }),
      listQueues: () => ({ queues: this.queues }),
      getQueueSnapshot: (body) =>
        snapshotOf(this.queueOf(body) ?? aQueue(), this.line, String(this.asked.length)),
      getMergeQueueTestingDetails: (body) => {
        const pr = (body.pr as { number: number } | undefined)?.number;
        const runs = this.line.runs.filter(
          ({ testRunId, testedPullRequests }) =>
            (pr === undefined || testedPullRequests.some(({ prNumber }) => prNumber === pr)) &&
            (body.testRunId === undefined || body.testRunId === testRunId),
        );
        return { runs };
      },
      getSubmittedPullRequest: (body) => this.foundPull(body),
      getQueueAt: (body) => queueAt(String(body.at)),
      getQueueStatistics: () => someStatistics(),
      listReceipts: () => ({ receipts: [], chain: null }),
      preview: () => ({
        refusal: null,
        started: [],
        startedCount: 0,
        cancelled: [],
        cancelledCount: 0,
        ciMinutesLost: 0,
        moves: [],
        movesCount: 0,
        positions: [],
        positionsCount: 0,
        merges: [],
      }),
    };
  }
}
