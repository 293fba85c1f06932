import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal, Scope } from '@mq/http';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addCheckLogs, LOG_LINK_MS, logLinks } from './check-logs.js';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'mq-logs-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

const widgets = { host: 'local', owner: 'acme/tools', name: 'widgets' };
const gadgets = { ...widgets, name: 'gadgets' };

const tokens: Readonly<Record<string, readonly Scope[]>> = {
  reader: ['read'],
  submitter: ['submit'],
  'reader of gadgets': ['read'],
};
const principalOf = (token: string): Principal | null => {
  const scopes = tokens[token];
  if (scopes === undefined) return null;
  const repositories = token === 'reader of gadgets' ? { repositories: [gadgets] } : {};
  return { id: token, name: token, scopes: new Set(scopes), ...repositories };
};

/** A server with two logs of each of two repositories. */
const serving = (now?: () => number) => {
  const data = folder();
  const root = join(data, 'repos');
  for (const { owner, name } of [widgets, gadgets]) {
    const logs = join(root, owner, `${name}.git`, 'mq', 'logs');
    mkdirSync(logs, { recursive: true });
    for (const id of ['one', 'two']) writeFileSync(join(logs, `${id}.log`), `${name} ${id}`);
  }
  const app = fastify();
  onTestFinished(() => app.close());
  const links = logLinks(data, now);
  addCheckLogs(app, {
    folders: { root, named: {} },
    links,
    authenticate: async (token) => principalOf(token),
    mq: { canonicalRepo: (repo) => repo },
  });
  const asked = async (path: string, token?: string) => {
    const answer = await app.inject({
      url: path,
      headers: token === undefined ? {} : { 'x-api-token': token },
    });
    return [answer.statusCode, answer.body];
  };
  const isRefused = async (path: string, token?: string) => (await asked(path, token))[0] === 401;
  return { asked, isRefused, links };
};

describe('the link to a log', () => {
  test('the link to a log opens that log', async () => {
    const { asked, links } = serving();

    expect(await asked(links.signed(links.path(widgets, 'one')))).toEqual([200, 'widgets one']);
    expect(await asked(links.signed(links.path(gadgets, 'two')))).toEqual([200, 'gadgets two']);
  });

  test('the link to a log opens no other log, of the same repository or of another', async () => {
    const { isRefused, links } = serving();
    const [path = '', query = ''] = links.signed(links.path(widgets, 'one')).split('?');

    expect(await isRefused(`${path.replace('one', 'two')}?${query}`)).toBe(true);
    expect(await isRefused(`${path.replace('widgets', 'gadgets')}?${query}`)).toBe(true);
    expect(await isRefused(`${path.replace('acme/tools', 'acme')}?${query}`)).toBe(true);
  });

  test.each([
    ['without its key', () => ''],
    ['with a key that was cut off', (query: string) => `?${query.slice(0, -4)}`],
    ['with a key that is too long', (query: string) => `?${query}AAAA`],
    ['with two keys', (query: string) => `?${query}&${query}`],
    [
      'with another key',
      (query: string) => query.replace(/key=.*/, (key) => `?key=${'A'.repeat(key.length - 4)}`),
    ],
    ['with a later end', (query: string) => `?${query.replace(/until=\d/, 'until=9')}`],
  ])('the link to a log opens nothing %s', async (_, otherwise) => {
    const { isRefused, links } = serving();
    const [path, query = ''] = links.signed(links.path(widgets, 'one')).split('?');

    expect(await isRefused(`${path}${otherwise(query)}`)).toBe(true);
  });

  test('the link to a log opens nothing once its five minutes are over', async () => {
    let nowMs = 1_000;
    const { asked, isRefused, links } = serving(() => nowMs);
    const link = links.signed(links.path(widgets, 'one'));
    nowMs += LOG_LINK_MS;
    expect((await asked(link))[0]).toBe(200);
    nowMs += 1;
    expect(await isRefused(link)).toBe(true);
  });

  test('the link to a log is signed only if it leads to a log of this server', () => {
    const { links } = serving();
    for (const url of ['https://ci.example.org/builds/7', '/logs/acme/widgets/one?x=1'])
      expect(links.signed(url)).toBe(url);
  });

  test('the link to a log tells that a log is gone', async () => {
    const { asked, links } = serving();

    expect(await asked(links.signed(links.path(widgets, 'three')))).toEqual([
      404,
      expect.stringContaining('no longer kept'),
    ]);
  });
});

test('a token that may read opens every log, and no other caller without a link', async () => {
  const { asked, isRefused } = serving();
  const path = '/logs/acme/tools/widgets/one';

  expect(await asked(path, 'reader')).toEqual([200, 'widgets one']);
  expect((await asked('/logs/acme/tools/widgets/three', 'reader'))[0]).toBe(404);
  expect((await asked('/logs/widgets', 'reader'))[0]).toBe(404);
  for (const token of ['submitter', 'stranger', '', undefined])
    expect(await isRefused(path, token)).toBe(true);
});

describe('the key of the links', () => {
  test('no address of another host is signed, whatever its path', () => {
    const own = logLinks(
      folder(),
      () => 1_000,
      () => 'https://mq.test',
    );

    expect(own.signed('https://mq.test/logs/acme/widgets/one')).toContain('&key=');
    for (const url of [
      'https://evil.test/logs/acme/widgets/one',
      'https://mq.test.evil.test/logs/acme/widgets/one',
    ])
      expect(own.signed(url)).toBe(url);
  });

  test('the key of the links is kept, so that a link is known after a restart, and by others that share the folder', () => {
    const data = folder();
    const at = () => 1_000;
    const path = logLinks(data, at).signed('/logs/acme/tools/widgets/one');

    expect(logLinks(data, at).signed('/logs/acme/tools/widgets/one')).toBe(path);
    expect(readdirSync(data)).toEqual(['log-key']);
    expect(logLinks(folder(), at).signed('/logs/acme/tools/widgets/one')).not.toBe(path);
  });

  test.each(['', 'c2hvcnQ'])('the key of the links is generated again if a crash left "%s" of it', (left) => {
    const data = folder();
    writeFileSync(join(data, 'log-key'), left);

    const signed = () => logLinks(data, () => 1_000).signed('/logs/acme/tools/widgets/one');
    expect(signed()).toBe(signed());
    expect(readdirSync(data)).toEqual(['log-key']);
  });
});

test('T-P02 a token of one repository reads the logs of that repository only', async () => {
  const { asked, isRefused, links } = serving();

  expect(await isRefused(links.path(widgets, 'one'), 'reader of gadgets')).toBe(true);
  expect(await isRefused('/logs/none', 'reader of gadgets')).toBe(true);
  expect(await asked(links.path(gadgets, 'one'), 'reader of gadgets')).toEqual([200, 'gadgets one']);
});
