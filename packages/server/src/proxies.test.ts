import { mergeQueueApi, recommendedServerOptions, tokenAuthenticator } from '@mq/http';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { dropForwardedPorts, proxies, proxyOptions } from './proxies.js';

const PROXY = '10.1.2.3';

/** Answers, for a request over a connection from an address, the client that counts. */
const clientsOf = (trustProxy: readonly string[]) => {
  const app = fastify({ ...recommendedServerOptions, ...proxyOptions({ trustProxy }) });
  onTestFinished(() => app.close());
  app.addHook('onRequest', dropForwardedPorts);
  app.get('/', async ({ ip }) => ({ ip }));
  return async (remoteAddress: string, forwarded: string | null): Promise<string> => {
    const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
    return (await app.inject({ url: '/', remoteAddress, headers })).json().ip;
  };
};

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['198.51.100.7, 10.9.9.9', '198.51.100.7'],
  ['198.51.100.7:40123', '198.51.100.7'],
  ['[2001:db8::7]:40123', '2001:db8::7'],
  ['2001:db8::7', '2001:db8::7'],
  [null, PROXY],
])('behind a trusted proxy that sends X-Forwarded-For %j the client is %s', async (forwarded, client) => {
  expect(await clientsOf(['10.0.0.0/8'])(PROXY, forwarded)).toBe(client);
});

test('a client that is not a trusted proxy cannot choose its address', async () => {
  expect(await clientsOf(['10.0.0.0/8'])('192.0.2.1', '198.51.100.7')).toBe('192.0.2.1');
  expect(await clientsOf([])(PROXY, '198.51.100.7')).toBe(PROXY);
});

test('a proxy that is connected over IPv4 in IPv6 is trusted by its IPv4 range', async () => {
  expect(await clientsOf(['10.0.0.0/8'])(`::ffff:${PROXY}`, '198.51.100.7')).toBe('198.51.100.7');
});

test.each(['10.0.0.7', '10.0.0.0/8', '2001:db8::/32', '::1'])('%s is an address or a range', (one) => {
  expect(proxies.safeParse([one]).success).toBe(true);
});

test.each([
  '0.0.0.0/0',
  '::/0',
  '10.0.0.0/33',
  '10.0.0.0/08',
  'loopback',
  'proxy.example',
  'fe80::1%eth0',
  '',
  '10.0.0.0/8/8',
])('"%s" cannot be trusted as a proxy', (one) => {
  expect(proxies.safeParse([one]).success).toBe(false);
});

test('behind a trusted proxy failed tries count by client', async () => {
  const app = fastify({ ...recommendedServerOptions, ...proxyOptions({ trustProxy: [PROXY] }) });
  onTestFinished(() => app.close());
  const rates = { perToken: 100, perAddress: 100, anonymous: 1_000, failedTries: 1 };
  const authenticate = tokenAuthenticator([]);
  await app.register(mergeQueueApi, { mq: {} as never, authenticate, rates, prefix: '/v1' });
  const tries = async (client: string) => {
    const headers = { 'x-forwarded-for': client, 'x-api-token': 'wrong' };
    return (await app.inject({ method: 'POST', url: '/v1/whoami', remoteAddress: PROXY, headers }))
      .statusCode;
  };
  expect([await tries('198.51.100.7'), await tries('198.51.100.7'), await tries('198.51.100.8')]).toEqual([
    401, 429, 401,
  ]);
});
