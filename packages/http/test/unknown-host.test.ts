import { tokenKeeper, webhookKeeper } from '@mq/core';
import { memoryServiceStore, memoryWebhookStore } from '@mq/store-memory';
import { story } from '@mq/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { keeperAuthenticator } from '../src/index.js';
import { apiWith, everything, repo, validRequests, withoutRepository } from './world.js';

const wrong = { ...repo, host: 'git.wrong.example' };

/** The API with a real engine, tokens and webhooks, whose only code host is the one of the story. */
const world = async () => {
  const q = await story();
  onTestFinished(() => q.ends());
  const { mq, clock } = q.world;
  const store = memoryServiceStore({ clock });
  const tokens = tokenKeeper({ store, canonicalRepo: mq.canonicalRepo, clock });
  const webhooks = webhookKeeper({
    ...{ store: memoryWebhookStore({ clock }), mq, key: Buffer.alloc(32, 7), urlFault: () => null },
  });
  const authenticate = keeperAuthenticator(tokens, everything.token);
  const api = await apiWith({ mq, tokens, webhooks, authenticate });
  const { json } = await api.post('createWebhook', { url: 'https://receiver.example/hook' });
  return { q, api, webhookId: json.webhookId as string };
};

test('an unknown host name gets the same answer from every operation', async () => {
  const { q, api, webhookId } = await world();
  const sentence = `No code host is named ${wrong.host}, only ${repo.host}. Use the name of a code host that this service is configured for.`;
  for (const [name, valid] of Object.entries(validRequests)) {
    if (withoutRepository.includes(name)) continue;
    const body = { ...valid, repo: wrong, ...('webhookId' in valid ? { webhookId } : {}) };
    const { status, json } = await q.world.act(() => api.post(name, body));
    expect.soft([name, status, json.code, json.detail]).toEqual([name, 404, 'UNKNOWN_HOST', sentence]);
  }
  const tokens = await api.post('createToken', { name: 'ci', scopes: ['read'], repositories: [repo, wrong] });
  expect.soft([tokens.status, tokens.json.code]).toEqual([404, 'UNKNOWN_HOST']);
  const named = `repo=acme/widgets&repoHost=${wrong.host}`;
  const events = await api.get(`events?${named}&targetBranch=main`);
  expect.soft([events.status, events.json.code]).toEqual([404, 'UNKNOWN_HOST']);
  const metrics = await api.get(`getMergeQueueMetrics?${named}`);
  expect.soft([metrics.status, metrics.text]).toEqual([404, sentence]);
});

test('a token for one repository does not learn which code hosts there are', async () => {
  const { api } = await world();
  const { json } = await api.post('createToken', {
    ...{ name: 'limited', scopes: ['read', 'tokens'] },
    repositories: [{ ...repo, name: 'gadgets' }],
  });
  const limited = { token: json.token as string };
  const made = await api.post(
    'createToken',
    { name: 'more', scopes: ['read'], repositories: [wrong] },
    limited,
  );
  const events = await api.get(`events?repo=acme/widgets&repoHost=${wrong.host}&after=-`, limited);
  expect([made.status, made.json.code]).toEqual([403, 'RIGHTS_EXCEEDED']);
  expect(made.text + events.text).not.toContain(repo.host);
});

test('the operations without a repository warn about one that is named', async () => {
  const { api, webhookId } = await world();
  for (const name of ['whoami', 'listTokens', 'listWebhooks', 'listDeliveries']) {
    const { json } = await api.post(name, { ...validRequests[name], webhookId, repo: wrong });
    expect(json.warnings?.[0].fields).toContain('repo');
  }
});
