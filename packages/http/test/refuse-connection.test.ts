import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import {
  BODY_LIMIT_BYTES,
  mergeQueueApi,
  recommendedServerOptions,
  requireHost,
  tokenAuthenticator,
} from '../src/index.js';
import { headers, listening, portOf, problemIn, small, talk } from './raw-talk.js';
import { everything, scriptedQueue } from './world.js';

const CONNECT = 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n';
const GET_QUEUE = `${headers([`Content-Length: ${small.length}`])}${small}`;

/** A server with a route of its own, beside the plugin. */
const foreignServer = async (prepare: (app: FastifyInstance) => void = () => undefined) => {
  const app = fastify(recommendedServerOptions);
  onTestFinished(() => app.close());
  prepare(app);
  app.all('/mine', async () => 'mine');
  const { mq } = scriptedQueue();
  await app.register(mergeQueueApi, { mq, authenticate: tokenAuthenticator([everything]), prefix: '/v1' });
  return app;
};

test('CONNECT gets 400 with a code, and the connection ends', async () => {
  const { port } = await listening();
  const { text, closed } = await talk(port, { first: CONNECT, untilClosed: true });
  expect(problemIn(text)).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
  expect(problemIn(text).detail).toContain('not a proxy');
  expect(closed).toBe(true);
});

test('CONNECT after a pipelined request is refused after the answer to that request', async () => {
  const { port } = await listening();
  const { text } = await talk(port, { first: GET_QUEUE + CONNECT, untilClosed: true });
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 [\s\S]*MALFORMED_REQUEST/);
});

test('CONNECT over HTTP/2 gets 400 with a code', async () => {
  const app = fastify({ http2: true });
  onTestFinished(() => app.close());
  const { mq } = scriptedQueue();
  await app.register(mergeQueueApi, { mq, authenticate: tokenAuthenticator([everything]), prefix: '/v1' });
  const client = connectHttp2(await app.listen({ host: '127.0.0.1', port: 0 }));
  onTestFinished(() => client.destroy());
  const stream = client.request({ ':method': 'CONNECT', ':authority': 'x:443' });
  const [answer] = await once(stream, 'response');
  let text = '';
  for await (const bytes of stream.setEncoding('utf8')) text += bytes;
  expect([answer[':status'], answer['content-type']]).toEqual([
    400,
    'application/problem+json; charset=utf-8',
  ]);
  expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
});

test('an unknown expectation gets 417 with a code', async () => {
  const { port, asked } = await listening();
  const first = headers([`Content-Length: ${small.length}`, 'Expect: a-miracle']) + small;
  const { text, closed } = await talk(port, { first });
  expect(problemIn(text)).toMatchObject({ status: 417, code: 'EXPECTATION_FAILED' });
  expect(closed).toBe(false);
  expect(asked).toEqual([]);
});

test('an unknown expectation with a large body gets 417, and the connection ends', async () => {
  const { port } = await listening();
  const first = headers([`Content-Length: ${BODY_LIMIT_BYTES}`, 'Expect: a-miracle']);
  const { text, closed } = await talk(port, { first, untilClosed: true });
  expect(problemIn(text)).toMatchObject({ status: 417, code: 'EXPECTATION_FAILED' });
  expect(closed).toBe(true);
});

test('a route outside the plugin does not receive a request with an unknown expectation', async () => {
  const port = await portOf(await foreignServer());
  const first = 'GET /mine HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n';
  const { text } = await talk(port, { first });
  expect(problemIn(text)).toMatchObject({ status: 417, code: 'EXPECTATION_FAILED' });
});

test('a server that handles expectations and CONNECT itself keeps its own answers', async () => {
  const app = await foreignServer(({ server }) => {
    server.on('checkExpectation', (_, response) => setImmediate(() => response.end('a miracle')));
    server.on('connect', (_, socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  const port = await portOf(app);
  const first = 'GET /mine HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n';
  const { text } = await talk(port, { first });
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*a miracle$/);
  expect((await talk(port, { first: CONNECT, untilClosed: true })).text).toMatch(/^HTTP\/1\.1 204 /);
});

test('with the recommended options, Node refuses an HTTP/1.1 request without a Host', async () => {
  const port = await portOf(await foreignServer());
  for (const path of ['/mine', '/v1/getQueue']) {
    const { text, closed } = await talk(port, { first: `GET ${path} HTTP/1.1\r\n\r\n`, untilClosed: true });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(closed).toBe(true);
  }
});

test('a server with requireHost answers a missing Host with a code on every path, and serves HTTP/1.0', async () => {
  const app = fastify({ ...recommendedServerOptions, http: { requireHostHeader: false } });
  onTestFinished(() => app.close());
  app.addHook('onRequest', requireHost);
  const { mq } = scriptedQueue({ listQueues: async () => ({ items: [], next: null }) });
  await app.register(mergeQueueApi, { mq, authenticate: tokenAuthenticator([everything]), prefix: '/v1' });
  const port = await portOf(app);
  const first = [
    'POST /v1/listQueues HTTP/1.1',
    `x-api-token: ${everything.token}`,
    'Content-Type: application/json',
    'Content-Length: 2',
    '',
    '{}',
  ].join('\r\n');
  const { text } = await talk(port, { first });
  expect(problemIn(text)).toMatchObject({ status: 400, code: 'MALFORMED_REQUEST' });
  expect(problemIn(text).detail).toContain('Host');
  const old = await talk(port, { first: first.replace('HTTP/1.1', 'HTTP/1.0') });
  expect(old.text).toMatch(/^HTTP\/1\.1 200 /);
});

/** Shorter than the time for which input is discarded after a refusal. */
const SOON = { timeout: 10_000 };

test.each([
  ['that is no request', 'hello\r\n\r\n'],
  ['with a body that is too large', headers([`Content-Length: ${BODY_LIMIT_BYTES + 1}`])],
])('a connection %s and that its client keeps open does not keep the server', SOON, async (_what, first) => {
  const { app, port } = await listening();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).write(first);
  socket.resume();
  await once(socket, 'end');
  await app.close();
});

test('CONNECT after a request that is never answered does not keep a closing server open', SOON, async () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const { app, port } = await listening({
    onAsked: () => {
      isAsked();
      return new Promise(() => undefined);
    },
  });
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).write(GET_QUEUE + CONNECT);
  await asked;
  await app.close();
});

test('a request before CONNECT is answered even if the server closes meanwhile', SOON, async () => {
  let answer: () => void = () => undefined;
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (close = resolve));
  const { app, port } = await listening({
    onAsked: () => {
      close();
      return new Promise((resolve) => (answer = resolve));
    },
    onClosing: () => answer(),
  });
  const said = talk(port, { first: GET_QUEUE + CONNECT, untilClosed: true });
  await closed;
  await app.close();
  expect((await said).text).toMatch(/^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 400 /);
});
