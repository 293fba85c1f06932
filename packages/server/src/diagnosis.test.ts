import { expect, test } from 'vitest';
import { type DiagnosisParts, serverDiagnosis } from './diagnosis.js';

const GIGABYTE = 1024 ** 3;
const sound = {
  config: { host: '127.0.0.1', ci: { environment: {}, user: 'checks' }, repositories: {} },
  version: '0.1.0',
  storeNow: async () => 1_000,
  freeBytes: async () => 5 * GIGABYTE,
  silentForMs: () => 0,
  failingForMs: () => 0,
  now: () => 1_000,
  git: async () => '2.47.0',
} as const satisfies DiagnosisParts;

const codesOf = async (parts: Partial<DiagnosisParts>) =>
  (await serverDiagnosis({ ...sound, ...parts }).findings({ repair: false })).map(({ code }) => code);

test('a sound server has no finding', async () => {
  expect(await codesOf({})).toEqual([]);
});

test.each<[string, Partial<DiagnosisParts>]>([
  ['DISK_LOW', { freeBytes: async () => GIGABYTE - 1 }],
  ['DISK_FULL', { freeBytes: async () => 1 }],
  ['STORE_UNREACHABLE', { storeNow: () => Promise.reject(new Error('connection refused')) }],
  ['CLOCK_DIFFERS', { storeNow: async () => 60_000 }],
  ['ENGINE_STUCK', { silentForMs: () => 60_000 }],
  ['ENGINE_STUCK', { failingForMs: () => 60_000 }],
  ['GIT_UNUSABLE', { git: () => Promise.reject(new Error('git was not found')) }],
  ['CHECKS_NOT_SEPARATED', { config: { ...sound.config, ci: { environment: {} } } }],
])('%s is found', async (code, parts) => {
  expect(await codesOf(parts)).toEqual([code]);
});

test('a server that other machines reach needs an address for links, and encryption in front of it', async () => {
  const config = { ...sound.config, host: '0.0.0.0' };
  expect(await codesOf({ config })).toEqual(['PUBLIC_URL_MISSING', 'CONNECTION_NOT_ENCRYPTED']);
  expect(await codesOf({ config: { ...config, publicUrl: 'https://mq.example' } })).toEqual([]);
});

test('a slow store is found by the time that its smallest answer takes', async () => {
  const times = [1_000, 1_900];
  const parts = { now: () => times.shift() ?? 1_900, storeNow: async () => 1_500 };
  expect(await codesOf(parts)).toEqual(['STORE_SLOW']);
});
