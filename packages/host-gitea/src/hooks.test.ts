import { createHmac } from 'node:crypto';
import type { HostEvent } from '@mq/core';
import { expect, test } from 'vitest';
import { hookReceiver } from './hooks.js';

const SECRET = 'a secret';
const push = { repository: { full_name: 'team/app' }, ref: 'refs/heads/main', new_field: null };

const signed = (body: string, headers: Readonly<Record<string, string>> = {}) => ({
  headers: {
    'x-gitea-event': 'push',
    'x-gitea-delivery': `delivery ${body.length}`,
    'x-gitea-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
    ...headers,
  },
  body: Buffer.from(body),
});

const receiver = (isServed?: (repo: { readonly owner: string }) => boolean) => {
  const hinted: HostEvent[] = [];
  const receive = hookReceiver({
    ...{ host: 'forge', secret: () => SECRET, take: (event) => hinted.push(event) },
    ...(isServed === undefined ? {} : { isServed }),
  });
  return { receive, hinted };
};

test('a webhook of a signed push is a hint about the branches of its repository', async () => {
  const { receive, hinted } = receiver();
  expect((await receive(signed(JSON.stringify(push)))).status).toBe(200);
  expect(hinted).toEqual([{ repo: { host: 'forge', owner: 'team', name: 'app' }, what: 'branch' }]);
});

test('a webhook about a pull request is a hint about that one, or about all if it names none', async () => {
  const { receive, hinted } = receiver();
  for (const number of [41, 'x', undefined])
    await receive(
      signed(JSON.stringify({ ...push, number }), {
        'x-gitea-event': 'pull_request',
        'x-gitea-delivery': '',
      }),
    );
  const repo = { host: 'forge', owner: 'team', name: 'app' };
  expect(hinted).toEqual([
    { repo, what: 'pull_requests', pr: 41 },
    { repo, what: 'pull_requests' },
    { repo, what: 'pull_requests' },
  ]);
});

test('a webhook that is not signed with the secret is answered with 401', async () => {
  const { receive, hinted } = receiver();
  expect((await receive(signed(JSON.stringify(push), { 'x-gitea-signature': 'f'.repeat(64) }))).status).toBe(
    401,
  );
  expect(hinted).toEqual([]);
});

test('a repeated delivery of Gitea or Forgejo is ignored', async () => {
  const { receive, hinted } = receiver();
  const request = signed(JSON.stringify(push));
  const forgejo = signed(JSON.stringify(push), { 'x-gitea-delivery': '', 'x-forgejo-delivery': 'one' });
  const statuses = [await receive(request), await receive(request), await receive(forgejo)].map(
    ({ status }) => status,
  );
  expect([statuses, hinted.length]).toEqual([[200, 200, 200], 2]);
});

test.each<[string, unknown, Readonly<Record<string, string>>]>([
  ['of an event that no queue depends on', push, { 'x-gitea-event': 'wiki' }],
  ['without a repository', {}, {}],
  ['with a repository of null', { repository: null }, {}],
  ['that is a list', [], {}],
  ['of a name with too many parts', { repository: { full_name: 'a/b/c' } }, {}],
  ['of an owner that is not served', { repository: { full_name: 'others/app' } }, {}],
])('a webhook %s is answered with 200 and causes no hint', async (_what, body, headers) => {
  const { receive, hinted } = receiver(({ owner }) => owner === 'team');
  expect([(await receive(signed(JSON.stringify(body), headers))).status, hinted]).toEqual([200, []]);
});
