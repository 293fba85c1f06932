import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from './config.js';
import { openForges } from './forges.js';
import { StartProblem } from './problem.js';

const entry = { name: 'forge', type: 'gitea', url: 'https://git.example.com/', tokenVariable: 'FORGE_TOKEN' };

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'mq-forges-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

const configuredBy = (file: object) => {
  const at = folder();
  writeFileSync(join(at, 'mq.config.json'), JSON.stringify(file));
  return readConfig({ MQ_DATA: at });
};
const configured = (...hosts: readonly object[]) => configuredBy({ hosts });

const faultOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof StartProblem) return `${error.message}\n${error.remedy}`;
    throw error;
  }
  throw new Error('it was accepted');
};

const opened = (host: object, env: Readonly<Record<string, string>> = {}) =>
  openForges(configured(host), env, pino({ level: 'silent' }));

test('a host is configured by its name, its address and where its token is', () => {
  expect(configured(entry).hosts).toEqual([
    { ...entry, url: 'https://git.example.com', allowHttp: false, aliases: {}, drafts: false },
  ]);
  expect(Object.keys(opened(entry, { FORGE_TOKEN: 'secret' }).hosts)).toEqual(['forge']);
});

test.each<[string, object, string]>([
  ['a name that the server has', { name: 'local' }, 'hosts → 0 → name: must not be "local"'],
  ['a type that is not known', { type: 'svn' }, 'hosts → 0 → type'],
  ['an address that is none', { url: 'git.example.com' }, 'hosts → 0 → url: must be an http or https'],
  [
    'a password in the address',
    { url: 'https://a:b@git.example.com' },
    'hosts → 0 → url: must be an http or',
  ],
  ['http on another machine', { url: 'http://git.example.com' }, 'hosts → 0 → url: must be https'],
  ['no token', { tokenVariable: undefined }, 'hosts → 0 → tokenVariable: is required, or "tokenFile"'],
  ['a token twice', { tokenFile: '/run/token' }, 'hosts → 0 → tokenFile: must be left out'],
  ['a token itself', { token: 'abc' }, 'hosts → 0'],
  ['an alias without an owner', { aliases: { 'github.com': 'x' } }, 'hosts → 0 → aliases → github.com'],
  ['an alias of the server’s host', { aliases: { 'local/acme': 'team' } }, 'would hide a repository'],
])('%s is a named fault', (_what, change, fault) => {
  expect(faultOf(() => configured({ ...entry, ...change }))).toContain(fault);
});

test('two hosts with the same name are a named fault', () => {
  expect(faultOf(() => configured(entry, entry))).toContain('hosts: has two hosts with the same name');
});

test('the name of one alias for two hosts is a named fault', () => {
  const aliases = { 'github.com/acme': 'team' };
  const two = [
    { ...entry, aliases },
    { ...entry, name: 'other', aliases },
  ];
  expect(faultOf(() => configured(...two))).toContain('used twice');
});

test('the checks of one repository in two letter cases are a named fault if a host ignores letter case', () => {
  const repositories = { 'acme/widgets': {}, 'Acme/Widgets': {} };
  expect(faultOf(() => configuredBy({ repositories, hosts: [entry] }))).toContain(
    'acme/widgets and Acme/Widgets are one repository at the host forge',
  );
  expect(Object.keys(configuredBy({ repositories }).repositories)).toHaveLength(2);
});

test('a variable that is not set, and a file that is not there, are named without the secret', () => {
  expect(faultOf(() => opened(entry))).toContain(
    'The variable FORGE_TOKEN, the token of the host forge, is not set',
  );
  const said = faultOf(() => opened(entry, { FORGE_TOKEN: 'not one word' }));
  expect([said.includes('FORGE_TOKEN'), said.includes('not one word of'), said.includes('"not one')]).toEqual(
    [true, true, false],
  );
  const missing = { ...entry, tokenVariable: undefined, tokenFile: '/no/such/file' };
  expect(faultOf(() => opened(missing))).toContain(
    '/no/such/file, the token of the host forge, cannot be read',
  );
});

test('the files with secrets are among those that checks must not read', () => {
  const tokenFile = join(folder(), 'token');
  const config = configured({ ...entry, tokenVariable: undefined, tokenFile });
  expect(config.secretFiles).toEqual([tokenFile]);
});
