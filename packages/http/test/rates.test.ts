import { expect, test } from 'vitest';
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
