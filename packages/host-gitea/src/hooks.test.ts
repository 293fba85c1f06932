import { createHmac } from 'node:crypto';
import type { HostEvent } from '@mq/core';
import { expect, test } from 'vitest';
import { DELIVERIES_KEPT, HOOK_BODY_LIMIT_BYTES, hookReceiver } from './hooks.js';

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
    ...{ host: 'forge', secret: () => SECRET, hint: (event) => hinted.push(event) },
    ...(isServed === undefined ? {} : { isServed }),
  });
  return { receive, hinted };
};

test('a signed push is a hint at the branches of its repository', () => {
  const { receive, hinted } = receiver();
  expect(receive(signed(JSON.stringify(push))).status).toBe(200);
  expect(hinted).toEqual([{ repo: { host: 'forge', owner: 'team', name: 'app' }, what: 'branch' }]);
});

test.each([
  ['forged', { 'x-gitea-signature': 'f'.repeat(64) }],
  ['cut short', { 'x-gitea-signature': 'abc' }],
  ['not hexadecimal', { 'x-gitea-signature': 'g'.repeat(64) }],
  ['missing', { 'x-gitea-signature': '' }],
])('a signature that is %s is answered 401, and nothing is hinted', (_what, headers) => {
  const { receive, hinted } = receiver();
  expect(receive(signed(JSON.stringify(push), headers)).status).toBe(401);
  expect(hinted).toEqual([]);
});

test('a body that was truncated on its way is answered 401', () => {
  const { receive, hinted } = receiver();
  const { headers, body } = signed(JSON.stringify(push));
  expect(receive({ headers, body: body.subarray(0, -1) }).status).toBe(401);
  expect(hinted).toEqual([]);
});

test('a body beyond the limit is answered 413 before its signature is computed', () => {
  const { receive } = receiver();
  expect(receive({ headers: {}, body: Buffer.alloc(HOOK_BODY_LIMIT_BYTES + 1) }).status).toBe(413);
});

test('what is signed and no JSON is answered 400', () => {
  expect(receiver().receive(signed('{"repository":')).status).toBe(400);
});

test('a delivery that came before is ignored', () => {
  const { receive, hinted } = receiver();
  const request = signed(JSON.stringify(push));
  expect([receive(request).status, receive(request).status, hinted.length]).toEqual([200, 200, 1]);
});

test('no more than the limit of deliveries is remembered, the newest', () => {
  const { receive, hinted } = receiver();
  const send = (id: number) => receive(signed(JSON.stringify(push), { 'x-gitea-delivery': `${id}` }));
  for (let id = 0; id <= DELIVERIES_KEPT; id += 1) send(id);
  const before = hinted.length;
  send(DELIVERIES_KEPT);
  send(0);
  expect(hinted.length - before).toBe(1);
});

test.each<[string, unknown, Readonly<Record<string, string>>]>([
  ['of an event that no queue depends on', push, { 'x-gitea-event': 'wiki' }],
  ['without a repository', {}, {}],
  ['with a repository of null', { repository: null }, {}],
  ['that is a list', [], {}],
  ['of a name with too many parts', { repository: { full_name: 'a/b/c' } }, {}],
  ['of an owner that is not served', { repository: { full_name: 'others/app' } }, {}],
])('a hook %s is answered 200 and hints at nothing', (_what, body, headers) => {
  const { receive, hinted } = receiver(({ owner }) => owner === 'team');
  expect([receive(signed(JSON.stringify(body), headers)).status, hinted]).toEqual([200, []]);
});
