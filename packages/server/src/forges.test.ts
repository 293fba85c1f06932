import { createHmac } from 'node:crypto';
import type { HostEvent, InboundEvent } from '@mq/core';
import fastify from 'fastify';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openForges } from './forges.js';

const MEGABYTE = 1024 * 1024;
const entry = {
  ...{
    name: 'forge',
    type: 'gitea' as const,
    url: 'https://git.example.com',
    allowHttp: false,
    aliases: {},
    drafts: false,
  },
  ...{ tokenVariable: 'TOKEN', webhookSecretVariable: 'SECRET', owners: ['team'] },
};

const hooked = async (notice: (event: InboundEvent) => Promise<void> = async () => undefined) => {
  const config = { hosts: [{ ...entry, owners: [...entry.owners] }], dataFolder: '/nowhere' };
  const forges = openForges(config, { TOKEN: 'token', SECRET: 'secret' }, pino({ level: 'silent' }));
  const hinted: HostEvent[] = [];
  forges.hosts.forge?.onEvent?.((event) => hinted.push(event));
  const app = fastify();
  forges.addHooks(app, notice);
  await app.ready();
  const post = async (body: string, signature?: string, event = 'push') => {
    const made = createHmac('sha256', 'secret').update(body).digest('hex');
    const headers = {
      'x-gitea-event': event,
      'x-gitea-signature': signature ?? made,
      'content-type': 'application/json',
    };
    return (await app.inject({ method: 'POST', url: '/hooks/forge', body, headers })).statusCode;
  };
  return { post, hinted, app, forges };
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

test('a comment is stored before the host is answered, and the host sends it again if that failed', async () => {
  const noticed: InboundEvent[] = [];
  let isDown = true;
  const { post } = await hooked(async (event) => {
    if (isDown) throw new Error('the store is down');
    noticed.push(event);
  });
  const body = JSON.stringify({
    ...{ action: 'created', is_pull: true, issue: { number: 7 }, repository: { full_name: 'team/app' } },
    comment: {
      ...{ id: 12, body: '/mq merge', user: { id: 3, login: 'ada' } },
      ...{ created_at: '2026-11-26T10:00:00Z', updated_at: '2026-11-26T10:00:00Z' },
    },
  });
  const before = await post(body, undefined, 'issue_comment');
  isDown = false;
  expect([before, await post(body, undefined, 'issue_comment')]).toEqual([503, 200]);
  expect(noticed).toMatchObject([{ what: 'comment', pr: 7, comment: { id: '12', body: '/mq merge' } }]);
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

test('an owner that the configuration does not list is found, by its webhooks and by the queues that it has', async () => {
  const { post, forges } = await hooked();
  const codes = async (owner: string) =>
    (await forges.findings([{ repo: { host: 'forge', owner, name: 'app' }, branch: 'main' }]))
      .filter(({ code }) => code === 'HOST_OWNER_NOT_SERVED')
      .map(({ subject, sentence }) => `${subject}: ${sentence}`);
  expect(await codes('Team')).toEqual([]);
  await post(JSON.stringify({ repository: { full_name: 'others/app' } }));
  expect(await codes('strangers')).toEqual([
    'forge: Webhooks of owners that are not served were ignored: others.',
    'forge strangers/app: It has a queue, and its owner is not served.',
  ]);
  await forges.close();
});
