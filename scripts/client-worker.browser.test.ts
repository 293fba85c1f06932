import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository, queueRef, serverWith } from '../packages/server/test/server-process.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** The worker's use of the client. It answers what it has received. */
const WORKER = `
import { createClient, MqError } from '@mq/client';
onmessage = async ({ data: { token, queue } }) => {
  const mq = createClient({ url: location.origin, token });
  await mq.createQueue(queue);
  const events = [];
  const over = new AbortController();
  const following = (async () => {
    for await (const { type } of mq.events(queue, { signal: over.signal })) events.push(type);
  })().catch((error) => error.name);
  await mq.submitPullRequest({ ...queue, pr: { number: 1 } });
  const { state } = await mq.waitFor({ ...queue, pr: 1 });
  over.abort();
  const code = await mq.cancelPullRequest({ ...queue, pr: { number: 1 } }).catch((error) =>
    error instanceof MqError ? error.code : String(error));
  postMessage({ state, code, hasEvents: events.length > 0, ended: await following });
};`;

/** A bundle for browsers: esbuild fails if it imports modules that only Node has. */
const bundled = async (code: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    conditions: ['mq-source'],
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
};

test('a bundle for browsers cannot be made with a module of Node in it', async () => {
  await expect(bundled("import 'node:fs'; import '@mq/client';")).rejects.toThrow('node:fs');
});

test('the client submits, follows events, waits and is refused in a web worker of Chromium', async () => {
  const worker = await bundled(WORKER);
  const [server, browser] = await Promise.all([
    serverWith(),
    chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS }),
  ]);
  onTestFinished(() => browser.close());
  await makeRepository(server.dataFolder, 'true', { good: 'good\n' });
  const context = await browser.newContext();
  // At the origin of the server, which answers only its own pages.
  await context.route('**/worker-test/*', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ contentType: 'text/javascript', body: worker })
      : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A worker</title>' }),
  );
  const page = await context.newPage();
  await page.goto(`${server.url}/worker-test/page.html`);

  const asked = JSON.stringify({ token: server.token, queue: queueRef });
  const answer = await page.evaluate(`new Promise((resolve, reject) => {
    const worker = new Worker('/worker-test/worker.js');
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(${asked});
  })`);

  expect(answer).toEqual({ state: 'merged', code: 'ALREADY_MERGED', hasEvents: true, ended: 'AbortError' });
});
