import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { git, isGone, makeRepository, type Server, serverWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

const workFolders = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith('mq-ci-'));

interface Busy {
  readonly server: Server;
  readonly dataFolder: string;
  readonly temporary: string;
  /** The id of the process of the running command. */
  readonly pid: number;
  /** The number of the pull request whose check waits. */
  readonly waiting: number;
}

/** A server with one place for checks: the check of #1 or #2 has it, and does not want to end; the other's waits. */
const busyServer = async (): Promise<Busy> => {
  const [dataFolder, temporary, mark] = [
    temporaryFolder(),
    temporaryFolder(),
    join(temporaryFolder(), 'pid'),
  ];
  writeFileSync(join(dataFolder, 'mq.config.json'), JSON.stringify({ ci: { concurrency: 1 } }));
  const command = `test -f one.txt && echo 2 $$ > ${mark} || echo 1 $$ > ${mark}; trap '' TERM; while true; do sleep 1; done`;
  await makeRepository(dataFolder, command, { one: '1\n', two: '2\n' });
  const server = await serverWith({ MQ_DATA: dataFolder, TMPDIR: temporary });
  await server.call('createQueue', { concurrency: 2, mode: 'parallel' });
  for (const number of [1, 2]) {
    await server.call('setImpactedTargets', { pr: { number }, impactedTargets: [`part-${number}`] });
    await server.call('submitPullRequest', { pr: { number } });
  }
  const states = () => server.call('listPullRequests', { state: 'testing' });
  await until(states, ({ json }) => json.pullRequests.length === 2);
  const begun = async () => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
  const [waiting, pid] = (await until(begun, (text) => text.endsWith('\n'))).split(' ').map(Number);
  return { server, dataFolder, temporary, pid: pid!, waiting: waiting! };
};

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends a server with a check that runs, one cancelled that waits and a request sent by half, and leaves nothing',
  async (signal) => {
    const { server, dataFolder, temporary, pid, waiting } = await busyServer();
    const { port } = new URL(server.url);
    const half = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const headers = `host: mq\r\nx-api-token: ${server.token}\r\ncontent-type: application/json`;
    half.write(
      `POST /v1/listQueues HTTP/1.1\r\n${headers}\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n{`,
    );
    await new Promise((resolve) => half.once('data', resolve));
    expect((await server.call('cancelPullRequest', { pr: { number: waiting } })).status).toBe(200);

    server.child.kill(signal);
    expect((await server.ended).code).toBe(0);
    expect(isGone(pid)).toBe(true);
    expect(existsSync(join(dataFolder, 'server.lock'))).toBe(false);
    expect(workFolders(temporary)).toEqual([]);
  },
);

/** A stream of events at a server; one that reads nothing stops at its first bytes. */
const openStream = (server: Server, reads: boolean) =>
  new Promise<{ readonly text: () => string; readonly ended: Promise<void> }>((resolve, reject) => {
    const headers = { 'x-api-token': server.token };
    const asked = get(`${server.url}/v1/events`, { headers, agent: false }, (answer) => {
      let text = '';
      const ended = new Promise<void>((over) => answer.once('close', over));
      answer.setEncoding('utf8').on('error', () => undefined);
      answer.on('data', (part: string) => {
        text += part;
        if (!reads) answer.pause();
        if (answer.statusCode === 200) resolve({ text: () => text, ended });
        else reject(new Error(text));
      });
    });
    asked.on('error', reject);
  });

test('SIGTERM ends a server with 200 streams and 200 waits within 5 s, and each client can resume', async () => {
  const server = await serverWith();
  await makeRepository(server.dataFolder, 'true', { one: '1\n' });
  expect((await server.call('createQueue', { state: 'paused' })).status).toBe(200);
  expect((await server.call('submitPullRequest', { pr: { number: 1 } })).status).toBe(200);
  const streams = await Promise.all(
    Array.from({ length: 200 }, (_, index) => openStream(server, index % 10 !== 0)),
  );
  const waits = Array.from({ length: 200 }, () =>
    server.call('waitForPullRequest', { pr: { number: 1 }, waitSeconds: 55 }),
  );
  await server.call('updateQueue', { concurrency: 7 });
  const readers = streams.filter((_, index) => index % 10 !== 0);
  await until(
    async () => readers.filter(({ text }) => text().includes('"concurrency":7')).length,
    (count) => count === readers.length,
  );

  const startedAt = performance.now();
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await Promise.all(readers.map(({ ended }) => ended));
  for (const { text } of readers) expect(text()).toMatch(/^retry: \d+\nid: [\s\S]*\nid: \S+\n\n$/);
  for (const { status, json } of await Promise.all(waits))
    expect([status, json.reached, json.state]).toEqual([200, false, 'pending']);
});

test('a server whose output pipe is closed goes on, and ends when it is asked to', async () => {
  const server = await serverWith();
  for (const pipe of [server.child.stdin, server.child.stdout, server.child.stderr]) pipe?.destroy();
  // The first line that finds the pipe closed fails after its answer.
  for (let asked = 0; asked < 3; asked += 1) expect((await server.call('listQueues', '{}')).status).toBe(200);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('what a killed server left running is ended when the next one starts', async () => {
  const { server, dataFolder, temporary, pid } = await busyServer();
  server.child.kill('SIGKILL');
  await server.ended;
  expect(isGone(pid)).toBe(false);

  // A check that has changed since is not run again.
  git(join(dataFolder, 'repos/acme/widgets.git'), 'config', 'mq.check.unit.command', 'true');
  await serverWith({ MQ_DATA: dataFolder, TMPDIR: temporary });
  expect(isGone(pid)).toBe(true);
  expect(workFolders(temporary)).toEqual([]);
});

/** A git that waits before it writes refs, once `armed` is there. Then it makes `waits` and waits for `go`. */
const slowGit = () => {
  const folder = temporaryFolder();
  const [armed, waits, go] = ['armed', 'waits', 'go'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
case " $* " in *" update-ref "*)
  if test -e ${armed}; then touch ${waits}; while ! test -e ${go}; do sleep 0.1 </dev/null >/dev/null 2>&1; done; fi;;
esac
exec ${git} "$@"
`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  return { PATH: `${folder}:${process.env.PATH}`, armed, waits, go };
};

/** Whether its end was collected. */
const isCollected = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};

/**
 * Ctrl-C in the terminal of the server: SIGINT for all of its process group, without that of this test. Child
 * processes may get the signal first, and have ended before the server gets it.
 */
const interrupt = async (server: Server): Promise<void> => {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,pgid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number) as [number, number, number]);
  const group = all.find(([pid]) => pid === server.child.pid)?.[2];
  const below = (parent: number): readonly number[] =>
    all
      .filter(([, ppid, pgid]) => ppid === parent && pgid === group)
      .flatMap(([pid]) => [...below(pid), pid]);
  const reached = below(server.child.pid!);
  for (const pid of reached) spawnSync('kill', ['-INT', String(pid)]);
  await until(
    async () => reached.every(isCollected),
    (areGone) => areGone,
  );
  server.child.kill('SIGINT');
};

test('Ctrl-C while git builds a candidate lets git finish, and logs no warning', async () => {
  const { PATH, armed, waits, go } = slowGit();
  const server = await serverWith({ PATH });
  await makeRepository(server.dataFolder, 'true', { one: '1\n' });
  await server.call('createQueue', { state: 'paused' });
  expect((await server.call('submitPullRequest', { pr: { number: 1 } })).status).toBe(200);
  writeFileSync(armed, '');
  await server.call('updateQueue', { state: 'running' });
  await until(
    async () => existsSync(waits),
    (isWaiting) => isWaiting,
  );

  await interrupt(server);
  writeFileSync(go, '');

  expect((await server.ended).code).toBe(0);
  const warnings = server
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && JSON.parse(line).level >= 40);
  expect(warnings).toEqual([]);
});

test.each(['start', 'demo'])('npm run %s becomes the program, so that its signals arrive', async (name) => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bin = temporaryFolder();
  writeFileSync(join(bin, 'node'), '#!/bin/sh\necho $$\n');
  chmodSync(join(bin, 'node'), 0o755);
  // As npm runs it. What follows keeps a shell that would become its last command from doing so by itself.
  const shell = spawn('/bin/sh', ['-c', `${scripts[name]}; echo the shell is still there`], {
    env: { PATH: `${bin}:${process.env.PATH}` },
  });
  let said = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await new Promise((resolve) => shell.once('close', resolve));
  expect(said).toBe(`${shell.pid}\n`);
});
