// Serves the API for `npm run fuzz`, with an in-memory engine. Prints `<address> <document>`.
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { bootstrapHolder, createMergeQueue, systemClock, tokenKeeper, webhookKeeper } from '@mq/core';
import { memoryCheckStore, memoryServiceStore, memoryStore, memoryWebhookStore } from '@mq/store-memory';
import { fakeHost } from '@mq/testkit';
import fastify from 'fastify';
import { keeperAuthenticator, mergeQueueApi, recommendedServerOptions } from '../../src/index.js';
import { documentForFuzzing, PULL_REQUESTS } from './document.js';

const [token = '', documentPath = ''] = process.argv.slice(2);

const repo = { host: 'github.com', owner: 'acme', name: 'widgets' };
const host = fakeHost({ clock: systemClock });
const repository = host.createRepository({ ref: repo });
for (let number = 1; number <= PULL_REQUESTS; number += 1) repository.openPullRequest({ number });
const mq = createMergeQueue({
  store: memoryStore(),
  hosts: { [repo.host]: host },
  externalChecks: {
    store: memoryCheckStore(),
    sources: () => [
      { name: 'unit', source: 'external', reporters: [bootstrapHolder.reporter], startTimeoutMs: null },
    ],
  },
});
const makeQueue = () => mq.createQueue({ repo, targetBranch: 'main', requiredStatuses: ['unit'] });
await makeQueue();
mq.start();

const tokens = tokenKeeper({ store: memoryServiceStore(), canonicalRepo: (one) => one });
const webhooks = webhookKeeper({
  store: memoryWebhookStore(),
  ...{ mq, key: Buffer.alloc(32, 7) },
  urlFault: (text) => (text.startsWith('https://') ? null : 'must be an https address'),
});
const app = fastify({ ...recommendedServerOptions, logger: { level: 'error' } });
// No request waits; more than the document allows is left to be refused.
app.addHook('preValidation', async ({ body, url }) => {
  const waits = url.endsWith('/waitForPullRequest');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return;
  const asked: { waitSeconds?: unknown } = body;
  const seconds = asked.waitSeconds ?? (waits && !('waitSeconds' in asked) ? 30 : null);
  if (Number.isInteger(seconds) && Number(seconds) > 0 && Number(seconds) <= (waits ? 55 : 60))
    asked.waitSeconds = 0;
});
// A deleted queue comes back, so that what follows is not all answered with 404.
app.addHook('onResponse', async ({ url }, { statusCode }) => {
  if (url.endsWith('/deleteQueue') && statusCode === 200) await makeQueue().catch(() => undefined);
});
// Keys that the tool draws are often equal. Each one counts as new here, so that no request is refused for another one's key.
let keys = 0;
app.addHook('preValidation', async ({ headers }) => {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || key.length < 1 || key.length > 240) return;
  keys += 1;
  headers['idempotency-key'] = `${key}.${keys}`;
});
await app.register(mergeQueueApi, {
  ...{ prefix: '/v1', mq, tokens, webhooks },
  authenticate: keeperAuthenticator(tokens, token),
});
// The rows whose ids are put into the document, so that requests get other answers than 404.
for (let pr = 1; pr <= 3; pr += 1) await mq.submit({ repo, targetBranch: 'main', pr });
const { token: made } = await tokens.create(bootstrapHolder, { name: 'drawn', scopes: ['read'] });
const { webhook } = await webhooks.create(bootstrapHolder, { url: 'https://receiver.example/hook' });
let expected = await mq.listExpectedChecks({ reporter: bootstrapHolder.reporter });
while (expected.length === 0) {
  await delay(20);
  expected = await mq.listExpectedChecks({ reporter: bootstrapHolder.reporter });
}
const ids = { tokenId: made.id, webhookId: webhook.id, testRunId: expected[0]?.testRunId ?? '' };
writeFileSync(documentPath, JSON.stringify(documentForFuzzing(ids)));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
