import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commands } from '@mq/cli';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { git, mqWorld, type Repository, TOKEN, type World } from './mq-world.js';

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

/** The parts of a command's output that violate the documented schema. */
const faultsOf = (words: string, json: unknown): unknown => {
  const name = words.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(' ', '%20');
  const validate = schemas.getSchema(`cli.schema.json#/$defs/${name}`);
  if (validate === undefined) throw new Error(`no schema for ${words}`);
  return validate(json) === true ? [] : validate.errors;
};

test.concurrent('a pull request goes from its branch to main, and every step shows what it is about', async () => {
  const { clone } = world.repository('first', { louder: 'true', wrong: 'echo bye; exit 1' });
  const mq = (...args: readonly string[]) => world.run(clone, args);

  git(clone, 'checkout', '--quiet', 'wrong');
  expect((await mq('pr', 'open')).stdout).toContain('#1 Write wrong (wrong → main, open');
  git(clone, 'checkout', '--quiet', 'louder');
  expect((await mq('pr', 'open')).stdout).toContain('#2 Write louder');
  expect((await mq('queue', 'create')).stdout).toContain(
    `acme/first · main  on ${world.url()}\nCreated the queue of main.\n`,
  );
  const again = await mq('queue', 'create');
  expect(again.stderr).toMatch(
    /\(QUEUE_EXISTS\)\n {4}`mq queue set` changes it, `mq queue get` shows it\.\n$/,
  );
  expect(again.stderr).not.toContain('updateQueue');
  const submitted = await mq('submit');
  expect(submitted.stdout).toContain(`acme/first · main · #2  on ${world.url()}`);

  expect(await mq('wait')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^merged at/m) });
  git(clone, 'fetch', '--quiet');
  expect(await mq('receipts', 'verify')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('all is well'),
  });

  expect((await mq('status')).stdout).toMatch(
    /\nTests: median \d+ s, P95 \d+ s \(last 1 that passed\)\. Time to merge: median \d+ s, P95 \d+ s \(1 merged in 7 days\)\.\n/,
  );

  await mq('submit', '1');
  expect(await mq('wait', '1')).toMatchObject({ exitCode: 10 });
  expect((await mq('why', '1')).stdout).toMatch(/✖ unit: failure/);
  expect((await mq('why', '2')).stdout).toContain('Tested on the target branch alone, in test run');
  expect((await mq('log', '1')).stdout).toContain('bye');
  expect((await mq('history', '1')).stdout).toMatch(/was submitted by/);
  expect((await mq('history', '--since', '1h')).stdout).toMatch(/#2 was merged/);
  expect((await mq('priority', '2', 'high')).stderr).toContain('it is already merged');
  await mq('queue', 'pause');
  expect((await mq('history', '--since', '1m')).stdout).toMatch(
    /The queue was paused by the bootstrap token/,
  );
  expect((await mq('history', '2', '--since', '1h')).stdout).toMatch(/#2 was merged/);
  expect((await mq('history', '2', '--until', '1h')).stdout).toContain('Nothing happened until ');
});

test.concurrent('every command answers --json as its documented schema says', async () => {
  const called = new Set<string>();
  const [busy, declared] = await Promise.all([
    world.queue('busy', { one: 'sleep 600', two: 'sleep 600', three: 'true' }),
    world.queue('declared', {}),
  ]);
  const askedIn =
    ({ clone }: Repository) =>
    async (line: string, input = '', exitCode = 0) => {
      const ended = await world.run(clone, [...line.split(' '), '--json'], {}, input);
      const words =
        commands.map((one) => one.words).find((one) => line === one || line.startsWith(`${one} `)) ?? '';
      called.add(words);
      const json = ended.json();
      expect({ line, faults: faultsOf(words, json), error: json.error, exitCode: ended.exitCode }).toEqual({
        line,
        faults: [],
        error: undefined,
        exitCode,
      });
      return json.result;
    };
  const asked = askedIn(busy);
  const inOrder = async (ask: ReturnType<typeof askedIn>, lines: readonly string[]) => {
    for (const line of lines) await ask(line);
  };
  const ofPullRequests = async () => {
    await inOrder(asked, ['submit 1', 'submit 2 --priority high', 'status', 'status 2', 'why 2']);
    await inOrder(asked, [
      'history 2',
      'history',
      'status --at 0',
      'history --at 1m',
      'submit 3 --preview',
      'restart 2',
      'priority 2 urgent',
    ]);
    await inOrder(asked, ['cancel 2', 'wait 2 --until cancelled', 'log 1']);
    await asked('targets set 1 --stdin', '//api\n//web\n');
    await asked('cancel 1');
    const watched = await world.run(busy.clone, ['watch', '1', '--json']);
    const lines = watched.stdout.trim().split('\n');
    expect(faultsOf('watch', JSON.parse(lines.at(-1) ?? ''))).toEqual([]);
    expect(faultsOf('watch, each line before the last', JSON.parse(lines[0] ?? ''))).toEqual([]);
    await inOrder(asked, [
      'queue drain --cancel-pending',
      'queue delete --yes',
      'queue create --branch main',
    ]);
    await inOrder(asked, ['pr close 2', 'pr open --head two']);
  };
  const ofSettings = async () => {
    const ask = askedIn(declared);
    await inOrder(ask, ['queue list', 'queue get', 'queue pause --reason release', 'queue resume']);
    await inOrder(ask, ['queue drain', 'queue freeze 2h', 'queue resume --preview', 'queue resume']);
    await ask('queue set concurrency=3');
    const exported = await ask('queue export');
    await ask('queue apply - --dry-run', JSON.stringify(exported));
    exported.queues[0].concurrency = 4;
    await ask('queue apply - --dry-run', JSON.stringify(exported), 13);
    await ask('queue apply - --yes', JSON.stringify(exported));
    await ask('receipts verify --chain-only');
    const doctor = await world.run(declared.clone, ['doctor', '--json']);
    called.add('doctor');
    expect(faultsOf('doctor', doctor.json())).toEqual([]);
    expect([0, 14, 15]).toContain(doctor.exitCode);
  };
  const ofTheRest = async () => {
    await inOrder(asked, ['pr list', 'pr show 3', 'pr edit 3 --title Better --label urgent']);
    await inOrder(asked, ['pr draft 3', 'pr ready 3', 'pr close 3', 'pr reopen 3']);
    const { tokenId } = await asked('token create ci --scope read');
    const rotated = await asked(`token rotate ${tokenId} --overlap 1h`);
    await inOrder(asked, ['token list', `token revoke ${rotated.tokenId}`, 'whoami']);
    const { webhookId } = await asked('webhook create https://example.com/hook');
    await inOrder(asked, [
      'webhook list',
      `webhook set ${webhookId} --disable`,
      `webhook delete ${webhookId}`,
    ]);
    await asked(`login ${world.url()}`, TOKEN);
    await inOrder(asked, ['server list', `server use ${world.url()}`, 'logout', 'completion bash']);
  };

  await Promise.all([ofPullRequests(), ofSettings(), ofTheRest()]);

  const left = commands.map(({ words }) => words).filter((words) => !called.has(words));
  expect(left).toEqual(['watch', 'webhook test']);
});

test.concurrent('every answer shows what it is about, and a file or a log shows it on standard error', async () => {
  const { clone } = await world.queue('shown', { one: 'echo bye; exit 1', two: 'true' });
  const mq = (line: string, env = {}) => world.run(clone, line.split(' '), env);
  const here = `acme/shown · main  on ${world.url()}`;
  await mq('submit 1');
  expect(await mq('wait 1')).toMatchObject({
    exitCode: 10,
    stderr: expect.stringContaining(`Waiting for #1 in acme/shown · main on ${world.url()}.`),
  });

  expect((await mq('pr list')).stdout).toBe(
    [
      `acme/shown  on ${world.url()}`,
      '#1 Write one (one → main, open, by Ada): failed',
      '#2 Write two (two → main, open, by Ada): not submitted',
      '',
    ].join('\n'),
  );
  expect((await mq('pr list', { MQ_URL: '', MQ_TOKEN: '' })).stdout).toContain(
    'by Ada)\nTheir states in the queue are unknown: There is no server yet.',
  );
  const log = await mq('log 1');
  expect(log.stderr).toBe(`${here.replace('main', 'main · #1')}\n`);
  expect(log.stdout).toMatch(/^== unit: failure ==\n/);
  const exported = await mq('queue export');
  expect(exported.stderr).toBe(`acme/shown  on ${world.url()}\n`);
  expect(exported.json().queues).toHaveLength(1);
  expect((await mq('why 9')).stderr).toContain(`${here.replace('main', 'main · #9')}\nmq: `);
  expect((await mq('pr list --repo local/acme/other')).exitCode).toBe(2);
});

describe.concurrent('a wrong use', () => {
  test('a wrong use says what is wrong and names the command that helps, with an exit code of its own', async () => {
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
      ['queue create', { MQ_TOKEN: token }, 4, 'SCOPE_MISSING', 'This command needs'],
      ['status --repo acme/none', {}, 3, 'NO_QUEUE_HERE', 'mq queue create'],
      ['status forty', {}, 2, 'NUMBER_WRONG', '41'],
      ['queue set speed=9', {}, 2, 'SETTING_WRONG', 'concurrency'],
      ['wait 1 --timeout soon', {}, 2, 'TIME_WRONG', '30m'],
      ['completion tcsh', {}, 2, 'SHELL_UNKNOWN', 'fish'],
    ];
    const check = async ([line, env, exitCode, code, remedy]: (typeof cases)[number]) => {
      const ended = await world.run(clone, [...line.split(' '), '--json'], env);
      expect({ line, exitCode: ended.exitCode, code: ended.json().error.code }).toEqual({
        line,
        exitCode,
        code,
      });
      expect(faultsOf('error', ended.json())).toEqual([]);
      expect(`${ended.stderr}`).toContain(remedy);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
    };
    await Promise.all(cases.map(check));
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

describe.concurrent('Ctrl-C', () => {
  test('Ctrl-C ends wait and watch with 130, restores the screen, and leaves the pull request in the queue', async () => {
    const { clone, ref } = await world.queue('interrupted', { slow: 'sleep 600' });
    await world.client.submitPullRequest({ ...ref, pr: { number: 1 } });
    const interrupt = async (words: string) => {
      const running = world.start(clone, [words, '1']);
      await running.prints('#1 testing');
      running.child.kill('SIGINT');
      expect(await running.ended).toMatchObject({ exitCode: 130 });
    };
    await Promise.all(['wait', 'watch'].map(interrupt));
    const { state } = await world.client.cancelPullRequest({ ...ref, pr: { number: 1 } });
    expect(state).toBe('cancelled');
  });
});

test.concurrent('a hostile checkout gets no token, and none of its programs is run', async ({
  onTestFinished,
}) => {
  const { clone, bare } = await world.queue('hostile', { one: 'true' });
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

  const lines = ['status', 'why', 'status --repo local/acme/hostile', 'submit 1 --repo local/acme/hostile'];
  await Promise.all([...lines, 'log 1'].map((line) => world.run(clone, line.split(' '), env)));
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

test.concurrent('text of others steers no terminal', async () => {
  const { clone } = await world.queue('controls', { one: 'true' });
  await world.run(clone, ['pr', 'edit', '1', '--title', 'red \u001b[31m title \u009b2J \u202e']);
  const submitted = await world.run(clone, ['submit', '1']);
  const texts = [
    submitted,
    ...(await Promise.all([world.run(clone, ['status', '1']), world.run(clone, ['status'])])),
  ];

  for (const { stdout } of texts) expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

test.concurrent('a saved token is for its user alone, and is used without MQ_URL', async () => {
  const { clone } = await world.queue('saved', { one: 'true' });
  const env = { MQ_URL: '', MQ_TOKEN: '', XDG_CONFIG_HOME: join(world.home, 'saved') };

  const ended = await world.run(clone, ['login', world.url(), '--name', 'here'], env, `${TOKEN}\n`);

  expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Logged in to') });
  expect(ended.stdout).not.toContain(TOKEN);
  expect(statSync(join(world.home, 'saved/mq/config.json')).mode & 0o777).toBe(0o600);
  expect(await world.run(clone, ['status', '--server', 'here'], env)).toMatchObject({ exitCode: 0 });
  expect(await world.run(clone, ['status'], { ...env, NO_COLOR: '1' })).toMatchObject({ exitCode: 0 });
});

// Runs last and alone, because it stops the server of all tests.
test('watch continues after the server was away', async () => {
  const { clone, ref } = await world.queue('away', { slow: 'sleep 600' });
  await world.client.submitPullRequest({ ...ref, pr: { number: 1 } });
  const watching = world.start(clone, ['watch', '1']);
  const waiting = world.start(clone, ['wait', '1']);
  await Promise.all([watching.prints('#1 testing'), waiting.prints('#1 testing')]);

  await world.stopServer();
  await Promise.all([watching.prints('does not answer'), waiting.prints('does not answer')]);
  await world.startServer();
  await world.client.cancelPullRequest({ ...ref, pr: { number: 1 } });

  expect(await watching.ended).toMatchObject({ exitCode: 11 });
  expect(await waiting.ended).toMatchObject({ exitCode: 11 });
});
