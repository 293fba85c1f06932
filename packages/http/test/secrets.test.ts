import { Writable } from 'node:stream';
import { tokenKeeper } from '@mq/core';
import { memoryCheckStore, memoryServiceStore } from '@mq/store-memory';
import { story } from '@mq/testkit';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { keeperAuthenticator, mergeQueueApi, recommendedServerOptions } from '../src/index.js';
import { queueRef, repo } from './world.js';

const BOOTSTRAP = 'the-token-of-the-configuration';

/** A service that logs at the lowest level, with all its answers and log lines. */
const talkative = async () => {
  const said: { where: string; text: string }[] = [];
  const q = await story(
    {},
    {
      ...{ checks: [], showsTip: false },
      externalChecks: {
        store: memoryCheckStore(),
        sources: () => [{ name: 'unit', source: 'external', reporters: ['jenkins'], startTimeoutMs: null }],
      },
    },
  );
  onTestFinished(() => q.ends());
  const note = (...texts: readonly unknown[]) =>
    void said.push({ where: 'log', text: JSON.stringify(texts) });
  const logger = { debug: note, info: note, warn: note, error: note };
  const { mq, clock } = q.world;
  const tokens = tokenKeeper({
    store: memoryServiceStore({ clock }),
    canonicalRepo: (one) => one,
    clock,
    logger,
  });
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      said.push({ where: 'log', text: String(chunk) });
      done();
    },
  });
  const app = fastify({ ...recommendedServerOptions, logger: { level: 'trace', stream } });
  onTestFinished(() => app.close());
  await app.register(mergeQueueApi, {
    ...{ mq, tokens, prefix: '/v1' },
    authenticate: keeperAuthenticator(tokens, BOOTSTRAP),
  });
  const ask = (name: string, body: object | string, token: string, headers: Record<string, string> = {}) =>
    q.world.act(async () => {
      const answer = await app.inject({
        method: 'POST',
        url: `/v1/${name}`,
        headers: { 'content-type': 'application/json', 'x-api-token': token, ...headers },
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      });
      said.push({ where: name, text: JSON.stringify(answer.headers) + answer.body });
      return answer.json();
    });
  return { q, ask, said };
};

test('a token appears only in the answer that issues it, never in a log, an error or a history', async () => {
  const { q, ask, said } = await talkative();
  const made = await ask('createToken', { name: 'jenkins', scopes: ['checks', 'read', 'submit'] }, BOOTSTRAP);
  await q.submit(1);
  const [expected] = (await ask('listExpectedChecks', {}, made.token)).expectedChecks;
  const report = { repo, check: 'unit', testRunId: expected.testRunId, status: 'running' };
  const rotated = await ask('rotateToken', { tokenId: made.tokenId }, BOOTSTRAP);
  const secrets = [BOOTSTRAP, made.token, rotated.token, expected.reportToken];
  for (const token of secrets) {
    await ask('getQueue', '{"repo":', token);
    await ask('getQueue', { repo, targetBranch: token.slice(0, 3), [token.slice(0, 5)]: 1 }, token);
    await ask('whoami', {}, `${token}x`);
    await ask('nothing', {}, token);
    await ask('getQueue', queueRef, token, { authorization: `Bearer ${token}y` });
    await ask('reportCheck', report, token);
    await ask('getSubmittedPullRequest', { ...queueRef, pr: { number: 1 }, includeTimeline: true }, token);
  }
  await ask('listTokens', {}, BOOTSTRAP);
  await ask('reportCheck', { ...report, status: 'completed', conclusion: 'success' }, expected.reportToken);
  await ask('revokeToken', { tokenId: made.tokenId }, BOOTSTRAP);
  said.push({ where: 'history', text: JSON.stringify(q.world.seen.history) });

  const givenOut = new Set(['createToken', 'rotateToken', 'listExpectedChecks']);
  const leaks = said.filter(
    ({ where, text }) => !givenOut.has(where) && secrets.some((secret) => text.includes(secret)),
  );
  expect(leaks).toEqual([]);
  expect(said.filter(({ where }) => where === 'log').length).toBeGreaterThan(10);
});
