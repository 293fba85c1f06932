// The OWASP API Security Top 10 of 2023, as attacks on this API: one test for each row.
import http from 'node:http';
import https from 'node:https';
import { createMergeQueue, scopes, tokenKeeper } from '@mq/core';
import { memoryCheckStore, memoryServiceStore, memoryStore } from '@mq/store-memory';
import { fakeHost, story, virtualClock } from '@mq/testkit';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  type KnownToken,
  keeperAuthenticator,
  mergeQueueApi,
  recommendedServerOptions,
  securityHeaders,
  tokenAuthenticator,
} from '../src/index.js';
import { operations } from '../src/routes.js';
import { document } from './contract-check.js';
import { engineWorld, pr } from './engine-world.js';
import {
  apiWith,
  elsewhere,
  everything,
  queueRef,
  readOnly,
  repo,
  scriptedQueue,
  validRequests,
} from './world.js';

const gadgets = { ...repo, name: 'gadgets' };

test('API1 a token of another repository reads and changes no object by its id, number or branch', async () => {
  const { q, ask } = await engineWorld();
  await q.submit(1);
  const { testRunId, id } = (await ask('getSubmittedPullRequest', pr(1))).json;
  const asAnother = { token: elsewhere.token };
  for (const [name, body] of Object.entries(validRequests)) {
    if (!('repo' in body)) continue;
    const answer = await ask(name, { ...body, ...queueRef }, asAnother);
    expect([name, answer.status, answer.json.code]).toEqual([name, 403, 'REPOSITORY_NOT_ALLOWED']);
  }
  const stolen = await ask('getMergeQueueTestingDetails', { repo: gadgets, testRunId }, asAnother);
  expect(stolen.status).toBe(404);
  const { text } = await ask('listQueues', { repo: undefined, targetBranch: undefined }, asAnother);
  for (const secret of [testRunId, id, repo.name]) expect(text).not.toContain(secret);
  q.isIn({ 1: 'testing' });
});

test('API2 tokens cannot be guessed: every cause is answered alike, and after some tries with 429', async () => {
  const { mq } = scriptedQueue();
  const rates = { perToken: 100, perAddress: 100, anonymous: 1_000, failedTries: 20 };
  const api = await apiWith({ mq, rates });
  const tries = [];
  for (let made = 0; made < 30; made += 1)
    tries.push((await api.post('whoami', {}, { token: `${everything.token.slice(0, -1)}${made}` })).status);
  expect(tries).toEqual([...Array(20).fill(401), ...Array(10).fill(429)]);
  expect((await api.post('whoami', {})).status).toBe(200);
});

test('API3 fields outside the schema of a request change nothing, and no answer contains the secret of an object', async () => {
  const clock = virtualClock();
  const tokens = tokenKeeper({ store: memoryServiceStore({ clock }), canonicalRepo: (one) => one, clock });
  const api = await apiWith({
    mq: scriptedQueue().mq,
    tokens,
    authenticate: keeperAuthenticator(tokens, 'boot'),
  });
  const ask = (name: string, body: object, token = 'boot') => api.post(name, body, { token });
  const extra = { isBootstrap: true, makers: [], familyId: 'bootstrap', digest: 'x', tokenId: 'mine' };
  const { token, warnings } = (await ask('createToken', { name: 'ci', scopes: ['read', 'tokens'], ...extra }))
    .json;
  expect(warnings.length).toBeGreaterThan(0);
  expect((await ask('whoami', {}, token)).json).toMatchObject({
    isBootstrap: false,
    scopes: ['read', 'tokens'],
  });
  const wider = await ask('createToken', { name: 'wider', scopes: ['admin'] }, token);
  expect([wider.status, wider.json.code]).toEqual([403, 'RIGHTS_EXCEEDED']);
  expect((await ask('listTokens', {})).text).not.toMatch(/digest|mqt_[0-9A-Za-z]{20}/);
});

test('API4 the cost of a request is bounded: length, depth, values, lists, pages, waits', async () => {
  const { ask } = await engineWorld();
  const many = Array.from({ length: 1_001 }, (_, index) => ({ number: index + 1 }));
  const tooMuch: readonly [number, string, object][] = [
    [400, 'listPullRequests', { take: 101 }],
    [400, 'waitForPullRequest', { ...pr(1), waitSeconds: 61 }],
    [400, 'setImpactedTargets', { ...pr(1), impactedTargets: Array(100_001).fill('//a') }],
    [400, 'setImpactedTargets', { ...pr(1), impactedTargets: Array(250_001).fill(0) }],
    [400, 'getSubmittedPullRequests', { prs: many }],
    [400, 'getQueue', { padding: JSON.parse('['.repeat(40) + ']'.repeat(40)) }],
    [413, 'getQueue', { padding: 'x'.repeat(20 * 1024 * 1024) }],
  ];
  for (const [status, name, body] of tooMuch)
    expect([name, (await ask(name, body)).status]).toEqual([name, status]);
});

test('API5 a token that may only read is refused by every operation that changes something', async () => {
  const { mq, asked } = scriptedQueue();
  const api = await apiWith({ mq });
  for (const { name, writes } of operations.filter((one) => one.writes)) {
    const answer = await api.post(name, validRequests[name], { token: readOnly.token });
    expect([name, writes, answer.status, answer.json.code]).toEqual([name, true, 403, 'SCOPE_MISSING']);
  }
  expect(asked).toEqual([]);
});

test('API6 neither repeated submits nor restarts nor priorities bring a pull request ahead of others', async () => {
  const { q, ask } = await engineWorld({ concurrency: 1 });
  await q.submit(1);
  await q.submit(2);
  await q.submit(3);
  const without = { token: 'no-skip' };
  for (let again = 0; again < 5; again += 1) await ask('submitPullRequest', pr(3));
  await ask('restartTestsOnPullRequest', pr(3));
  const queue = (await ask('getQueue')).json;
  expect(queue.enqueuedPullRequests.map((one: { prNumber: number }) => one.prNumber)).toEqual([1, 2, 3]);
  const noSkip: KnownToken = {
    ...everything,
    ...{ id: 'no-skip', token: without.token },
    scopes: new Set(scopes.filter((scope) => scope !== 'skip')),
  };
  const api = await apiWith({ mq: q.world.mq, authenticate: tokenAuthenticator([noSkip]) });
  for (const ahead of [{ priority: 0 }, { priority: 'urgent' }, { priority: 99 }, { skipTheLine: true }]) {
    const answer = await api.post('submitPullRequest', { ...queueRef, ...pr(3), ...ahead }, without);
    expect([ahead, answer.status]).toEqual([ahead, 403]);
  }
});

test('API7 no address that a client gives is fetched', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const requested = [vi.spyOn(http, 'request'), vi.spyOn(https, 'request')];
  onTestFinished(() => {
    for (const spy of [fetched, ...requested]) spy.mockRestore();
  });
  const q = await story(
    {},
    {
      checks: [],
      showsTip: false,
      externalChecks: {
        store: memoryCheckStore(),
        sources: () => [{ name: 'unit', source: 'external', reporters: ['bootstrap'], startTimeoutMs: null }],
      },
    },
  );
  onTestFinished(() => q.ends());
  await q.submit(1);
  const api = await apiWith({ mq: q.world.mq });
  const ask = (name: string, body: object) => q.world.act(() => api.post(name, body));
  const [{ testRunId }] = (await ask('listExpectedChecks', {})).json.expectedChecks;
  const url = 'http://169.254.169.254/latest/meta-data/';
  await ask('reportCheck', { repo, check: 'unit', testRunId, status: 'running', url });
  await ask('getSubmittedPullRequest', { ...queueRef, ...pr(1) });
  await ask('reportCheck', {
    repo,
    check: 'unit',
    testRunId,
    status: 'completed',
    conclusion: 'success',
    url,
  });
  q.isIn({ 1: 'merged' });
  for (const host of ['169.254.169.254', 'http://localhost', 'localhost:8787'])
    expect((await api.post('createQueue', { ...queueRef, repo: { ...repo, host } })).json.code).toBe(
      'UNKNOWN_HOST',
    );
  for (const spy of [fetched, ...requested]) expect(spy).not.toHaveBeenCalled();
});

test('API8 errors contain no internals, and other origins may neither call nor frame the API', async () => {
  const { mq } = scriptedQueue({
    getQueue: async () => {
      throw new Error('password=hunter2 at /srv/mq/store.ts');
    },
  });
  const api = await apiWith({ mq });
  const broken = await api.post('getQueue', queueRef, { headers: { origin: 'https://evil.example' } });
  expect(broken.status).toBe(500);
  expect(broken.text).not.toMatch(/hunter2|store\.ts|node_modules|at /);
  expect(broken.headers).toMatchObject(securityHeaders);
  for (const method of ['OPTIONS', 'TRACE', 'GET'] as const) {
    const headers = {
      ...{ origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      'x-api-token': everything.token,
    };
    const answer = await api.app.inject({ method, url: '/v1/getQueue', headers });
    expect([method, answer.statusCode]).toEqual([method, 405]);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

/** Converts a path of the document to the router's form, in which the file extension belongs to the last parameter. */
const routeOf = (path: string): string => path.replace(/\.svg$/, '').replace(/\{(\w+)\}/g, ':$1');

test('API9 the document has exactly the routes of the server', async () => {
  const routes: string[] = [];
  const app = fastify(recommendedServerOptions);
  onTestFinished(() => app.close());
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push(`${one.toLowerCase()} ${url}`);
  });
  const authenticate = tokenAuthenticator([everything]);
  await app.register(mergeQueueApi, { mq: scriptedQueue().mq, authenticate, prefix: '/v1' });
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => `${method} /v1${routeOf(path)}`),
  );
  expect(routes.sort()).toEqual(documented.sort());
});

test('API10 answers of a code host are validated, and invalid ones cause neither a 500 nor a verdict', async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  host.createRepository({ ref: repo }).openPullRequest({ number: 1 });
  let nonsense: unknown = null;
  const hostile = new Proxy(host, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: readonly unknown[]) =>
        nonsense !== null && name === 'getPullRequests' ? nonsense : Reflect.apply(method, target, args);
    },
  });
  const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { [repo.host]: hostile }, clock });
  const api = await apiWith({ mq });
  await api.post('createQueue', { ...queueRef, requiredStatuses: ['test'] });
  for (const one of ['<html>', { pulls: 'all' }, [{ number: 1, head: '--upload-pack=x' }], [null], 7]) {
    nonsense = one;
    const answer = await api.post('submitPullRequest', { ...queueRef, ...pr(1) });
    expect([one, answer.status]).toEqual([
      one,
      expect.toSatisfy((status) => status === 503 || status === 404),
    ]);
  }
});
