import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { MergeQueueError } from '../errors.js';
import { type InboundMessage, inboundFetch, inboundListener } from './handlers.js';
import {
  DELIVERIES_REMEMBERED,
  INBOUND_BODY_LIMIT_BYTES,
  type InboundReceiver,
  inboundReceiver,
} from './receiver.js';

const SECRET = 'a secret';
const signature = (body: string, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');
const headersOf = (body: string, more: Readonly<Record<string, string>> = {}) => ({
  'x-event': 'push',
  'x-signature': signature(body),
  ...more,
});

const receiver = (take: (event: string) => unknown = () => undefined, secrets = [SECRET]) => {
  const taken: string[] = [];
  const receive = inboundReceiver<string>({
    headers: { signature: ['x-signature', 'x-hub'], delivery: ['x-delivery'], event: ['x-event'] },
    secrets: () => secrets,
    read: (event, payload) => (event === 'push' ? [JSON.stringify(payload)] : { ignored: 'not a push' }),
    take: async (event) => {
      await take(event);
      taken.push(event);
    },
  });
  const send = (body: string, headers: Readonly<Record<string, string>> = headersOf(body)) =>
    receive({ headers, body: Buffer.from(body) });
  return { receive, send, taken };
};

describe('an inbound event', () => {
  test('an inbound event is stored before it is answered with 200', async () => {
    const { send, taken } = receiver();
    expect(await send('{"a": 1}')).toEqual({ status: 200, message: 'Noted.' });
    expect(await send('{"a": 2}', headersOf('{"a": 2}', { 'x-event': 'wiki' }))).toEqual({
      status: 200,
      message: 'Ignored: not a push.',
    });
    expect(taken).toEqual(['{"a":1}']);
  });

  test.each([
    ['missing', ''],
    ['forged', 'f'.repeat(64)],
    ['short', 'ff'],
    ['no hexadecimal', 'g'.repeat(64)],
    ['of another secret', signature('{}', 'another')],
    ['of another body', signature('{ }')],
  ])('an event whose signature is %s is answered with 401 and not parsed', async (_what, wrong) => {
    const { send, taken } = receiver();
    expect((await send('{}', { 'x-event': 'push', 'x-signature': wrong })).status).toBe(401);
    expect((await send('not JSON', { 'x-event': 'push', 'x-signature': wrong })).status).toBe(401);
    expect(taken).toEqual([]);
  });

  test('an inbound event may be signed by any secret, with the name of the algorithm, but not by an empty secret', async () => {
    const { send } = receiver(undefined, ['', 'new', SECRET]);
    expect(
      (await send('{}', { 'x-event': 'push', 'x-hub': `sha256=${signature('{}', 'new')}` })).status,
    ).toBe(200);
    expect((await send('{}')).status).toBe(200);
    expect((await send('{}', { 'x-event': 'push', 'x-signature': signature('{}', '') })).status).toBe(401);
  });

  test('an inbound event that is not JSON is answered with 400, and one beyond the limit with 413', async () => {
    const { send, receive } = receiver();
    expect((await send('{')).status).toBe(400);
    expect((await receive({ headers: {}, body: Buffer.alloc(INBOUND_BODY_LIMIT_BYTES + 1) })).status).toBe(
      413,
    );
  });

  test('an inbound event that was delivered before is ignored, unless it could not be stored', async () => {
    let fails = true;
    const { send, taken } = receiver(() => {
      if (fails) throw new Error('the store is down');
    });
    const headers = headersOf('{}', { 'x-delivery': 'one' });
    expect((await send('{}', headers)).status).toBe(503);
    fails = false;
    expect((await send('{}', headers)).message).toBe('Noted.');
    expect((await send('{}', headers)).message).toMatch(/read before/);
    expect(taken).toHaveLength(1);
  });

  test('a signed event of an unknown shape is answered with 200, so that the host does not repeat it', async () => {
    const { send } = receiver(() => {
      throw new MergeQueueError('INVALID_REQUEST', 'The request is not valid.');
    });
    expect(await send('{}')).toEqual({ status: 200, message: 'Ignored: its shape is unknown.' });
  });

  test('the ids of the newest deliveries are remembered up to a limit', async () => {
    const { send, taken } = receiver();
    const deliver = (id: number) => send('{}', headersOf('{}', { 'x-delivery': `${id}` }));
    for (let id = 0; id <= DELIVERIES_REMEMBERED; id += 1) await deliver(id);
    await deliver(DELIVERIES_REMEMBERED);
    expect(taken).toHaveLength(DELIVERIES_REMEMBERED + 1);
    await deliver(0);
    expect(taken).toHaveLength(DELIVERIES_REMEMBERED + 2);
  });
});

const post = (body: string | null, headers: Readonly<Record<string, string>>, method = 'POST') =>
  new Request('http://bot.test/hooks', { method, headers, body });

describe('inboundFetch', () => {
  test('the fetch handler answers as the receiver says', async () => {
    const { receive, taken } = receiver();
    const handle = inboundFetch(receive);
    const ok = await handle(post('{}', headersOf('{}')));
    expect([ok.status, await ok.json()]).toEqual([200, { message: 'Noted.' }]);
    expect((await handle(post('{}', headersOf('{ }')))).status).toBe(401);
    expect((await handle(post('{', headersOf('{')))).status).toBe(400);
    expect((await handle(post(null, {}, 'GET'))).status).toBe(405);
    expect((await handle(post('x'.repeat(INBOUND_BODY_LIMIT_BYTES + 1), {}))).status).toBe(413);
    expect(taken).toEqual(['{}']);
  });

  test('the fetch handler names the remedy if the body was read before', async () => {
    const request = post('{}', headersOf('{}'));
    await request.text();
    const answer = await inboundFetch(receiver().receive)(request);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining('before any body parser'),
    ]);
  });
});

describe('inboundListener', () => {
  const serving = async (
    receive: InboundReceiver,
    act: (url: string) => Promise<void>,
    before: (request: InboundMessage) => Promise<void> = async () => undefined,
  ) => {
    const listener = inboundListener(receive);
    const server = createServer((request, response) => {
      void before(request).then(() => listener(request, response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  const sent = (url: string, body: string, headers: Readonly<Record<string, string>>) =>
    fetch(url, { method: 'POST', body, headers });

  test('the Node listener answers as the receiver says', async () => {
    const { receive, taken } = receiver();
    await serving(receive, async (url) => {
      const statuses = [
        (await sent(url, '{}', headersOf('{}'))).status,
        (await sent(url, '{}', headersOf('{ }'))).status,
        (await sent(url, '{', headersOf('{'))).status,
        (await fetch(url)).status,
      ];
      expect(statuses).toEqual([200, 401, 400, 405]);
    });
    expect(taken).toEqual(['{}']);
  });

  test('the Node listener takes a raw body that middleware has kept, but no parsed one', async () => {
    const { receive, taken } = receiver();
    const keepsRaw = async (request: InboundMessage) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      Object.assign(request, { rawBody: Buffer.concat(chunks), body: {} });
    };
    await serving(
      receive,
      async (url) => {
        expect((await sent(url, '{}', headersOf('{}'))).status).toBe(200);
      },
      keepsRaw,
    );
    const parses = async (request: InboundMessage) => {
      for await (const _chunk of request);
      Object.assign(request, { body: {} });
    };
    await serving(
      receive,
      async (url) => {
        expect((await sent(url, '{}', headersOf('{}'))).status).toBe(500);
      },
      parses,
    );
    expect(taken).toEqual(['{}']);
  });
});
