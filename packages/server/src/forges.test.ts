import { createHmac } from 'node:crypto';
import type { HostEvent } from '@mq/core';
import fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openForges } from './forges.js';

const MEGABYTE = 1024 * 1024;
const entry = {
  ...{ name: 'forge', type: 'gitea' as const, url: 'https://git.example.com', allowHttp: false, aliases: {} },
  ...{ tokenVariable: 'TOKEN', webhookSecretVariable: 'SECRET', owners: ['team'] },
};

const hooked = async () => {
  const config = { hosts: [{ ...entry, owners: [...entry.owners] }], dataFolder: '/nowhere' };
  const forges = openForges(config, { TOKEN: 'token', SECRET: 'secret' }, pino({ level: 'silent' }));
  const hinted: HostEvent[] = [];
  forges.hosts.forge?.onEvent?.((event) => hinted.push(event));
  const app = fastify();
  forges.addHooks(app);
  await app.ready();
  const post = async (body: string, signature?: string) => {
    const made = createHmac('sha256', 'secret').update(body).digest('hex');
    const headers = {
      'x-gitea-event': 'push',
      'x-gitea-signature': signature ?? made,
      'content-type': 'application/json',
    };
    return (await app.inject({ method: 'POST', url: '/hooks/forge', body, headers })).statusCode;
  };
  return { post, hinted, app };
};

test('the route of the webhooks passes a signed hook on as a hint, and refuses others by their status', async () => {
  const { post, hinted, app } = await hooked();
  const body = JSON.stringify({ repository: { full_name: 'team/app' } });
  const statuses = [
    await post(body),
    await post(body, 'f'.repeat(64)),
    await post('{"repository":'),
    await post('x'.repeat(25 * MEGABYTE)),
    await post(JSON.stringify({ repository: { full_name: 'others/app' } })),
  ];
  expect(statuses).toEqual([200, 401, 400, 413, 200]);
  expect(hinted).toEqual([{ repo: { host: 'forge', owner: 'team', name: 'app' }, what: 'branch' }]);
  expect((await app.inject({ method: 'POST', url: '/hooks/other' })).statusCode).toBe(404);
});

test('the findings of a host carry its name, and what is wrong with one host hides nothing of another', async () => {
  const hosts = [
    { ...entry, owners: [...entry.owners], url: 'http://127.0.0.1:1' },
    { ...entry, owners: [...entry.owners], name: 'other', url: 'http://127.0.0.1:1' },
  ];
  const env = { TOKEN: 'token', SECRET: 'secret' };
  const forges = openForges({ hosts, dataFolder: '/nowhere' }, env, pino({ level: 'silent' }));
  const repo = { host: 'forge', owner: 'team', name: 'app' };
  const found = await forges.findings([{ repo, branch: 'main' }]);
  expect(found).toMatchObject(
    ['forge', 'other'].map((subject) => ({ code: 'HOST_UNREACHABLE', severity: 'error', subject })),
  );
  await forges.close();
});
