import type { MergeQueue, RepoRef } from '@mq/core';
import { watch, watchedLog } from '@mq/secret-watch';
import { aQueue } from '@mq/testkit';
import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { onTestFinished } from 'vitest';
import {
  type KnownToken,
  type MergeQueueApiOptions,
  mergeQueueApi,
  recommendedServerOptions,
  scopes,
  tokenAuthenticator,
} from '../src/index.js';
import { answerFault, requestFault } from './contract-check.js';

export const repo: RepoRef = { host: 'fake.example', owner: 'acme', name: 'widgets' };
export const queueRef = { repo, targetBranch: 'main' };

export const everything: KnownToken = {
  id: 'token-1',
  name: 'bootstrap',
  token: 'secret-of-the-bootstrap-token',
  scopes: new Set(scopes),
};
export const readOnly: KnownToken = {
  id: 'token-2',
  name: 'reader',
  token: 'secret-of-the-reader',
  scopes: new Set(['read', 'metrics']),
};
export const elsewhere: KnownToken = {
  id: 'token-3',
  name: 'elsewhere',
  token: 'secret-of-elsewhere',
  scopes: new Set(scopes),
  repositories: [{ host: 'fake.example', owner: 'acme', name: 'gadgets' }],
};

/** The engine's view of an empty queue. */
export const emptyView = {
  queue: aQueue(),
  status: 'running',
  requiredChecks: null,
  unreportedChecks: [],
  enqueued: [],
  notReady: [],
} as const;

/** An engine with only the methods of `script`. `asked` records the calls. */
export const scriptedQueue = (script: Partial<MergeQueue> = {}) => {
  const asked: { method: string; request: unknown }[] = [];
  const mq = new Proxy(script, {
    get: (methods, name) => (request: unknown) => {
      if (name === 'canonicalRepo') return request;
      if (name === 'isPublic') return Promise.resolve(false);
      asked.push({ method: String(name), request });
      const method = Reflect.get(methods, name) as ((request: unknown) => unknown) | undefined;
      if (method === undefined) throw new Error(`unexpected call of ${String(name)}`);
      return method(request);
    },
  }) as MergeQueue;
  return { mq, asked };
};

export interface Api {
  readonly app: FastifyInstance;
  post(name: string, body: unknown, options?: AskOptions): Promise<Answer>;
  get(path: string, options?: AskOptions): Promise<Answer>;
}

export interface AskOptions {
  /** Null sends no token. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as a client would
  readonly json: any;
}

export const serverWith = async (options: Partial<MergeQueueApiOptions>): Promise<FastifyInstance> => {
  const app: FastifyInstance = fastify({ ...recommendedServerOptions, logger: watchedLog });
  onTestFinished(() => app.close());
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode >= 400) watch('an error', String(payload));
  });
  await app.register(mergeQueueApi, {
    mq: scriptedQueue().mq,
    authenticate: tokenAuthenticator([everything, readOnly, elsewhere]),
    prefix: '/v1',
    ...options,
  });
  return app;
};

/** A server with the plugin under `/v1`. Every request and answer is checked against the OpenAPI document. */
export const apiWith = async (options: Partial<MergeQueueApiOptions>): Promise<Api> => {
  const app = await serverWith(options);
  const headersOf = ({ token, headers }: AskOptions) => ({
    ...(token === null ? {} : { 'x-api-token': token ?? everything.token }),
    ...headers,
  });
  return {
    app,
    post: async (name, body, ask = {}) => {
      const payload = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await app.inject({
        method: 'POST',
        url: `/v1/${name}`,
        headers: { 'content-type': 'application/json', ...headersOf(ask) },
        payload,
      });
      const answer = answerOf(response);
      const fault = answerFault('post', `/${name}`, answer) ?? requestFault(name, payload, answer);
      if (fault !== null) throw new Error(fault);
      return answer;
    },
    get: async (path, ask = {}) => {
      const answer = answerOf(
        await app.inject({ method: 'GET', url: `/v1/${path}`, headers: headersOf(ask) }),
      );
      const fault = answerFault('get', `/${path.split('?', 1)[0]}`, answer);
      if (fault !== null) throw new Error(fault);
      return answer;
    },
  };
};

const answerOf = (response: LightMyRequestResponse): Answer => ({
  status: response.statusCode,
  headers: response.headers,
  text: response.body,
  get json() {
    return response.json();
  },
});

/** A valid request for each operation that takes a body. */
export const validRequests: Readonly<Record<string, object>> = {
  submitPullRequest: { ...queueRef, pr: { number: 1 } },
  cancelPullRequest: { ...queueRef, pr: { number: 1 } },
  restartTestsOnPullRequest: { ...queueRef, pr: { number: 1 } },
  getSubmittedPullRequest: { ...queueRef, pr: { number: 1 } },
  getSubmittedPullRequests: { ...queueRef, prs: [{ number: 1 }] },
  waitForPullRequest: { ...queueRef, pr: { number: 1 }, waitSeconds: 0 },
  listPullRequests: queueRef,
  getPullRequestTimeline: { ...queueRef, pr: { number: 1 } },
  setImpactedTargets: { ...queueRef, pr: { number: 1 }, impactedTargets: ['//app'] },
  createQueue: queueRef,
  updateQueue: { ...queueRef, concurrency: 2 },
  deleteQueue: queueRef,
  getQueue: queueRef,
  getQueueSnapshot: queueRef,
  getQueueAt: { ...queueRef, at: '2026-06-01T00:00:00.000Z' },
  getQueueStatistics: { ...queueRef, since: '2026-01-01T00:00:00.000Z' },
  listQueueChanges: queueRef,
  listQueues: {},
  getMergeQueueTestingDetails: queueRef,
  listReceipts: queueRef,
  listExpectedChecks: {},
  reportCheck: { repo, check: 'unit', testRunId: 'run', status: 'running' },
  whoami: {},
  diagnose: {},
  preview: { operation: 'cancelPullRequest', ...queueRef, pr: { number: 1 } },
  createToken: { name: 'ci', scopes: ['read'] },
  rotateToken: { tokenId: 'some-token' },
  listTokens: {},
  revokeToken: { tokenId: 'some-token' },
  createWebhook: { url: 'https://receiver.example/hook' },
  listWebhooks: {},
  updateWebhook: { webhookId: 'some-webhook' },
  deleteWebhook: { webhookId: 'some-webhook' },
  testWebhook: { webhookId: 'some-webhook' },
  listDeliveries: { webhookId: 'some-webhook' },
  replayDeliveries: { webhookId: 'some-webhook', since: '2026-01-01T00:00:00.000Z' },
  listMergeQueueTestingResults: { ...queueRef, since: '2026-01-01T00:00:00.000Z' },
};

/** Operations that concern no repository. */
export const withoutRepository: readonly string[] = [
  'whoami',
  'createToken',
  'rotateToken',
  'listTokens',
  'revokeToken',
  'listWebhooks',
  'deleteWebhook',
  'testWebhook',
  'listDeliveries',
  'replayDeliveries',
];

/** The distinct fields named in a refusal. */
export const pathsOf = (answer: Answer): readonly string[] => [
  ...new Set<string>(answer.json.errors.map((fault: { path: string }) => fault.path)),
];
