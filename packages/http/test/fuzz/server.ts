// Serves the interface for `npm run fuzz`, with an in-memory engine. Prints `<address> <document>`.
import { writeFileSync } from 'node:fs';
import { createMergeQueue, systemClock, tokenKeeper, webhookKeeper } from '@mq/core';
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
    sources: () => [{ name: 'unit', source: 'external', reporters: ['bootstrap'], startTimeoutMs: null }],
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
// No request waits for long; more than the document allows is left to be refused.
app.addHook('preValidation', async ({ body, url }) => {
  const asked = body as { waitSeconds?: unknown } | null;
  const [seconds, limit] = [asked?.waitSeconds, url.endsWith('/waitForPullRequest') ? 55 : 60];
  if (asked !== null && typeof seconds === 'number' && seconds > 1 && seconds <= limit) asked.waitSeconds = 1;
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
writeFileSync(documentPath, JSON.stringify(documentForFuzzing()));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
