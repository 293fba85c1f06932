import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { GiteaApi } from './api.js';
import { examine } from './examine.js';

const MINUTE_MS = 60_000;
const wantedHook = { path: '/hooks/forge', url: null, secret: () => 'secret' };

const apiOf = async (date: Date | null) => {
  const server = createServer((_request, response) => {
    if (date !== null) response.setHeader('date', date.toUTCString());
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new GiteaApi({ url, token: () => 'token', stop: new AbortController().signal });
};

const codesAt = async (differenceMs: number) => {
  const now = Date.now();
  const api = await apiOf(new Date(now + differenceMs));
  const found = await examine({ api, now: () => now, wantedHook }, []);
  return found.map(({ sentence }) => sentence);
};

test('a clock of the host that is off by more than seconds is reported, with its direction', async () => {
  expect(await codesAt(0)).toEqual([]);
  expect(await codesAt(-3_000)).toEqual([]);
  expect(await codesAt(-MINUTE_MS)).toEqual([expect.stringMatching(/(59|60) s behind/)]);
  expect(await codesAt(MINUTE_MS)).toEqual([expect.stringMatching(/(59|60) s ahead of/)]);
});

test('a host that does not answer is one finding, and its repositories are not examined', async () => {
  const stop = AbortSignal.abort();
  const api = new GiteaApi({ url: 'http://127.0.0.1:1', token: () => 'token', stop });
  const repo = { host: 'forge', owner: 'team', name: 'app' };
  const examined = [{ repo, branches: ['main'], hookedAt: null }];
  const found = await examine({ api, now: Date.now, wantedHook }, examined);
  expect(found.map(({ code }) => code)).toEqual(['HOST_UNREACHABLE']);
});
