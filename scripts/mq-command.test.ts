import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { commands } from '@mq/cli';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { git, mqWorld, TOKEN, type World } from './mq-world.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

let world: World;
beforeAll(async () => {
  world = await mqWorld();
});
afterAll(() => world?.close());

const schemas = new Ajv2020({ strict: false, validateFormats: false });
schemas.addSchema(readJson('docs/reference/openapi.json'), 'openapi.json');
schemas.addSchema(readJson('docs/reference/cli.schema.json'));

/** What of the output of a command is not as the documented schema says. */
const faultsOf = (words: string, json: unknown): unknown => {
  const name = words.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(' ', '%20');
  const validate = schemas.getSchema(`cli.schema.json#/$defs/${name}`);
  if (validate === undefined) throw new Error(`no schema for ${words}`);
  return validate(json) === true ? [] : validate.errors;
};

/** A folder with an open pull request for each branch, and a queue. */
const withQueue = async (name: string, branches: Readonly<Record<string, string>>) => {
  const made = world.repository(name, branches);
  for (const branch of Object.keys(branches)) {
    git(made.clone, 'checkout', '--quiet', branch);
    expect(await world.run(made.clone, ['pr', 'open'])).toMatchObject({ exitCode: 0 });
  }
  expect(await world.run(made.clone, ['queue', 'create', 'concurrency=2'])).toMatchObject({ exitCode: 0 });
  return made;
};

test('a pull request goes from its branch to main, and every step shows what it is about', async () => {
  const { clone } = world.repository('first', { louder: 'true', wrong: 'echo bye; exit 1' });
  const mq = (...args: readonly string[]) => world.run(clone, args);

  git(clone, 'checkout', '--quiet', 'wrong');
  expect((await mq('pr', 'open')).stdout).toContain('#1 Write wrong (wrong → main, open');
  git(clone, 'checkout', '--quiet', 'louder');
  expect((await mq('pr', 'open')).stdout).toContain('#2 Write louder');
  expect((await mq('queue', 'create')).stdout).toContain('Created the queue of main.');
  const submitted = await mq('submit');
  expect(submitted.stdout).toContain(`acme/first · main · #2  on ${world.url()}`);

  expect(await mq('wait')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^merged at/m) });
  git(clone, 'fetch', '--quiet');
  expect(await mq('receipts', 'verify')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('all is well'),
  });

  await mq('submit', '1');
  expect(await mq('wait', '1')).toMatchObject({ exitCode: 10 });
  expect((await mq('why', '1')).stdout).toMatch(/✖ unit: failure/);
  expect((await mq('log', '1')).stdout).toContain('bye');
  expect((await mq('history', '1')).stdout).toMatch(/was submitted by/);
  expect((await mq('history', '--since', '1h')).stdout).toMatch(/#2 merged/);
});

test('every command answers --json as its documented schema says', async () => {
  const { clone } = await withQueue('schemas', { one: 'sleep 600', two: 'true', three: 'true' });
  git(clone, 'checkout', '--quiet', 'three');
  const called = new Set<string>();
  const asked = async (line: string, input = '', exitCode = 0) => {
    const args = line.split(' ');
    const ended = await world.run(clone, [...args, '--json'], {}, input);
    const words =
      commands.map((one) => one.words).find((one) => line === one || line.startsWith(`${one} `)) ?? '';
    called.add(words);
    const json = ended.json();
    expect({ line, faults: faultsOf(words, json), exitCode: ended.exitCode }).toEqual({
      line,
      faults: [],
      exitCode,
    });
    return json.result;
  };

  for (const line of [
    'submit 1',
    'submit 2 --priority high',
    'status',
    'status 2',
    'why 2',
    'history 2',
    'history',
  ])
    await asked(line);
  for (const line of [
    'submit 3 --preview',
    'restart 2',
    'priority 2 urgent',
    'cancel 2',
    'wait 2 --until cancelled',
  ])
    await asked(line);
  for (const line of [
    'queue list',
    'queue get',
    'queue pause --reason release',
    'queue resume',
    'queue drain',
  ])
    await asked(line);
  for (const line of ['queue freeze 2h', 'queue resume --preview', 'queue resume', 'queue set concurrency=3'])
    await asked(line);
  for (const line of [
    'pr list',
    'pr show 3',
    'pr edit 3 --title Better --label urgent',
    'pr draft 3',
    'pr ready 3',
    'pr close 3',
    'pr reopen 3',
  ])
    await asked(line);
  await asked('targets set 1 --stdin', '//api\n//web\n');
  const exported = await asked('queue export');
  await asked('queue apply - --dry-run', JSON.stringify(exported));
  exported.queues[0].concurrency = 4;
  await asked('queue apply - --dry-run', JSON.stringify(exported), 13);
  await asked('queue apply - --yes', JSON.stringify(exported));
  await asked('receipts verify --chain-only');
  const { tokenId } = await asked('token create ci --scope read');
  const rotated = await asked(`token rotate ${tokenId} --overlap 1h`);
  await asked('token list');
  await asked(`token revoke ${rotated.tokenId}`);
  await asked('whoami');
  const doctor = await world.run(clone, ['doctor', '--json']);
  called.add('doctor');
  expect(faultsOf('doctor', doctor.json())).toEqual([]);
  expect([0, 14, 15]).toContain(doctor.exitCode);
  await asked('completion bash');
  await asked(`login ${world.url()}`, TOKEN);
  await asked('server list');
  await asked(`server use ${world.url()}`);
  await asked('logout');
  await asked('log 1');
  await asked('cancel 1');
  const watched = await world.run(clone, ['watch', '1', '--json']);
  const lines = watched.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(faultsOf('watch', lines.at(-1))).toEqual([]);
  expect(faultsOf('watch, each line before the last', lines[0])).toEqual([]);
  const { webhookId } = await asked('webhook create https://example.com/hook');
  for (const line of ['webhook list', `webhook set ${webhookId} --disable`, `webhook delete ${webhookId}`])
    await asked(line);
  await asked('queue drain --cancel-pending');
  await asked('queue delete --yes');
  await asked('queue create --branch main');
  await asked('pr close 2');
  await asked('pr open --head two');

  const left = commands.map(({ words }) => words).filter((words) => !called.has(words));
  expect(left).toEqual(['watch', 'webhook test']);
});

describe('a wrong use', () => {
  test('says what is wrong and names the command that helps, with an exit code of its own', async () => {
    const { clone } = world.repository('wrong', { one: 'true' });
    const reader = await world.run(clone, ['token', 'create', 'reader', '--scope', 'read', '--json']);
    const { token } = reader.json().result;
    const none = { MQ_URL: '', MQ_TOKEN: '' };
    const cases: readonly [string, NodeJS.ProcessEnv, number, string, string][] = [
      ['status', {}, 3, 'NO_QUEUE_HERE', 'mq queue create'],
      ['status', none, 2, 'SERVER_UNKNOWN', 'mq login'],
      ['status --server work', none, 2, 'SERVER_UNKNOWN', 'mq login'],
      ['status --server https://mq.example', {}, 4, 'TOKEN_MISSING', 'mq login https://mq.example'],
      ['status', { MQ_URL: 'http://mq.example' }, 2, 'SERVER_NOT_ENCRYPTED', 'https'],
      ['status', { MQ_URL: 'http://127.0.0.1:1' }, 5, 'UNREACHABLE', 'mq server list'],
      ['status', { MQ_TOKEN: 'wrong' }, 4, 'UNAUTHORIZED', 'mq login'],
      ['queue create', { MQ_TOKEN: token }, 4, 'SCOPE_MISSING', 'mq whoami'],
      ['status --repo acme/none', {}, 3, 'NO_QUEUE_HERE', 'mq queue create'],
      ['status forty', {}, 2, 'NUMBER_WRONG', '41'],
      ['queue set speed=9', {}, 2, 'SETTING_WRONG', 'concurrency'],
      ['wait 1 --timeout soon', {}, 2, 'TIME_WRONG', '30m'],
      ['completion tcsh', {}, 2, 'SHELL_UNKNOWN', 'fish'],
    ];
    for (const [line, env, exitCode, code, remedy] of cases) {
      const ended = await world.run(clone, [...line.split(' '), '--json'], env);
      expect({ line, exitCode: ended.exitCode, code: ended.json().error.code }).toEqual({
        line,
        exitCode,
        code,
      });
      expect(faultsOf('error', ended.json())).toEqual([]);
      expect(`${ended.stderr}`).toContain(remedy);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
    }
    expect(await world.run(clone, ['sumbit'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean submit?'),
    });
  });

  test('outside of a checkout asks for the repository', async () => {
    expect(await world.run(world.home, ['status'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--repo <host>/<owner>/<name>'),
    });
  });
});

describe('Ctrl-C', () => {
  test('ends wait and watch with 130, restores the screen, and leaves the pull request in the queue', async () => {
    const { clone } = await withQueue('interrupted', { slow: 'sleep 600' });
    await world.run(clone, ['submit', '1']);
    for (const words of ['wait', 'watch']) {
      const running = world.start(clone, [words, '1']);
      await running.prints('#1 testing');
      running.child.kill('SIGINT');
      expect(await running.ended).toMatchObject({ exitCode: 130 });
    }
    const { result } = (await world.run(clone, ['cancel', '1', '--json'])).json();
    expect(result.state).toBe('cancelled');
  });
});

test('watch goes on where the server goes away and comes back', async () => {
  const { clone } = await withQueue('away', { slow: 'sleep 600' });
  await world.run(clone, ['submit', '1']);
  const watching = world.start(clone, ['watch', '1']);
  const waiting = world.start(clone, ['wait', '1']);
  await Promise.all([watching.prints('#1 testing'), waiting.prints('#1 testing')]);

  await world.stopServer();
  await Promise.all([watching.prints('does not answer'), waiting.prints('does not answer')]);
  await world.startServer();
  await world.run(clone, ['cancel', '1']);

  expect(await watching.ended).toMatchObject({ exitCode: 11 });
  expect(await waiting.ended).toMatchObject({ exitCode: 11 });
});

test('a hostile checkout gets no token, and none of its programs is run', async () => {
  const { clone, bare } = await withQueue('hostile', { one: 'true' });
  const asked: string[] = [];
  const thief = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers['x-api-token'] ?? ''}`);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void thief.close());
  await new Promise((done) => thief.once('listening', done));
  const evil = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
  const marker = join(world.home, 'was-run');
  const script = `#!/bin/sh\necho "$0" >> ${marker}\nexec /usr/bin/git "$@"\n`;
  for (const name of ['git', 'secret-tool', 'security', 'hook']) {
    writeFileSync(join(clone, name), script);
    chmodSync(join(clone, name), 0o755);
  }
  mkdirSync(join(clone, 'mq'));
  const configuration = { current: evil, servers: { [evil]: { name: 'evil', token: 'x' } } };
  for (const file of ['mq.config.json', '.mq.json', 'mq/config.json', '.mqrc'])
    writeFileSync(join(clone, file), JSON.stringify(configuration), { mode: 0o600 });
  writeFileSync(join(clone, '.env'), `MQ_URL=${evil}\n`);
  for (const key of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'credential.helper', 'diff.external'])
    git(clone, 'config', key, join(clone, 'hook'));
  git(clone, 'config', 'core.hooksPath', clone);
  git(clone, 'config', 'alias.config', `!${join(clone, 'hook')}`);
  git(clone, 'remote', 'add', 'evil', `${evil}/acme/hostile.git`);
  git(clone, 'config', 'branch.one.remote', 'evil');
  const path = `.:${clone}/bin::${process.env.PATH}`;
  const env = { PATH: path, XDG_CONFIG_HOME: '.' };

  for (const line of [
    'status',
    'why',
    'status --repo local/acme/hostile',
    'submit 1 --repo local/acme/hostile',
    'log 1',
  ])
    await world.run(clone, line.split(' '), env);
  writeFileSync(join(clone, 'targets.txt'), '** //all\n');
  await world.run(
    clone,
    ['targets', 'set', '1', '--paths', 'targets.txt', '--repo', 'local/acme/hostile'],
    env,
  );
  const ended = await world.run(clone, ['status', '--server', evil], env);

  expect(ended).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('TOKEN_MISSING') });
  expect(asked).toEqual([]);
  expect(existsSync(marker)).toBe(false);
  expect(existsSync(bare)).toBe(true);
});

test('text of others steers no terminal', async () => {
  const { clone } = world.repository('controls', { one: 'true' });
  git(clone, 'checkout', '--quiet', 'one');
  await world.run(clone, ['pr', 'open', '--title', 'red \u001b[31m title \u009b2J \u202e']);
  await world.run(clone, ['queue', 'create']);
  const texts = [
    await world.run(clone, ['submit', '1']),
    await world.run(clone, ['status', '1']),
    await world.run(clone, ['status']),
  ];

  for (const { stdout } of texts) expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

test('a saved token is for its user alone, and is used without MQ_URL', async () => {
  const { clone } = await withQueue('saved', { one: 'true' });
  const env = { MQ_URL: '', MQ_TOKEN: '', XDG_CONFIG_HOME: join(world.home, 'saved') };

  const ended = await world.run(clone, ['login', world.url(), '--name', 'here'], env, `${TOKEN}\n`);

  expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Logged in to') });
  expect(ended.stdout).not.toContain(TOKEN);
  expect(statSync(join(world.home, 'saved/mq/config.json')).mode & 0o777).toBe(0o600);
  expect(await world.run(clone, ['status', '--server', 'here'], env)).toMatchObject({ exitCode: 0 });
  expect(await world.run(clone, ['status'], { ...env, NO_COLOR: '1' })).toMatchObject({ exitCode: 0 });
});

/** `script` of util-linux makes a pseudo-terminal; that of BSD takes other options. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

describe.skipIf(!hasScript).each([80, 200])('in a terminal of %d columns', (columns) => {
  /** What a terminal shows of a command. */
  const seen = (
    clone: string,
    line: string,
    env: NodeJS.ProcessEnv = {},
    onText: (text: string) => void = () => {},
  ): Promise<string> => {
    const command = `stty cols ${columns} rows 24; ${world.command} ${line}`;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: clone,
      env: {
        PATH: process.env.PATH,
        HOME: world.home,
        TERM: 'xterm',
        LC_ALL: 'C.UTF-8',
        MQ_URL: world.url(),
        MQ_TOKEN: TOKEN,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      onText(text);
    });
    return new Promise((resolve) => child.on('close', () => resolve(text)));
  };

  test('answers fit, are coloured, and are not with NO_COLOR', async () => {
    const { clone } = await withQueue(`terminal-${columns}`, { one: 'sleep 600', two: 'true' });
    for (const pr of ['1', '2']) await world.run(clone, ['submit', pr]);

    for (const line of ['status', 'why 2']) {
      const shown = stripVTControlCharacters(await seen(clone, line)).split(/\r?\n/);
      // An address is one word: it is not broken, so that it can be opened.
      const lines = shown.filter((one) => !one.includes('://'));
      expect({ line, widest: Math.max(...lines.map((one) => [...one].length)) <= columns }).toEqual({
        line,
        widest: true,
      });
    }
    expect(await seen(clone, 'status')).toContain('\u001b[2m');
    expect(await seen(clone, 'status', { NO_COLOR: '1' })).not.toContain('\u001b[');
    let cancelled: Promise<unknown> | null = null;
    const watched = await seen(clone, 'watch 1', {}, (text) => {
      if (text.includes('#1 Write one')) cancelled ??= world.run(clone, ['cancel', '1']);
    });
    await cancelled;
    expect(watched.startsWith('\u001b[?1049h')).toBe(true);
    expect(stripVTControlCharacters(watched.split('\u001b[?1049l')[1] ?? '')).toMatch(
      /cancelled at .*\n.*token/s,
    );
  });
});
