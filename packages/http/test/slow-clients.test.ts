import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { mergeQueueApi, recommendedServerOptions, tokenAuthenticator } from '../src/index.js';
import { everything, queueRef, scriptedQueue } from './world.js';

/** Timeouts far apart, so that on a stalled machine the wrong one does not fire first. */
const FOR_THE_REQUEST = { connectionTimeout: 600_000, requestTimeout: 2_000, headersTimeout: 1_000 };
const FOR_SILENCE = { connectionTimeout: 200, requestTimeout: 200_000, headersTimeout: 100_000 };
const CHECK_MS = 20;

/** The recommended server with some shorter timeouts. */
const impatient = async (
  { headersTimeout, ...times }: typeof FOR_SILENCE,
  deleteQueue: () => Promise<void> = async () => undefined,
) => {
  const app = fastify({
    ...recommendedServerOptions,
    ...times,
    http: { ...recommendedServerOptions.http, headersTimeout, connectionsCheckingInterval: CHECK_MS },
  });
  onTestFinished(() => app.close());
  const { mq, asked } = scriptedQueue({ deleteQueue });
  await app.register(mergeQueueApi, { mq, authenticate: tokenAuthenticator([everything]), prefix: '/v1' });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, port: Number(new URL(url).port), asked };
};

/** Resolves with what the server sends until it ends the connection. */
const heard = (socket: Socket, first: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.on('connect', () => socket.write(first));
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });

const head = `POST /v1/deleteQueue HTTP/1.1\r\nHost: x\r\nx-api-token: ${everything.token}\r\n`;

test('T-P08 the server ends connections with endless headers or bodies, and serves others meanwhile', async () => {
  const { url, port, asked } = await impatient(FOR_THE_REQUEST);
  const slow = Promise.all([
    heard(connect(port, '127.0.0.1'), head),
    heard(
      connect(port, '127.0.0.1'),
      `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ),
  ]);
  const served = await fetch(`${url}/v1/deleteQueue`, {
    method: 'POST',
    headers: { 'x-api-token': everything.token, 'content-type': 'application/json' },
    body: JSON.stringify(queueRef),
  });
  expect(served.status).toBe(200);
  const [headers, body] = await slow;
  for (const text of [headers, body]) expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"REQUEST_TIMEOUT"/);
  expect(asked).toHaveLength(1);
});

test('the server ends an idle connection', async () => {
  const { port } = await impatient(FOR_SILENCE);
  expect(await heard(connect(port, '127.0.0.1'), '')).toBe('');
});

test('the server ends a connection with CONNECT after a request that is never answered', async () => {
  const { port, asked } = await impatient(FOR_SILENCE, () => new Promise(() => undefined));
  const body = JSON.stringify(queueRef);
  const request = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  expect(
    await heard(connect(port, '127.0.0.1'), `${request}CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n`),
  ).toBe('');
  expect(asked).toHaveLength(1);
});

test('the recommended options set every timeout', () => {
  const { requestTimeout, connectionTimeout, keepAliveTimeout, http, trustProxy } = recommendedServerOptions;
  for (const ms of [requestTimeout, connectionTimeout, keepAliveTimeout, http.headersTimeout])
    expect(ms).toBeGreaterThan(0);
  expect(http.insecureHTTPParser).toBe(false);
  expect(trustProxy).toBe(false);
});

test('a request that takes too long gets 503 with Retry-After', async () => {
  const app = fastify(recommendedServerOptions);
  let answer: () => void = () => undefined;
  const { mq } = scriptedQueue({ deleteQueue: () => new Promise<void>((resolve) => (answer = resolve)) });
  const authenticate = tokenAuthenticator([everything]);
  await app.register(mergeQueueApi, { mq, authenticate, prefix: '/v1', answerLimitMs: 50 });
  onTestFinished(() => app.close());
  const response = await app.inject({
    method: 'POST',
    url: '/v1/deleteQueue',
    headers: { 'x-api-token': everything.token, 'content-type': 'application/json' },
    payload: JSON.stringify(queueRef),
  });
  answer();
  expect([response.statusCode, response.json().code]).toEqual([503, 'HANDLER_TIMEOUT']);
  expect(response.headers['retry-after']).toBe('5');
});

test('a request that arrives while the server closes gets 503 with Retry-After', async () => {
  const app = fastify(recommendedServerOptions);
  const asked = latch();
  const closing = latch();
  const secondCame = latch();
  let finish: () => void = () => undefined;
  let requests = 0;
  const { mq } = scriptedQueue({
    deleteQueue: () =>
      new Promise<void>((resolve) => {
        finish = resolve;
        asked.open();
      }),
  });
  const authenticate = tokenAuthenticator([everything]);
  await app.register(mergeQueueApi, {
    mq,
    prefix: '/v1',
    authenticate: (token) => {
      requests += 1;
      if (requests === 2) secondCame.open();
      return authenticate(token);
    },
  });
  await app.register(async (last) => last.addHook('preClose', async () => closing.open()));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const body = JSON.stringify(queueRef);
  const request = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  // Both requests use one connection, because a closing server accepts no new one.
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const answers = heard(socket, request);
  await asked.opened;
  const closed = app.close();
  await closing.opened;
  socket.write(request);
  await secondCame.opened;
  finish();
  const text = await answers;
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).toMatch(/HTTP\/1\.1 503 [\s\S]*retry-after: 5[\s\S]*UNAVAILABLE/);
});

const latch = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};
