import { createHmac } from 'node:crypto';
import type { InboundEvent } from '@mq/core';
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
  const hinted: InboundEvent[] = [];
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

test.each([
  ['label_updated', ['pull_requests', 'labels']],
  ['label_cleared', ['pull_requests', 'labels']],
  ['opened', ['pull_requests', 'labels']],
  ['synchronized', ['pull_requests']],
])('a webhook about a pull request with the action %s hints at %s', async (action, kinds) => {
  const { receive, hinted } = receiver();
  const body = JSON.stringify({ ...push, action, number: 41 });
  expect((await receive(signed(body, { 'x-gitea-event': 'pull_request' }))).status).toBe(200);
  expect(hinted.map(({ what }) => what)).toEqual(kinds);
});

const written = {
  action: 'created',
  is_pull: true,
  issue: { number: 41 },
  comment: {
    ...{ id: 12, body: '/mq merge\r\n', user: { id: 3, login: 'ada' }, pull_request_url: null },
    ...{ created_at: '2026-11-26T10:00:00Z', updated_at: '2026-11-26T10:00:00+00:00', assets: [] },
  },
  repository: { full_name: 'team/app' },
};
const ofComment = { 'x-gitea-event': 'issue_comment' };

test('a new comment of a pull request is passed on as it was written, with its author', async () => {
  const { receive, hinted } = receiver();
  expect((await receive(signed(JSON.stringify(written), ofComment))).status).toBe(200);
  const at = Date.parse('2026-11-26T10:00:00Z');
  const author = { id: '3', name: 'ada', isBot: false };
  const comment = { id: '12', author, body: '/mq merge\n', createdAt: at, editedAt: null };
  const repo = { host: 'forge', owner: 'team', name: 'app' };
  expect(hinted).toEqual([{ repo, what: 'comment', pr: 41, comment }]);
});

test.each<[string, unknown]>([
  ['edited', { ...written, action: 'edited' }],
  ['deleted', { ...written, action: 'deleted' }],
  ['of an issue', { ...written, is_pull: false }],
  ['without a date', { ...written, comment: { ...written.comment, created_at: null } }],
  ['of null', { ...written, comment: null }],
  ['of a repository that is not served', { ...written, repository: { full_name: 'others/app' } }],
])('a comment %s is answered 200 and passed on to none', async (_what, body) => {
  const { receive, hinted } = receiver(({ owner }) => owner === 'team');
  expect([(await receive(signed(JSON.stringify(body), ofComment))).status, hinted]).toEqual([200, []]);
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

const sides = (branch: string, of: number) => ({
  pull_request: { number: 7, head: { label: branch, repo_id: of }, base: { label: 'main', repo_id: 1 } },
});

test('a webhook about a pull request from a fork whose branch has the name of a candidate is a hint', async () => {
  const { receive, hinted } = receiver();
  const body = JSON.stringify({ ...push, number: 7, ...sides('mq/pr-1/a', 2) });
  expect((await receive(signed(body, { 'x-gitea-event': 'pull_request' }))).status).toBe(200);
  expect(hinted).toHaveLength(1);
});

test.each(['mq/lid', 'mq/ada/lid', 'mq/pr-x/lid', 'mq/pr-1/ada/lid', 'mq/pr-1/v1.2'])(
  'a webhook about a pull request from the branch %s is a hint: it is not a candidate',
  async (branch) => {
    const { receive, hinted } = receiver();
    const body = JSON.stringify({ ...push, number: 7, ...sides(branch, 1) });
    expect((await receive(signed(body, { 'x-gitea-event': 'pull_request' }))).status).toBe(200);
    expect(hinted).toMatchObject([{ what: 'pull_requests', pr: 7 }]);
  },
);

test.each<[string, unknown, Readonly<Record<string, string>>]>([
  [
    'about a draft of the queue',
    { ...push, number: 7, ...sides('mq/pr-1/a', 1) },
    { 'x-gitea-event': 'pull_request' },
  ],
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
