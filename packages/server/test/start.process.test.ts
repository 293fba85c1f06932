import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { environmentVariables } from '../src/config.js';
import {
  git,
  isGone,
  makeRepository,
  program,
  refusal,
  serverWith,
  temporaryFolder,
} from './server-process.js';
import { until } from './until.js';

/** `mq` without a build, because the tests do not run in a built clone. */
const commandFromSources = [
  ...[
    'node',
    '--conditions=mq-source',
    `--import=${pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href}`,
  ],
  fileURLToPath(new URL('../../cli/src/mq.ts', import.meta.url)),
].join(' ');

test('a token that was given is used and not printed', async () => {
  const server = await serverWith({ MQ_TOKEN: 'keep-this-secret' });
  expect((await server.call('listQueues', '{}')).status).toBe(200);
  expect(server.stdout() + server.stderr()).not.toContain('keep-this-secret');
});

test('an argument is refused, with the variables that there are', async () => {
  const text = await refusal({}, ['--port', '9']);
  expect(text).toContain('was given "--port"');
  expect(text).toContain('PORT, HOST, MQ_TOKEN');
});

test('--help lists what can be set, and starts nothing', async () => {
  const dataFolder = temporaryFolder();
  const asked = program('main', { MQ_DATA: dataFolder }, ['--help']);
  expect((await asked.ended).code).toBe(0);
  for (const name of Object.keys(environmentVariables)) expect(asked.stdout()).toContain(`  ${name} `);
  expect(readdirSync(dataFolder)).toEqual([]);
});

test('start-up prints address, token, folders, and commands that lead to a merge', async () => {
  const server = await serverWith();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(server.token).toMatch(/^mqt_[0-9A-Za-z]{36}$/);
  expect(server.stdout()).toContain(`Data    ${server.dataFolder}`);
  expect(server.stdout()).toContain(`Queues  in ${join(server.dataFolder, 'store')} (PGlite)`);
  const folderOfCommand = fileURLToPath(new URL('../../../scripts/bin', import.meta.url));
  expect(server.stdout()).toContain(`export PATH="${folderOfCommand}:$PATH"`);
  expect((await server.call('listQueues', '{}')).json).toEqual({ queues: [] });

  const [, commands = ''] = server.stdout().split('in another terminal (bash):');
  const built = fileURLToPath(new URL('../../cli/dist/mq.js', import.meta.url));
  const script = commands
    .slice(0, commands.indexOf('docs/tutorial/first-merge.md'))
    .replace(`node ${built}`, commandFromSources);
  expect(script).toContain(commandFromSources);
  const { code, output } = await bash(script);
  expect(output).toContain('#1 Say it louder (louder → main, open');
  expect(output).toMatch(/^acme\/widgets · main · #1 .*\n#1 Say it louder .*\nmerged at /m);
  expect(code).toBe(0);
  const bare = join(server.dataFolder, 'repos/acme/widgets.git');
  const subjects = async () => git(bare, 'log', '--format=%s', 'main');
  await until(subjects, (text) => text === 'Say it louder (#1)\nSay hello');
});

test('a request of HTTP/1.1 without a Host, or with two, gets a code wherever it goes', async () => {
  const server = await serverWith();
  const cases = ['/health/live', '/v1/listQueues', '/nowhere'].flatMap((path) =>
    ['', 'Host: a\r\nHost: b\r\n'].map((hosts) => ({ path, hosts })),
  );
  for (const { path, hosts } of cases) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    let text = '';
    for await (const bytes of socket.setEncoding('utf8')) text += bytes;
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: [\s\S]*"MALFORMED_REQUEST"/);
  }
});

const bash = (script: string): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve) => {
    const home = temporaryFolder();
    const child = spawn('bash', ['-e', '-o', 'pipefail'], {
      env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.on('close', (code) => resolve({ code, output }));
    child.stdin.end(script);
  });

test('SIGTERM ends the server and the commands of its checks that would never end, with exit code 0', async () => {
  const server = await serverWith();
  const mark = join(temporaryFolder(), 'pid');
  await makeRepository(server.dataFolder, `echo $$ > ${mark}; trap '' TERM; while true; do sleep 1; done`, {
    good: 'good\n',
  });
  await server.call('createQueue');
  await server.call('submitPullRequest', { pr: { number: 1 } });
  const pid = Number(
    await until(
      async () => (existsSync(mark) ? readFileSync(mark, 'utf8') : ''),
      (text) => text !== '',
    ),
  );

  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(isGone(pid)).toBe(true);
  expect(existsSync(join(server.dataFolder, 'server.lock'))).toBe(false);
});

test('a second Ctrl-C does not wait for a command that will not end', async () => {
  const server = await serverWith();
  const mark = join(temporaryFolder(), 'begun');
  await makeRepository(server.dataFolder, `trap '' TERM; touch ${mark}; while true; do sleep 1; done`, {
    good: 'good\n',
  });
  await server.call('createQueue');
  await server.call('submitPullRequest', { pr: { number: 1 } });
  await until(async () => existsSync(mark), Boolean);
  server.child.kill('SIGINT');
  await server.prints('Stopping');
  // A second signal right after the first is the same one, forwarded by npm.
  await until(
    async () => server.child.kill('SIGINT'),
    () => server.stdout().includes('Ended at once'),
  );
  expect((await server.ended).code).toBe(130);
});

test('Ctrl-C ends the server', async () => {
  const server = await serverWith();
  server.child.kill('SIGINT');
  expect((await server.ended).code).toBe(0);
  expect(server.stdout()).toContain('Stopped.');
});

test('a port that is taken is named before the queues are opened, with how to choose another', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const dataFolder = temporaryFolder();
  const said = await refusal({ PORT: String(port), MQ_DATA: dataFolder });
  expect(said).toContain(`Port ${port} on 127.0.0.1 is taken`);
  expect(said).toMatch(/PORT=\d+ npm start/);
  expect(existsSync(join(dataFolder, 'store'))).toBe(false);
});

test('a file in the place of the data folder is named', async () => {
  const file = join(temporaryFolder(), 'data');
  writeFileSync(file, '');
  const said = await refusal({ MQ_DATA: file });
  expect(said).toContain(`Cannot create the data folder ${file}: a file is in its place`);
  expect(said).toContain('MQ_DATA=<folder> npm start');
  expect(await refusal({ MQ_DATA: join(file, 'below') })).toContain('a file is in its place');
});

test('a data folder that another server uses is left alone', async () => {
  const server = await serverWith();
  const said = await refusal({ MQ_DATA: server.dataFolder });
  expect(said).toContain(`in use by another server (process ${server.child.pid})`);
  expect((await server.call('listQueues', '{}')).status).toBe(200);
});

test('the lock of a server that was killed is taken over', async () => {
  const killed = await serverWith();
  killed.child.kill('SIGKILL');
  await killed.ended;
  const server = await serverWith({ MQ_DATA: killed.dataFolder });
  expect((await server.call('listQueues', '{}')).status).toBe(200);
});

test('every fault of the configuration is listed', async () => {
  const dataFolder = temporaryFolder();
  writeFileSync(
    join(dataFolder, 'mq.config.json'),
    JSON.stringify({ ci: { concurrency: 0 }, repositories: { widgets: {} }, colour: 'red' }),
  );
  const said = await refusal({ MQ_DATA: dataFolder });
  for (const word of ['mq.config.json', 'ci → concurrency', 'repositories → widgets', 'colour'])
    expect(said).toContain(word);
});

test('a missing or old git is reported, with where to get it', async () => {
  expect(await refusal({ PATH: '/nowhere' })).toContain('git was not found');
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.30.2\n');
  chmodSync(join(bin, 'git'), 0o755);
  expect(await refusal({ PATH: `${bin}:/bin:/usr/bin` })).toContain(
    'git 2.30.2 is too old: git 2.38.0 or newer',
  );
});

test('candidates that belong to no queue are dropped at start', async () => {
  const dataFolder = temporaryFolder();
  const bare = await makeRepository(dataFolder, 'true', { good: 'good\n' });
  git(bare, 'update-ref', 'refs/mq/candidates/0b0e3f5e-0000-4000-8000-000000000001', 'main');
  await serverWith({ MQ_DATA: dataFolder });
  expect(git(bare, 'for-each-ref', '--format=%(refname)', 'refs/mq/candidates')).toBe('');
});

test('a repository and its checks can be named in the configuration', async () => {
  const elsewhere = temporaryFolder();
  const bare = await makeRepository(elsewhere, 'false', { good: 'good\n' });
  const dataFolder = temporaryFolder();
  mkdirSync(dataFolder, { recursive: true });
  const checks = [
    { name: 'unit', command: 'true' },
    { name: 'more', command: 'test -f good.txt' },
  ];
  writeFileSync(
    join(dataFolder, 'mq.config.json'),
    JSON.stringify({ repositories: { 'acme/widgets': { path: bare, checks } }, ci: { concurrency: 2 } }),
  );
  const server = await serverWith({ MQ_DATA: dataFolder });
  expect((await server.call('createQueue')).json.requiredStatuses.sort()).toEqual(['more', 'unit']);
  await server.call('submitPullRequest', { pr: { number: 1 } });
  await until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number: 1 } })).json,
    ({ state }) => state === 'merged',
  );
});
