import { type ErrorCode, errorCodes, MergeQueueError } from '@mq/core';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { mergeQueueApi, problemStatuses, securityHeaders, tokenAuthenticator } from '../src/index.js';
import { apiWith, emptyView, everything, queueRef, scriptedQueue, serverWith } from './world.js';

const refusing = (error: unknown) =>
  scriptedQueue({
    getQueue: async () => {
      throw error;
    },
    updateQueue: async () => {
      throw error;
    },
    metrics: async () => {
      throw error;
    },
  }).mq;

const statuses: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['INVALID_REQUEST', 'INVALID_SETTINGS', 'CURSOR_INVALID', 'QUEUE_NOT_EMPTY'],
  404: ['UNKNOWN_HOST', 'REPOSITORY_NOT_FOUND', 'BRANCH_NOT_FOUND', 'QUEUE_NOT_FOUND', 'NOT_SUBMITTED'],
  409: ['QUEUE_EXISTS', 'PULL_REQUEST_MERGED', 'STALE_HEAD', 'LANDING_UNDER_WAY'],
  422: ['NOT_ACTIVE', 'NO_RUN_TO_RESTART', 'IDEMPOTENCY_KEY_REUSED'],
  503: ['HOST_UNREACHABLE', 'STORE_UNREACHABLE', 'CLOSED'],
};

test.each(
  Object.entries(statuses).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
)('a refusal %s answers %i with its detail and what to do', async (code, status) => {
  const { post } = await apiWith({ mq: refusing(new MergeQueueError(code, 'So it is.')) });
  const answer = await post('updateQueue', queueRef);
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(answer.json).toMatchObject({
    type: `urn:mq:problem:${code}`,
    status,
    code,
    detail: `So it is. ${errorCodes[code].remedy}`,
    remedy: errorCodes[code].remedy,
  });
  expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
});

test('every error code of the engine has an HTTP status', () => {
  for (const code of Object.keys(errorCodes)) expect(problemStatuses).toHaveProperty(code);
});

test('faults found by the engine are listed by their paths', async () => {
  const faults = [{ path: ['batchingRules', 0, 'policy'], message: 'is not known' }];
  const { post } = await apiWith({ mq: refusing(new MergeQueueError('INVALID_SETTINGS', 'No.', faults)) });
  expect((await post('getQueue', queueRef)).json.errors).toEqual([
    { path: 'batchingRules[0].policy', message: 'is not known' },
  ]);
});

test('a client that accepts text/plain gets the detail as plain text', async () => {
  const { post } = await apiWith({ mq: refusing(new MergeQueueError('QUEUE_NOT_FOUND', 'None here.')) });
  const answer = await post('getQueue', queueRef, { headers: { accept: 'text/plain' } });
  expect(answer.status).toBe(404);
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(answer.text).toBe(`None here. ${errorCodes.QUEUE_NOT_FOUND.remedy}`);
});

test('a client that accepts JSON beside text gets the problem as JSON', async () => {
  const { post } = await apiWith({ mq: refusing(new MergeQueueError('QUEUE_NOT_FOUND', 'None here.')) });
  const answer = await post('getQueue', queueRef, { headers: { accept: 'application/json, text/plain' } });
  expect(answer.json.code).toBe('QUEUE_NOT_FOUND');
});

test('an unexpected error answers 500 with the id in the log and without internals', async () => {
  const logged: string[] = [];
  const app = fastify({ logger: { level: 'info', stream: { write: (line: string) => logged.push(line) } } });
  await app.register(mergeQueueApi, {
    mq: refusing(new Error('connection to db-7 as admin failed')),
    authenticate: tokenAuthenticator([everything]),
    prefix: '/v1',
  });
  const ask = (url: string, method: 'GET' | 'POST') =>
    app.inject({
      method,
      url,
      headers: { 'x-api-token': everything.token, 'content-type': 'application/json' },
      ...(method === 'POST' ? { payload: JSON.stringify(queueRef) } : {}),
    });
  const answer = await ask('/v1/getQueue', 'POST');
  const metrics = await ask('/v1/getMergeQueueMetrics', 'GET');
  await app.close();

  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain('db-7');
  const { correlationId, detail } = answer.json();
  expect(detail).toContain(correlationId);
  const line = logged.map((text) => JSON.parse(text)).find((one) => one.correlationId === correlationId);
  expect(line.err.message).toBe('connection to db-7 as admin failed');
  expect(metrics.statusCode).toBe(500);
  expect(metrics.headers['content-type']).toBe('application/plain-text; charset=utf-8');
  expect(metrics.body).toMatch(/in the log under \S+/);
  expect(logged.join('')).not.toContain(everything.token);
});

test('an internal error of the engine answers 500 with its code, and its message stays in the log', async () => {
  const { post } = await apiWith({
    mq: refusing(new MergeQueueError('COMMAND_BROKEN', 'row 7 of db-7 is odd.')),
  });
  const answer = await post('getQueue', queueRef);
  expect(answer.status).toBe(500);
  expect(answer.json).toMatchObject({
    code: 'COMMAND_BROKEN',
    correlationId: answer.headers['x-request-id'],
  });
  expect(answer.text).not.toContain('db-7');
  expect(answer.json).not.toHaveProperty('remedy');
  expect(answer.headers).not.toHaveProperty('retry-after');
});

test('an error with a 5xx status is not reported as a fault of the request', async () => {
  const { post } = await apiWith({ mq: refusing(Object.assign(new Error('bad'), { statusCode: 502 })) });
  const answer = await post('getQueue', queueRef);
  expect([answer.status, answer.json.code]).toEqual([500, 'INTERNAL']);
  expect(answer.json).not.toHaveProperty('remedy');
});

test('an unknown path gets 404, and a wrong method 405 with Allow', async () => {
  const { app, get, post } = await apiWith({});
  const missing = await post('queuePullRequest', queueRef);
  expect([missing.status, missing.json.code]).toEqual([404, 'PATH_NOT_FOUND']);
  expect(missing.json.detail).toContain('docs/reference/http.md lists');
  const unread = await post('queuePullRequest', 'no JSON', { headers: { 'content-type': 'text/plain' } });
  expect(unread.json.code).toBe('PATH_NOT_FOUND');
  const wrong = await get('getQueue');
  expect([wrong.status, wrong.json.code, wrong.headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST']);
  const metrics = await post('getMergeQueueMetrics', {});
  expect([metrics.status, metrics.headers.allow]).toEqual([405, 'GET']);
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'] as const) {
    const headers = { 'x-api-token': everything.token };
    expect((await app.inject({ method, url: '/v1/getQueue', headers })).statusCode).toBe(405);
    expect((await app.inject({ method, url: '/v1/getMergeQueueMetrics', headers })).statusCode).toBe(405);
  }
});

test('paths outside the prefix are not affected', async () => {
  const app = await serverWith({});
  app.get('/health', async () => ({ ok: true }));
  expect((await app.inject({ url: '/health' })).json()).toEqual({ ok: true });
  const outside = await app.inject({ url: '/elsewhere' });
  expect(outside.json()).toEqual({
    message: 'Route GET:/elsewhere not found',
    error: 'Not Found',
    statusCode: 404,
  });
});

test('while the service is unavailable it answers 503 with Retry-After', async () => {
  const { mq, asked } = scriptedQueue();
  const { post, get } = await apiWith({ mq, unavailable: () => 'The service is starting.' });
  const answer = await post('deleteQueue', queueRef);
  expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '5']);
  expect(answer.json.detail).toContain('The service is starting.');
  expect(answer.json).not.toHaveProperty('correlationId');
  expect((await get('getMergeQueueMetrics')).status).toBe(503);
  expect((await post('deleteQueue', queueRef, { token: 'wrong' })).status).toBe(401);
  expect(asked).toEqual([]);
});

test('a rate-limited caller gets 429 with Retry-After before its body is read', async () => {
  const { mq, asked } = scriptedQueue();
  const { post } = await apiWith({
    mq,
    rateLimit: ({ id }) => (id === everything.id ? { retryAfterSeconds: 12.2 } : null),
  });
  const answer = await post('deleteQueue', 'no json');
  expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([
    429,
    'RATE_LIMITED',
    '13',
  ]);
  expect(asked).toEqual([]);
});

test('a caller limited for 0 s gets a Retry-After of one second', async () => {
  const { post } = await apiWith({ rateLimit: () => ({ retryAfterSeconds: 0 }) });

  expect((await post('getQueue', queueRef)).headers['retry-after']).toBe('1');
});

test('every answer has the request id and forbids MIME sniffing', async () => {
  const { post } = await apiWith({ mq: scriptedQueue({ getQueue: async () => emptyView }).mq });
  const [served, answer] = [await post('getQueue', queueRef), await post('getQueue', {})];
  expect([served.status, answer.status]).toEqual([200, 400]);
  for (const { headers } of [served, answer])
    expect(headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  expect(answer.json.instance).toBe(`urn:mq:request:${answer.headers['x-request-id']}`);
});

test('every answer forbids framing, loading by other origins, and caching', async () => {
  const { mq } = scriptedQueue({ getQueue: async () => emptyView });
  const api = await apiWith({ mq });
  const answers = [
    await api.post('getQueue', queueRef),
    await api.post('getQueue', {}),
    await api.post('getQueue', queueRef, { token: null }),
    await api.get('getMergeQueueMetrics', { token: null }),
    await api.get('nothing'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 401, 404]);
  for (const { headers } of answers) expect(headers).toMatchObject(securityHeaders);
});
