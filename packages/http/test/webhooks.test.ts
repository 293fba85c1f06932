import {
  type DeliveryId,
  type Followed,
  SecretBox,
  secretContext,
  tokenKeeper,
  type WebhookId,
  webhookKeeper,
} from '@mq/core';
import { memoryServiceStore, memoryWebhookStore } from '@mq/store-memory';
import { virtualClock } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { keeperAuthenticator } from '../src/index.js';
import { type Answer, apiWith, everything, pathsOf, repo, scriptedQueue } from './world.js';

const BOOTSTRAP = 'the-token-of-the-configuration';
const url = 'https://receiver.example/hook';
const key = Buffer.alloc(32, 7);
const START = Buffer.from('{}').toString('base64url');

/** An API with a webhook keeper. Requests use the bootstrap token unless another is given. */
const world = async () => {
  const clock = virtualClock();
  const store = memoryWebhookStore({ clock });
  const { mq } = scriptedQueue({
    follow: async function* (): AsyncGenerator<Followed> {
      yield { type: 'started', cursor: START };
    },
    listQueues: async () => ({ items: [], next: null }),
    diagnose: async () => ({ findings: [], queues: 0, isComplete: true }),
  });
  const canonicalRepo = mq.canonicalRepo;
  const tokens = tokenKeeper({ store: memoryServiceStore({ clock }), canonicalRepo, clock });
  const urlFault = (text: string) => (text.startsWith('https://') ? null : 'must be an https address');
  const webhooks = webhookKeeper({ store, mq, key, urlFault });
  const api = await apiWith({ mq, tokens, webhooks, authenticate: keeperAuthenticator(tokens, BOOTSTRAP) });
  const ask = (name: string, body: object = {}, token = BOOTSTRAP, headers = {}) =>
    api.post(name, body, { token, headers });
  const ok = async (...asked: Parameters<typeof ask>): Promise<Answer['json']> => {
    const answer = await ask(...asked);
    expect(answer.status, answer.text).toBe(200);
    return answer.json;
  };
  const tokenOf = async (body: object = {}): Promise<string> =>
    (await ok('createToken', { name: 'owner', scopes: ['read', 'webhooks', 'tokens'], ...body })).token;
  return { ask, ok, tokenOf, store, clock };
};

const refusal = ({ status, json }: Answer) => [status, json.code];

describe('createWebhook', () => {
  test('createWebhook answers the webhook and, only once, its secret, which is stored encrypted', async () => {
    const { ok, ask, store } = await world();
    const made = await ok('createWebhook', { url, types: ['alarm'], repo, targetBranch: 'main' });
    expect(made).toMatchObject({
      ...{ url, types: ['alarm'], repo, targetBranch: 'main', format: 'standard', disabled: null },
      ...{ madeByTokenId: 'bootstrap', lastSuccessAt: null, failingSince: null, oldSecretsUntil: null },
    });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await ask('listWebhooks')).text).not.toContain(made.secret);
    const kept = await store.webhook(made.webhookId as WebhookId);
    expect(JSON.stringify(kept)).not.toContain(made.secret);
    const sealed = kept?.webhook.secrets[0]?.sealed ?? '';
    expect(new SecretBox(key).open(sealed, secretContext(made.webhookId))).toBe(made.secret);
  });

  test('createWebhook lists every fault of a request by its path', async () => {
    const { ask } = await world();
    const long = 'x'.repeat(256);
    const answer = await ask('createWebhook', {
      url: '',
      types: ['other'],
      format: 'xml',
      description: long,
    });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['url', 'description', 'format', 'types[0]']]);
    expect(pathsOf(await ask('createWebhook', { url: 'http://receiver.example' }))).toEqual(['url']);
    expect(pathsOf(await ask('createWebhook', { url, targetBranch: 'main' }))).toEqual(['targetBranch']);
  });

  test('createWebhook answers a repeated Idempotency-Key with the same webhook, without the secret', async () => {
    const { ok, ask } = await world();
    const keyed = { 'idempotency-key': 'one' };
    const first = await ok('createWebhook', { url }, BOOTSTRAP, keyed);
    expect(await ok('createWebhook', { url }, BOOTSTRAP, keyed)).toEqual({ ...first, secret: null });
    const other = await ask('createWebhook', { url: `${url}2` }, BOOTSTRAP, keyed);
    expect(refusal(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await ok('listWebhooks')).webhooks.length).toBe(1);
  });

  test('createWebhook also needs the scope read, because events reveal the queue', async () => {
    const { ask, tokenOf } = await world();
    const token = await tokenOf({ scopes: ['webhooks'] });
    expect(refusal(await ask('createWebhook', { url }, token))).toEqual([403, 'RIGHTS_EXCEEDED']);
  });

  test('createWebhook refuses a repository that the token may not use', async () => {
    const { ask, tokenOf } = await world();
    const token = await tokenOf({ repositories: [{ ...repo, name: 'gadgets' }] });
    expect(refusal(await ask('createWebhook', { url, repo }, token))).toEqual([
      403,
      'REPOSITORY_NOT_ALLOWED',
    ]);
  });
});

test('a token manages its own webhooks and those of tokens that it created, and no others', async () => {
  const { ok, ask, tokenOf } = await world();
  const [one, other] = [await tokenOf(), await tokenOf()];
  const { webhookId } = await ok('createWebhook', { url }, one);
  expect((await ok('listWebhooks', {}, other)).webhooks).toEqual([]);
  for (const name of ['updateWebhook', 'testWebhook', 'listDeliveries'])
    expect(refusal(await ask(name, { webhookId }, other)), name).toEqual([404, 'WEBHOOK_NOT_FOUND']);
  expect(await ok('deleteWebhook', { webhookId }, other)).toEqual({});
  expect((await ok('listWebhooks', {}, one)).webhooks).toMatchObject([{ webhookId }]);
  expect((await ok('listWebhooks')).webhooks).toMatchObject([{ webhookId }]);
  await ok('deleteWebhook', { webhookId });
  expect(await ok('deleteWebhook', { webhookId })).toEqual({});
  expect((await ok('listWebhooks')).webhooks).toEqual([]);
});

test('updateWebhook changes only the given fields, and a rotation keeps the old secret valid for the overlap', async () => {
  const { ok, clock, store } = await world();
  const { webhookId, secret } = await ok('createWebhook', { url, types: ['alarm'] });
  const keyed = { 'idempotency-key': 'rotate' };
  const asked = { webhookId, types: null, rotateSecret: true, overlapSeconds: 60 };
  const changed = await ok('updateWebhook', asked, BOOTSTRAP, keyed);
  expect(changed).toMatchObject({
    url,
    types: null,
    oldSecretsUntil: new Date(clock.now() + 60_000).toISOString(),
  });
  expect([changed.secret === secret, /^whsec_/.test(changed.secret)]).toEqual([false, true]);
  expect(await ok('updateWebhook', asked, BOOTSTRAP, keyed)).toEqual({ ...changed, secret: null });
  expect((await store.webhook(webhookId))?.webhook.secrets.map(({ until }) => until)).toEqual([
    null,
    clock.now() + 60_000,
  ]);
  await clock.advance(60_000);
  await ok('updateWebhook', { webhookId, rotateSecret: true, overlapSeconds: 0 });
  expect((await store.webhook(webhookId))?.webhook.secrets.length).toBe(1);
});

test('a disabled webhook gets no tests and no replays until it is enabled', async () => {
  const { ok, ask } = await world();
  const { webhookId } = await ok('createWebhook', { url });
  const off = await ok('updateWebhook', { webhookId, enabled: false });
  expect(off.disabled).toMatchObject({ reason: 'owner' });
  expect(refusal(await ask('testWebhook', { webhookId }))).toEqual([409, 'WEBHOOK_DISABLED']);
  const since = '2026-01-01T00:00:00.000Z';
  expect(refusal(await ask('replayDeliveries', { webhookId, since }))).toEqual([409, 'WEBHOOK_DISABLED']);
  expect((await ok('updateWebhook', { webhookId, enabled: true })).disabled).toBe(null);
  const { deliveryId } = await ok('testWebhook', { webhookId });
  expect((await ok('listDeliveries', { webhookId })).deliveries).toMatchObject([
    { deliveryId, type: 'webhook.test', state: 'pending', tries: [], queueId: null, sequence: null },
  ]);
});

test('replayDeliveries makes ended deliveries due again, by range or by id', async () => {
  const { ok, ask, store, clock } = await world();
  const { webhookId } = await ok('createWebhook', { url });
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) {
    ids.push((await ok('testWebhook', { webhookId })).deliveryId);
    await clock.advance(1_000);
  }
  for (const { delivery } of await store.due({ webhookId, at: clock.now(), limit: 9 }))
    await store.settle(
      { ...delivery, state: 'failed', tries: 8, nextAt: null, endedAt: clock.now(), version: 2 },
      { at: clock.now(), failure: 'It answered 500.' },
    );
  const isPending = async () =>
    (await ok('listDeliveries', { webhookId, states: ['pending'] })).deliveries.map(
      ({ deliveryId }: { deliveryId: DeliveryId }) => deliveryId,
    );
  expect(await ok('replayDeliveries', { webhookId, deliveryIds: [ids[0]] })).toEqual({ replayedCount: 1 });
  expect(await isPending()).toEqual([ids[0]]);
  const since = new Date(clock.now() - 1_500).toISOString();
  expect(await ok('replayDeliveries', { webhookId, since, states: ['delivered'] })).toEqual({
    replayedCount: 0,
  });
  expect(await ok('replayDeliveries', { webhookId, since })).toEqual({ replayedCount: 1 });
  expect(await isPending()).toEqual([ids[2], ids[0]]);
  expect(pathsOf(await ask('replayDeliveries', { webhookId }))).toEqual(['since']);
  const named = { webhookId, deliveryIds: Array.from({ length: 101 }, () => 'x') };
  expect(pathsOf(await ask('replayDeliveries', named))).toEqual(['deliveryIds']);
});

test('a diagnosis names a webhook whose deliveries fail, for a token that may manage it', async () => {
  const { ok, tokenOf, store, clock } = await world();
  const { webhookId } = await ok('createWebhook', { url });
  await ok('testWebhook', { webhookId });
  const [due] = await store.due({ webhookId, at: clock.now(), limit: 1 });
  if (due === undefined) throw new Error('no delivery is due');
  const failed = {
    ...due.delivery,
    state: 'failed' as const,
    nextAt: null,
    endedAt: clock.now(),
    version: 2,
  };
  await store.settle(failed, { at: clock.now(), failure: 'It answered 500.' });
  const codes = async (token?: string): Promise<readonly string[]> =>
    (await ok('diagnose', {}, token)).findings.map(({ code }: { code: string }) => code);

  expect(await codes()).toEqual(['WEBHOOK_FAILING']);
  expect(await codes(await tokenOf({ scopes: ['admin', 'webhooks'] }))).toEqual([]);
});

test('a diagnosis names the limits of webhooks and of tokens that are nine tenths full, by the scopes of the token', async () => {
  const { ok, tokenOf } = await world();
  const scopes = ['admin', 'read', 'webhooks', 'tokens'];
  const token = await tokenOf({ scopes });
  const foundBy = async (one: string): Promise<readonly string[]> =>
    (await ok('diagnose', {}, one)).findings.map(
      ({ code, sentence }: { code: string; sentence: string }) => `${code} ${sentence}`,
    );
  const make = async (count: number, name: string, body: object) => {
    for (let made = 0; made < count; made += 1) await ok(name, body, token);
  };
  await make(89, 'createWebhook', { url });
  await make(898, 'createToken', { name: 'worker', scopes: ['read'] });
  const limited = (await ok('createToken', { name: 'other', scopes: ['admin'] }, token)).token;
  expect(await foundBy(token)).toEqual([]);

  await make(1, 'createWebhook', { url });
  await make(1, 'createToken', { name: 'worker', scopes: ['read'] });
  expect(await foundBy(token)).toEqual([
    'WEBHOOKS_NEAR_LIMIT 90 of 100 webhooks exist. Beyond that, another is refused with WEBHOOKS_FULL.',
    'TOKENS_NEAR_LIMIT 900 of 1000 valid tokens exist that it has made. Beyond that, another is refused with TOKENS_FULL.',
  ]);
  expect(await foundBy(limited)).toEqual([]);
});

test('a service without webhooks answers 404', async () => {
  const { mq } = scriptedQueue();
  const api = await apiWith({ mq });
  const answer = await api.post('listWebhooks', {}, { token: everything.token });
  expect(refusal(answer)).toEqual([404, 'WEBHOOKS_NOT_KEPT']);
});
