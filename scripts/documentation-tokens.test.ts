import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createMergeQueue, tokenKeeper } from '@mq/core';
import { keeperAuthenticator, mergeQueueApi, recommendedServerOptions } from '@mq/http';
import { memoryServiceStore, memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

const PAGE = new URL('../docs/how-to/make-tokens.md', import.meta.url);
const BOOTSTRAP = 'the-token-of-the-configuration';

test('the commands of the page about tokens make, show, rotate and revoke one', async () => {
  const clock = virtualClock();
  const mq = createMergeQueue({
    store: memoryStore({ clock }),
    hosts: { local: fakeHost({ clock }) },
    clock,
  });
  const { canonicalRepo } = mq;
  const keeper = tokenKeeper({ store: memoryServiceStore({ clock }), canonicalRepo, clock });
  const app = fastify(recommendedServerOptions);
  onTestFinished(() => app.close());
  await app.register(mergeQueueApi, {
    ...{ mq, tokens: keeper, prefix: '/v1' },
    authenticate: keeperAuthenticator(keeper, BOOTSTRAP),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const commands = [...readFileSync(PAGE, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    ([, text = '']) => text,
  );
  const [create = '', whoami = '', rotate = '', revoke = '', ...more] = commands;
  expect(more).toEqual([]);
  const shown = /"tokenId": "([^"]+)"/.exec(rotate)?.[1] ?? '';
  const run = async (command: string, { token = '', tokenId = shown } = {}) => {
    const text = command.replace(/^MQ=.*$/m, '').replaceAll(shown, tokenId);
    const env = { PATH: process.env.PATH, MQ: url, MQ_TOKEN: BOOTSTRAP, TOKEN: token };
    const { stdout } = await promisify(execFile)('sh', ['-c', text], { env });
    return JSON.parse(stdout);
  };

  const made = await run(create);
  expect(made).toMatchObject({
    name: 'ci of widgets',
    scopes: ['read', 'submit', 'targets'],
    state: 'active',
  });
  expect(await run(whoami, { token: made.token })).toMatchObject({
    tokenId: made.tokenId,
    name: 'ci of widgets',
  });
  const rotated = await run(rotate, { tokenId: made.tokenId });
  expect(rotated).toMatchObject({ name: 'ci of widgets', state: 'active' });
  expect(await run(revoke, { tokenId: rotated.tokenId })).toEqual({ revokedTokenIds: [rotated.tokenId] });
  expect(await run(whoami, { token: rotated.token })).toMatchObject({ status: 401 });
});
