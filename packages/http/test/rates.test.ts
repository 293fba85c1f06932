import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { mergeQueueApi, recommendedServerOptions, tokenAuthenticator } from '../src/index.js';
import { apiWith, elsewhere, everything, queueRef, readOnly, scriptedQueue } from './world.js';

const rates = { perToken: 3, perAddress: 5, anonymous: 1_000, failedTries: 2 };

const world = async (given = rates) => {
  const { mq } = scriptedQueue({ deleteQueue: async () => undefined });
  const api = await apiWith({ mq, rates: given });
  const ask = (token: string, name = 'whoami') => api.post(name, {}, { token });
  const asks = async (count: number, token: string) => {
    const answers = [];
    for (let made = 0; made < count; made += 1) answers.push(await ask(token));
    return answers.map(({ status }) => status);
  };
  return { api, ask, asks };
};

test('a token with too many requests gets 429 with the time to wait, and another token is served', async () => {
  const { ask, asks } = await world();
  expect(await asks(4, everything.token)).toEqual([200, 200, 200, 429]);
  const { json, headers } = await ask(everything.token);
  expect(json.code).toBe('RATE_LIMITED');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  expect(await asks(1, readOnly.token)).toEqual([200]);
});

test('every answer has the number of requests that are left to the token', async () => {
  const { ask } = await world();
  const { headers } = await ask(everything.token);
  expect(headers['ratelimit-policy']).toBe('"default";q=3;w=60');
  expect(headers.ratelimit).toMatch(/^"default";r=2;t=\d+$/);
});

test('an address with too many requests gets 429, whatever its tokens', async () => {
  const { asks } = await world();
  expect(await asks(3, everything.token)).toEqual([200, 200, 200]);
  expect(await asks(3, elsewhere.token)).toEqual([200, 200, 429]);
});

test('an address gets 429 after too many failed authentications, but a valid token is still served', async () => {
  const { asks } = await world();
  expect(await asks(4, 'wrong')).toEqual([401, 401, 429, 429]);
  expect(await asks(1, everything.token)).toEqual([200]);
});

test('a rate-limited request does nothing', async () => {
  const { mq, asked } = scriptedQueue({ deleteQueue: async () => undefined });
  const api = await apiWith({ mq, rates: { ...rates, perToken: 1 } });
  for (const _ of [1, 2, 3]) await api.post('deleteQueue', queueRef);
  expect(asked).toHaveLength(1);
});

test('many invalid tokens with one prefix raise an alarm in the log, from several addresses, once, and refuse nothing', async () => {
  const warnings: unknown[] = [];
  const write = (line: string): void => {
    const { alarm, prefix, address } = JSON.parse(line) as Record<string, unknown>;
    warnings.push({ alarm, prefix, address });
  };
  const app = fastify({ ...recommendedServerOptions, logger: { level: 'warn', stream: { write } } });
  onTestFinished(() => app.close());
  await app.register(mergeQueueApi, {
    mq: scriptedQueue().mq,
    authenticate: tokenAuthenticator([{ ...everything, token: `mqt_aaaa${'1'.repeat(32)}` }]),
    rates: { ...rates, perToken: 100, perAddress: 100, failedTries: 100 },
    prefix: '/v1',
  });
  const asks = async (count: number, token: string) => {
    const answers = [];
    for (let made = 0; made < count; made += 1)
      answers.push(
        await app.inject({
          ...{ method: 'POST', url: '/v1/whoami', payload: '{}' },
          headers: { 'content-type': 'application/json', 'x-api-token': token },
          remoteAddress: `10.0.0.${made}`,
        }),
      );
    return new Set(answers.map(({ statusCode }) => statusCode));
  };
  expect(await asks(19, `mqt_aaaa${'2'.repeat(32)}`)).toEqual(new Set([401]));
  expect(await asks(40, `mqt_bbbb${'2'.repeat(8)}`)).toEqual(new Set([401]));
  expect(warnings).toEqual([{ alarm: 'TOKEN_TRIES', prefix: 'mqt_bbbb', address: '10.0.0.19' }]);
  expect(await asks(21, `mqt_aaaa${'3'.repeat(32)}`)).toEqual(new Set([401]));
  expect(warnings[1]).toEqual({ alarm: 'TOKEN_TRIES', prefix: 'mqt_aaaa', address: '10.0.0.0' });
  expect(warnings).toHaveLength(2);
  expect(await asks(1, `mqt_aaaa${'1'.repeat(32)}`)).toEqual(new Set([200]));
});
