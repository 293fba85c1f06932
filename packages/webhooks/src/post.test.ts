import { createServer as createHttp, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type LookupFunction, type Server } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { post } from './post.js';
import { publicTargets } from './targets.js';

const never = new AbortController().signal;
const local = { allowHttp: true, allowPorts: [], allowRanges: ['127.0.0.0/8'] };

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const answering = (listener: RequestListener) => listening(createHttp(listener));

const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
const ENDLESS = `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}`;

const to = (url: string) => ({ url, headers: { 'x-test': 'one' }, body: '{"a":"ä"}' });

const namesAre =
  (...addresses: readonly string[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );

describe('post', () => {
  test('post sends the body as it is, and answers the status and the beginning of the answer', async () => {
    const heard: unknown[] = [];
    const port = await answering(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      heard.push(request.method, request.url, request.headers['x-test'], Buffer.concat(chunks).toString());
      response.end('x'.repeat(100_000));
    });
    const posted = await post(to(`http://127.0.0.1:${port}/hook?x=1`), { policy: local }, never);
    expect(heard).toEqual(['POST', '/hook?x=1', 'one', '{"a":"ä"}']);
    expect(posted).toEqual({ status: 200, error: null, answer: 'x'.repeat(1_024), retryAfterMs: null });
  });

  test('T-P12 a proxy that the environment names is not used', async () => {
    const calls: string[] = [];
    const proxy = await answering((_request, response) => {
      calls.push('proxy');
      response.end();
    });
    const port = await answering((_request, response) => {
      calls.push('receiver');
      response.end();
    });
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'])
      vi.stubEnv(name, name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await post(to(`http://127.0.0.1:${port}/hook`), { policy: local }, never);
    expect(calls).toEqual(['receiver']);
  });

  test('T-P12 a redirect is a failure and is not followed', async () => {
    const paths: (string | undefined)[] = [];
    const port = await answering((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    });
    const posted = await post(to(`http://127.0.0.1:${port}/hook`), { policy: local }, never);
    expect([posted.status, posted.error]).toEqual([302, 'It answered 302; redirects are not followed.']);
    expect(paths).toEqual(['/hook']);
  });

  test('T-P12 a name that has a private address is not called', async () => {
    let calls = 0;
    const port = await listening(createServer(() => (calls += 1)));
    const parts = {
      policy: { ...publicTargets, allowHttp: true },
      lookup: namesAre('93.184.216.34', '127.0.0.1'),
    };
    const posted = await post(to(`http://rebound.example:${port}/`), parts, never);
    expect(posted.error).toBe('It was not called: 127.0.0.1 is in a range that is not called (loopback).');
    expect([posted.status, calls]).toEqual([null, 0]);
  });

  test('T-P12 a literal private address is not called, whatever was allowed when it was set', async () => {
    let calls = 0;
    const port = await listening(createServer(() => (calls += 1)));
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
      expect((await post(to(`http://${host}:${port}/`), { policy: publicTargets }, never)).error).toMatch(
        /^It was not called/,
      );
    expect(calls).toBe(0);
  });

  test('T-P12 the address that was reached is checked before a byte is sent', async () => {
    const bytes: Buffer[] = [];
    const port = await listening(
      createServer((socket) => void socket.on('data', (chunk) => bytes.push(chunk))),
    );
    // A lookup that is bypassed after its check is as if the name had been bound to another address meanwhile.
    let asked = 0;
    const policy = {
      ...local,
      get allowRanges() {
        asked += 1;
        return asked <= 1 ? ['127.0.0.0/8'] : [];
      },
    };
    const posted = await post(to(`http://127.0.0.1:${port}/`), { policy }, never);
    expect(posted.error).toMatch(/^It was not called: 127\.0\.0\.1/);
    expect(Buffer.concat(bytes).length).toBe(0);
  });

  test.each([
    ['closes at once', (socket: { destroy(): void }) => socket.destroy()],
    ['answers no HTTP', (socket: { end(text: string): void }) => socket.end('SSH-2.0-x\r\n')],
    ['answers with another protocol', (socket: { write(text: string): void }) => socket.write(SWITCHING)],
    ['answers with endless headers', (socket: { write(text: string): void }) => socket.write(ENDLESS)],
  ])('a receiver that %s has failed the try', async (_, behave) => {
    const port = await listening(createServer((socket) => behave(socket.on('error', () => undefined))));
    const posted = await post(to(`http://127.0.0.1:${port}/`), { policy: local }, never);
    expect([posted.status, posted.error]).toEqual([null, expect.stringMatching(/^It could not be reached/)]);
  });

  test('a receiver that says nothing has failed the try when the time is over', async () => {
    const port = await listening(createServer(() => undefined));
    const posted = await post(to(`http://127.0.0.1:${port}/`), { policy: local, limitMs: 50 }, never);
    expect([posted.status, posted.error]).toEqual([null, 'It did not answer in time.']);
  });

  test('a status counts although the answer is cut off behind it', async () => {
    const port = await listening(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 100\r\n\r\nabc'));
      }),
    );
    const posted = await post(to(`http://127.0.0.1:${port}/`), { policy: local }, never);
    expect([posted.status, posted.error]).toEqual([204, null]);
  });

  test('the wait that a receiver asks for is bounded', async () => {
    const port = await answering((_, response) => response.writeHead(429, { 'retry-after': '999999' }).end());
    const posted = await post(to(`http://127.0.0.1:${port}/`), { policy: local }, never);
    expect([posted.error, posted.retryAfterMs]).toEqual(['It answered 429.', 3_600_000]);
  });

  test('post rejects only when it is cut off', async () => {
    const port = await listening(createServer(() => undefined));
    const cut = new AbortController();
    const posted = post(to(`http://127.0.0.1:${port}/`), { policy: local }, cut.signal);
    cut.abort();
    await expect(posted).rejects.toThrow();
  });
});
