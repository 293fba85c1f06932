import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS_LIMIT } from '@mq/host-git';
import { expect, onTestFinished, test } from 'vitest';
import { checkSourcesOf, commandsOf } from './check-sources.js';
import { readConfig } from './config.js';
import { StartProblem } from './problem.js';
import { readWebhookKey } from './webhooks.js';

const folderWith = (config?: unknown): string => {
  const folder = mkdtempSync(join(tmpdir(), 'mq-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (config !== undefined)
    writeFileSync(
      join(folder, 'mq.config.json'),
      typeof config === 'string' ? config : JSON.stringify(config),
    );
  return folder;
};

const remedyOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig({ MQ_DATA: folderWith(), ...env });
  } catch (error) {
    if (error instanceof StartProblem) return `${error.message}\n${error.remedy}`;
    throw error;
  }
  throw new Error('it was accepted');
};

/** As a user for which file modes count; they do not for root. */
const asStranger = <T>(act: () => T): T => {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
};

/** While the folder allows no access. */
const withoutEntry = <T>(folder: string, act: () => T): T => {
  chmodSync(folder, 0);
  try {
    return asStranger(act);
  } finally {
    chmodSync(folder, 0o700);
  }
};

test('nothing needs to be configured', () => {
  const config = readConfig({ PORT: '', MQ_TOKEN: '' });
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8787, isTokenGenerated: true, logLevel: 'info' });
  expect(config.dataFolder).toBe(join(process.cwd(), '.mq'));
  expect(readConfig({}).token).not.toBe(config.token);
});

test.each(['eighty', '-1', '1e3', '65536', ' 80', '8787x'])('a PORT of "%s" is a fault', (PORT) => {
  expect(remedyOf({ PORT })).toContain('PORT: must be a whole number from 0 to 65535');
});

test('an empty DATABASE_URL is a fault: queues do not end up in a folder because a secret is missing', () => {
  expect(remedyOf({ DATABASE_URL: '' })).toContain('leave it out, and not empty, for a database in MQ_DATA');
});

test('every fault of the environment is listed, and no token', () => {
  const said = remedyOf({ PORT: 'x', MQ_LOG_LEVEL: 'loud', MQ_TOKEN: 'two words' });
  for (const name of ['PORT', 'MQ_LOG_LEVEL', 'MQ_TOKEN']) expect(said).toContain(`${name}: `);
  expect(said).not.toContain('two words');
});

test('every fault of the configuration file is listed', () => {
  const checks = [
    { name: 'unit', command: 'true' },
    { name: 'unit', command: 'false', timeoutSeconds: 0 },
  ];
  const MQ_DATA = folderWith({
    colour: 'red',
    ci: { concurrency: 0 },
    repositories: { widgets: {}, 'acme/a': { checks }, 'acme/b': { path: 'relative' } },
    publicUrl: 'ftp://example.org',
  });
  const said = remedyOf({ MQ_DATA });
  for (const word of [
    'colour',
    'ci → concurrency',
    'widgets',
    'timeoutSeconds',
    'absolute path',
    'publicUrl',
  ])
    expect(said).toContain(word);
});

test('two checks with the same name are a fault', () => {
  const checks = ['unit', 'lint', 'unit'].map((name, count) => ({ name, command: `exit ${count}` }));
  expect(remedyOf({ MQ_DATA: folderWith({ repositories: { 'acme/a': { checks } } }) })).toContain(
    'two checks with the same name',
  );
});

test('a file that begins with a mark of its order of bytes is read like any other', () => {
  const marked = readConfig({ MQ_DATA: folderWith('\uFEFF{"pace":{"retryLimit":7}}') });

  expect(marked.pace).toMatchObject({ retryLimit: 7 });
});

test('a file that is not JSON, or that was named and is not there, is a fault', () => {
  expect(remedyOf({ MQ_DATA: folderWith('{ // }') })).toContain('mq.config.json is not JSON');
  expect(remedyOf({ MQ_CONFIG: '/nowhere/mq.json' })).toContain('/nowhere/mq.json cannot be read (ENOENT)');
});

test('a key that the file gives twice is a fault', () => {
  const text = '{"pace": {"retryLimit": 7, "pollChecksMs": 500, "retryLimit": 8}}';
  expect(() => readConfig({ MQ_DATA: folderWith(text) })).toThrow('has the key pace → retryLimit twice');
});

test('a pace that is set stays beside the one that suits a local host', () => {
  const { pace } = readConfig({ MQ_DATA: folderWith({ pace: { pollChecksMs: 500 } }) });
  expect(pace).toMatchObject({ pollChecksMs: 500, pollBranchMs: 2_000 });
});

test('a PORT may be the highest there is', () => {
  expect(readConfig({ PORT: '65535' }).port).toBe(65_535);
});

test('a token is as long as the HTTP interface takes it, and no longer', () => {
  expect(readConfig({ MQ_TOKEN: 'x'.repeat(512) })).toMatchObject({
    token: 'x'.repeat(512),
    isTokenGenerated: false,
  });
  expect(remedyOf({ MQ_TOKEN: 'x'.repeat(513) })).toContain('MQ_TOKEN: must be 1 to 512');
});

const fileWith = (text: string): string => {
  const path = join(folderWith(), 'secret');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
};

test('secrets are read from the files that name them, without the line feed at their end', () => {
  const url = 'postgres://me:secret@db/mq';
  const [MQ_TOKEN_FILE, DATABASE_URL_FILE] = [fileWith('a-token-of-a-file\n'), fileWith(url)];
  expect(readConfig({ MQ_TOKEN_FILE, DATABASE_URL_FILE })).toMatchObject({
    token: 'a-token-of-a-file',
    isTokenGenerated: false,
    store: { kind: 'postgresql', url },
    secretFiles: [MQ_TOKEN_FILE, DATABASE_URL_FILE],
  });
});

test('a secret that is given twice, empty or not there is a fault that names the variable', () => {
  expect(remedyOf({ MQ_TOKEN: 'one', MQ_TOKEN_FILE: fileWith('two') })).toContain(
    'Both MQ_TOKEN and MQ_TOKEN_FILE are set.',
  );
  expect(remedyOf({ MQ_TOKEN_FILE: fileWith(' \n') })).toContain('that MQ_TOKEN_FILE names is empty');
  expect(remedyOf({ DATABASE_URL_FILE: '/nowhere/url' })).toContain(
    'The file /nowhere/url that DATABASE_URL_FILE names cannot be read (ENOENT).',
  );
});

test.each([
  ['no token', {}],
  ['a short token', { MQ_TOKEN: 'change-me' }],
  ['a token of few different characters', { MQ_TOKEN: 'abcabcabcabcabcabcabcabc' }],
])('an address that other machines reach is refused with %s', (_, env) => {
  expect(remedyOf({ HOST: '0.0.0.0', ...env })).toMatch(
    /HOST=0\.0\.0\.0 is reached from other machines.*openssl/s,
  );
});

test('an address that other machines reach is taken with a strong token, and loopback with any', () => {
  const MQ_TOKEN = 'mqt_0123456789abcdefghij';
  expect(readConfig({ HOST: '0.0.0.0', MQ_TOKEN }).host).toBe('0.0.0.0');
  for (const HOST of ['127.0.0.1', '::1', 'localhost'])
    expect(readConfig({ HOST, MQ_TOKEN: 'short' }).host).toBe(HOST);
});

test('the level of the log may be written in capitals', () => {
  expect(readConfig({ MQ_LOG_LEVEL: 'WARN' }).logLevel).toBe('warn');
});

test('queues are kept in a folder of their own in the data folder, or in the database that is named', () => {
  const MQ_DATA = folderWith();
  expect(readConfig({ MQ_DATA }).store).toEqual({ kind: 'pglite', folder: join(MQ_DATA, 'store') });
  for (const url of ['postgres://me:a%2Fb@db/mq', 'postgresql://db:5433/mq', 'postgres:///mq?host=/run/pg'])
    expect(readConfig({ MQ_DATA, DATABASE_URL: url }).store).toEqual({ kind: 'postgresql', url });
});

test.each(['mysql://db/mq', 'postgres:///mq', 'postgres://me:a%zz@db/mq', 'postgres://db/m%zz', 'db'])(
  'a DATABASE_URL of "%s" is a fault, and is not shown',
  (DATABASE_URL) => {
    const said = remedyOf({ DATABASE_URL });
    expect(said).toContain('DATABASE_URL: must be postgres://');
    expect(said).not.toContain(DATABASE_URL);
  },
);

test('a file in the place of the data folder is not reported as a fault of the configuration', () => {
  const file = join(folderWith({}), 'mq.config.json');
  expect(readConfig({ MQ_DATA: file }).dataFolder).toBe(file);
});

test('a configuration file that exists and cannot be read is a fault, also under its default name', () => {
  const MQ_DATA = folderWith();
  mkdirSync(join(MQ_DATA, 'mq.config.json'));
  expect(remedyOf({ MQ_DATA })).toContain('mq.config.json cannot be read (EISDIR)');
});

test('a data folder without access is not reported as a fault of the configuration', () => {
  const MQ_DATA = folderWith({});
  const config = withoutEntry(MQ_DATA, () => readConfig({ MQ_DATA }));
  expect(config.dataFolder).toBe(MQ_DATA);
});

test('a configuration file behind a folder without access is a fault, and is not ignored', () => {
  const [MQ_DATA, shut] = [folderWith(), folderWith({})];
  chmodSync(MQ_DATA, 0o755);
  symlinkSync(join(shut, 'mq.config.json'), join(MQ_DATA, 'mq.config.json'));
  const said = withoutEntry(shut, () => remedyOf({ MQ_DATA }));
  expect(said).toContain('mq.config.json cannot be read (EACCES)');
  expect(said).toContain('or name another one in MQ_CONFIG');
});

test('the public address is kept without the slashes at its end', () => {
  for (const publicUrl of ['http://mq.example', 'http://mq.example/', 'http://mq.example//'])
    expect(readConfig({ MQ_DATA: folderWith({ publicUrl }) }).publicUrl).toBe('http://mq.example');
});

test('the owner of a repository may be several folders deep', () => {
  const repositories = { 'acme/tools/widgets': { checks: [{ name: ' unit ', command: 'true' }] } };
  expect(readConfig({ MQ_DATA: folderWith({ repositories }) }).repositories).toMatchObject({
    'acme/tools/widgets': { checks: [{ name: 'unit', source: 'command', command: 'true' }] },
  });
});

test('a check has exactly one source, and the settings of that one', () => {
  const checks = (...given: readonly object[]) => ({ 'acme/a': { checks: given } });
  const said = (given: object) => remedyOf({ MQ_DATA: folderWith({ repositories: checks(given) }) });

  expect(said({ name: 'unit' })).toContain('command: is required with the source "command"');
  expect(said({ name: 'unit', source: 'external' })).toContain(
    'reporters: is required with the source "external"',
  );
  expect(said({ name: 'unit', command: 'true', reporters: ['jenkins'] })).toContain(
    'reporters: must be left out',
  );
  expect(said({ name: 'unit', source: 'host', command: 'true' })).toContain('command: must be left out');
  const repositories = checks(
    { name: 'unit', source: 'external', reporters: ['jenkins'], startTimeoutSeconds: 60 },
    { name: 'lint', command: 'true' },
    { name: 'build', source: 'host' },
  );
  const config = readConfig({ MQ_DATA: folderWith({ repositories }) });
  expect(checkSourcesOf(config)({ host: 'local', owner: 'acme', name: 'a' })).toEqual([
    { name: 'unit', source: 'external', reporters: ['jenkins'], startTimeoutMs: 60_000 },
    { name: 'build', source: 'host' },
  ]);
  expect(commandsOf(config.repositories)).toEqual({ 'acme/a': [{ name: 'lint', command: 'true' }] });
});

test('what would wear out a host, or name no variable, is a fault', () => {
  const checks = Array.from({ length: CHECKS_LIMIT + 1 }, (_, index) => ({
    name: `check ${index}`,
    command: 'true',
  }));
  const said = remedyOf({
    MQ_DATA: folderWith({
      pace: { pollBranchMs: 99 },
      ci: { environment: { '2ND': 'x' } },
      repositories: { 'acme/a': { checks } },
    }),
  });
  for (const word of ['pace → pollBranchMs', 'ci → environment → 2ND', 'repositories → acme/a → checks'])
    expect(said).toContain(word);
});

test('aliases of a repository, of owners and of the host are read, and a name that is claimed twice is refused', () => {
  const aliases = { 'github.com/acme': 'local/platform', 'git.example': 'local' };
  const repositories = { 'acme/widgets': { aliases: ['github.com/acme/widgets'] } };
  const config = readConfig({ MQ_DATA: folderWith({ repositories, aliases }) });
  expect(config.repositories['acme/widgets']?.aliases).toEqual(['github.com/acme/widgets']);

  const twice = { 'acme/widgets': { aliases: ['local/acme/gadgets'] } };
  expect(remedyOf({ MQ_DATA: folderWith({ repositories: twice }) })).toMatch(/would hide a repository/);
  const other = { 'acme/a': { aliases: ['github.com/x/y'] }, 'acme/b': { aliases: ['GitHub.com/x/y'] } };
  expect(remedyOf({ MQ_DATA: folderWith({ repositories: other }) })).toMatch(/used twice/);
});

test.each(['acme/a%2Fb', 'a%2fb/widgets', '../widgets', 'acme/a\\b'])(
  'a repository %j that no request can name is refused, as is such an alias',
  (name) => {
    const said = /must have no escape such as %2F/;
    expect(remedyOf({ MQ_DATA: folderWith({ repositories: { [name]: {} } }) })).toMatch(said);
    const repositories = { 'acme/widgets': { aliases: [`github.com/${name}`] } };
    expect(remedyOf({ MQ_DATA: folderWith({ repositories }) })).toMatch(said);
  },
);

test('proxies are trusted by the file, and by the environment in its place', () => {
  const MQ_DATA = folderWith({ trustProxy: ['10.0.0.0/8'] });
  expect(readConfig({ MQ_DATA }).trustProxy).toEqual(['10.0.0.0/8']);
  expect(readConfig({ MQ_DATA, MQ_TRUST_PROXY: '192.0.2.1, 2001:db8::/32' }).trustProxy).toEqual([
    '192.0.2.1',
    '2001:db8::/32',
  ]);
  expect(remedyOf({ MQ_TRUST_PROXY: '192.0.2.1,proxy' })).toContain(
    'MQ_TRUST_PROXY → 1: must be an address such as 10.0.0.7',
  );
});

test('webhooks may call https on port 443 at public addresses unless the configuration allows more', () => {
  const read = (webhooks: object) => readConfig({ MQ_DATA: folderWith({ webhooks }) }).webhooks;
  expect(read({})).toEqual({ allowHttp: false, allowPorts: [], allowRanges: [] });
  const wider = { allowHttp: true, allowPorts: [9000], allowRanges: ['10.1.0.0/16', 'fd12::/16'] };
  expect(read(wider)).toEqual(wider);
  for (const [given, path] of [
    [{ allowRanges: ['10.1.0.0'] }, 'webhooks → allowRanges → 0'],
    [{ allowPorts: [0] }, 'webhooks → allowPorts → 0'],
    [{ keyFile: 'key' }, 'webhooks → keyFile'],
  ] as const)
    expect(remedyOf({ MQ_DATA: folderWith({ webhooks: given }) })).toContain(path);
});

test('the key of the webhooks is 32 bytes, and anything else ends the start with what to do', () => {
  const key = Buffer.alloc(32, 255);
  const file = (text: string) => {
    const path = join(folderWith(), 'key');
    writeFileSync(path, text);
    return path;
  };
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(readWebhookKey(file(`${key.toString(encoding)}\n`))).toEqual(key);
  for (const path of [
    file(''),
    file('short'),
    file(Buffer.alloc(33).toString('hex')),
    join(folderWith(), 'none'),
  ])
    expect(() => readWebhookKey(path)).toThrow(StartProblem);
});
