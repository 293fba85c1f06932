import { requireNoLeak, secretsIn, takeLeaks } from '@mq/secret-watch';
import { expect, test } from 'vitest';
import { apiWith, everything, serverWith } from './world.js';

const token = `mqt_${'a'.repeat(36)}`;

test.each([
  ['a token', token],
  ['a report token', `mqr_${'b'.repeat(20)}.${'c'.repeat(20)}`],
  ['the secret of a webhook', `whsec_${'d'.repeat(32)}`],
  ['a token of the tests', everything.token],
])('%s in a text is found', (_, secret) => {
  expect(secretsIn(`{"by":"${secret}"}`)).toEqual([secret]);
});

test('a token printed at the first start is no leak, but the same token in a log is', () => {
  expect(secretsIn(`  Token   ${token}\n`)).toEqual([]);
  expect(secretsIn(`  Token   ${token}\nuses ${token}\n`)).toEqual([token]);
});

test('a log line with a token fails the test in which it is written', async () => {
  const app = await serverWith({});
  app.log.info({ token }, 'a line');
  expect(requireNoLeak).toThrow(`A secret stands in a log: ${token}`);
});

test('an error that names a token fails the test in which it is answered', async () => {
  const { post } = await apiWith({ unavailable: () => `No service for ${everything.token}.` });
  expect((await post('getQueue', {})).status).toBe(503);
  expect(takeLeaks()).toContainEqual({ where: 'an error', secret: everything.token });
});
