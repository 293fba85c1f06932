import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { pageAddress } from './address.js';
import { mergeQueuePage, type PageOptions } from './plugin.js';

const names = { script: 'app-1.js', style: 'style-1.css', icon: 'icon-1.svg', font: 'inter-1.woff2' };

const builtFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(names));
  writeFileSync(join(folder, names.script), 'let it = 1;'.repeat(100));
  writeFileSync(join(folder, names.font), 'font');
  return folder;
};

const appWith = async (options: PageOptions = {}, prefix = ''): Promise<FastifyInstance> => {
  const app = fastify();
  onTestFinished(() => app.close());
  app.get('/v1/openapi.json', async () => ({}));
  await app.register(mergeQueuePage, { folder: builtFolder(), prefix, ...options });
  return app;
};

const html = { accept: 'text/html,application/xhtml+xml' };

test('every address of the page answers the same document, with a policy that allows nothing inline', async () => {
  const app = await appWith();
  const addresses = [
    '/',
    '/local/acme/shop/main',
    '/local/acme/shop/main/41',
    '/local/acme/shop/release/1/41',
  ];
  const answers = await Promise.all(addresses.map((url) => app.inject({ url, headers: html })));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  const [answer] = answers;
  const policy = String(answer?.headers['content-security-policy']);
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "require-trusted-types-for 'script'",
    "frame-ancestors 'none'",
  ])
    expect(policy.split('; ')).toContain(directive);
  expect(policy).not.toContain('unsafe');
  expect(answer?.body).not.toMatch(/<script(?![^>]* src=)|<style|style=|onload=/);
});

test('files are named by their content, cached for ever and compressed if that helps', async () => {
  const app = await appWith();
  const headers = { 'accept-encoding': 'br, gzip' };
  const script = await app.inject({ url: '/page/app-1.js', headers });
  expect(script.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const font = await app.inject({ url: '/page/inter-1.woff2', headers });
  expect(font.headers['content-encoding']).toBeUndefined();
  expect((await app.inject('/page/app-1.js')).body).toBe('let it = 1;'.repeat(100));
});

test('addresses that belong to the API, and files that are not there, answer 404', async () => {
  const app = await appWith();
  for (const url of [
    '/v1/a/b/c',
    '/health/a/b/c',
    '/page/none.js',
    '/page/..%2fmanifest.json',
    '/one',
    '/one/two',
  ])
    expect((await app.inject({ url, headers: html })).statusCode, url).toBe(404);
});

test('a client that does not ask for HTML gets the plain text at the root', async () => {
  const app = await appWith({ plainText: 'mq' });
  expect((await app.inject('/')).body).toBe('mq');
  expect((await app.inject({ url: '/', headers: html })).body).toContain('<!doctype html>');
});

test('below a prefix the document names its own files and the API', async () => {
  const app = await appWith({ api: '/queue' }, '/queue');
  const { body } = await app.inject({ url: '/queue/local/acme/shop/main', headers: html });
  expect(body).toContain('src="/queue/page/app-1.js"');
  expect(body).toContain('<meta name="mq-api" content="/queue/">');
  expect((await app.inject('/queue/page/app-1.js')).statusCode).toBe(200);
});

test('a page that was not built says how to build it', async () => {
  const app = await appWith({ folder: '/nowhere' });
  const answer = await app.inject({ url: '/', headers: html });
  expect(answer.statusCode).toBe(503);
  expect(answer.body).toContain('npm run build');
});

test('the address of a pull request encodes the slashes of its branch', () => {
  const queue = { host: 'local', owner: 'acme/tools', name: 'shop', branch: 'release/1' };
  expect(pageAddress(queue, 41)).toBe('/local/acme%2Ftools/shop/release%2F1/41');
  expect(pageAddress(queue)).toBe('/local/acme%2Ftools/shop/release%2F1');
});
