import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { startPostgres, type TestPostgres } from '@mq/test-postgres';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from './fresh-database.js';
import { git, makeRepository, refusal, type Server, serverWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

/** Duration of a lease that is not renewed. */
const LEASE_MS = 15_000;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const stateOf = async (server: Server, number: number): Promise<string> =>
  (await server.call('getSubmittedPullRequest', { pr: { number } })).json.state;

test('T-I23 of two servers on one database one is killed in the middle, and everything lands once', async () => {
  const [dataFolder, notes] = [temporaryFolder(), temporaryFolder()];
  const [begun, go] = [join(notes, 'begun'), join(notes, 'go')];
  // The parent of a check's shell is the server that runs it.
  const command = `test -f ${go} || { echo $PPID >> ${begun}; while ! test -f ${go}; do sleep 0.2; done; }`;
  const branches = { one: '1\n', two: '2\n', three: '3\n', four: '4\n' };
  const bare = await makeRepository(dataFolder, command, branches);
  const env = {
    MQ_DATA: dataFolder,
    DATABASE_URL: (await freshDatabase(postgres.url)).href,
    MQ_TOKEN: 'shared',
  };
  const servers = await Promise.all([serverWith(env), serverWith(env)]);
  const [first, second] = servers;
  expect((await first.call('createQueue', { concurrency: 2 })).status).toBe(200);
  for (const number of [1, 2, 3, 4])
    expect((await servers[number % 2]!.call('submitPullRequest', { pr: { number } })).status).toBe(200);
  for (const server of servers)
    expect((await server.call('getQueue')).json.enqueuedPullRequests).toHaveLength(4);
  const runners = await until(
    async () => (existsSync(begun) ? readFileSync(begun, 'utf8').trim().split('\n').map(Number) : []),
    (pids) => pids.length >= 1,
  );
  const killed = first.child.pid === runners[0] ? first : second;
  const left = killed === first ? second : first;
  expect(runners[0]).toBe(killed.child.pid);
  killed.child.kill('SIGKILL');
  await killed.ended;
  writeFileSync(go, '');

  for (const number of [1, 2, 3, 4])
    await until(
      () => stateOf(left, number),
      (state) => state === 'merged',
    );
  expect(git(bare, 'log', '--format=%s', 'main').split('\n').sort()).toEqual([
    'Begin',
    'Write four (#4)',
    'Write one (#1)',
    'Write three (#3)',
    'Write two (#2)',
  ]);
});

test('if one of two servers on one database hangs for longer than its leases, everything still lands once', async () => {
  const [dataFolder, notes] = [temporaryFolder(), temporaryFolder()];
  const [begun, go] = [join(notes, 'begun'), join(notes, 'go')];
  const command = `test -f ${go} || { echo $PPID >> ${begun}; while ! test -f ${go}; do sleep 0.2; done; }`;
  const bare = await makeRepository(dataFolder, command, { one: '1\n', two: '2\n', three: '3\n' });
  const env = {
    MQ_DATA: dataFolder,
    DATABASE_URL: (await freshDatabase(postgres.url)).href,
    MQ_TOKEN: 'shared',
  };
  const servers = await Promise.all([serverWith(env), serverWith(env)]);
  const [first, second] = servers;
  await first.call('createQueue', { concurrency: 3 });
  for (const number of [1, 2]) await first.call('submitPullRequest', { pr: { number } });
  const [runner] = await until(
    async () => (existsSync(begun) ? readFileSync(begun, 'utf8').trim().split('\n').map(Number) : []),
    (pids) => pids.length >= 1,
  );
  const still = first.child.pid === runner ? first : second;
  const awake = still === first ? second : first;
  still.child.kill('SIGSTOP');
  const stoppedAt = Date.now();
  expect((await awake.call('submitPullRequest', { pr: { number: 3 } })).status).toBe(200);
  await until(
    () => stateOf(awake, 3),
    (state) => state === 'testing',
  );
  await until(
    async () => Date.now() - stoppedAt,
    (ms) => ms > 2 * LEASE_MS,
  );
  still.child.kill('SIGCONT');
  writeFileSync(go, '');

  for (const number of [1, 2, 3])
    await until(
      () => stateOf(awake, number),
      (state) => state === 'merged',
    );
  expect(git(bare, 'log', '--format=%s', 'main')).toBe(
    'Write three (#3)\nWrite two (#2)\nWrite one (#1)\nBegin',
  );
});

interface Proxy {
  readonly port: number;
  cut(): void;
  restore(): void;
}

/** A way to PostgreSQL that can be cut, and that cuts itself where a statement asks for something like `cutAt`. */
const proxyTo = async (url: URL, cutAt: RegExp | null = null): Promise<Proxy> => {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(url.port || 5432), url.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
    near.on('data', (bytes) => {
      if (cutAt?.test(bytes.toString('latin1'))) cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    restore: () => {
      isCut = false;
    },
  };
};

test('T-P15 while the database cannot be reached requests get 503, and afterwards everything goes on', async () => {
  const url = await freshDatabase(postgres.url);
  const way = await proxyTo(url);
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(way.port);
  const server = await serverWith({ DATABASE_URL: through.href });
  expect(server.stdout()).toContain(`in PostgreSQL at 127.0.0.1:${way.port}${url.pathname}`);
  await makeRepository(server.dataFolder, 'true', { one: '1\n' });
  expect((await server.call('createQueue')).status).toBe(200);
  expect((await server.ask('/health/ready')).json.store).toEqual({ kind: 'postgresql', answers: true });

  way.cut();
  for (const [operation, body] of [
    ['getQueue', {}],
    ['submitPullRequest', { pr: { number: 1 } }],
    ['updateQueue', { concurrency: 3 }],
  ] as const) {
    const answer = await server.call(operation, body);
    expect([operation, answer.status, answer.json.code]).toEqual([operation, 503, 'STORE_UNREACHABLE']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const health = await server.ask('/health/ready');
  expect([health.status, health.json.status]).toEqual([503, 'unavailable']);
  expect(health.json.store).toEqual({ kind: 'postgresql', answers: false });
  expect((await server.ask('/health/live')).status).toBe(200);

  way.restore();
  await until(
    () => server.ask('/health/ready'),
    ({ status }) => status === 200,
  );
  expect((await server.call('submitPullRequest', { pr: { number: 1 } })).status).toBe(200);
  await until(
    () => stateOf(server, 1),
    (state) => state === 'merged',
  );
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

test('a database that stops answering once the server listens does not end the start', async () => {
  const url = await freshDatabase(postgres.url);
  const way = await proxyTo(url, /select value::\w+ as value from \S*queues\S* where/);
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(way.port);
  const server = await serverWith({ DATABASE_URL: through.href });
  expect((await server.ask('/health/ready')).status).toBe(503);
  way.restore();
  await until(
    async () => (await server.ask('/health/ready')).status,
    (status) => status === 200,
  );
});

test('a database that is not there is named', async () => {
  const url = await freshDatabase(postgres.url);
  url.pathname = 'nowhere';
  expect(await refusal({ DATABASE_URL: url.href })).toContain(
    `There is no such database: ${url.host}/nowhere`,
  );
});

test('T-P13 nothing that a server answers, logs or stores holds its token or the password of its database', async () => {
  const [token, password] = ['token-that-stays-secret', 'password-that-stays-secret'];
  const url = await freshDatabase(postgres.url);
  const withPassword = new URL(url);
  withPassword.password = password;
  const server = await serverWith({ DATABASE_URL: withPassword.href, MQ_TOKEN: token });
  await makeRepository(server.dataFolder, 'env', { one: '1\n' });
  const answers = [
    await server.call('createQueue'),
    await server.call('createQueue'),
    await server.call('submitPullRequest', { pr: { number: 1 } }),
    await server.call('submitPullRequest', { pr: { number: 'none' } }),
    await server.call('getQueue', '{ malformed'),
  ];
  await until(
    () => stateOf(server, 1),
    (state) => state === 'merged',
  );
  answers.push(await server.call('getSubmittedPullRequest', { pr: { number: 1 } }));
  answers.push(await server.call('getQueue'), await server.ask('/health/ready'));
  const client = new Client({ connectionString: url.href });
  await client.connect();
  const { rows: tables } = await client.query(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const stored = [];
  for (const { name } of tables) stored.push(...(await client.query(`select * from ${name}`)).rows);
  await client.end();
  server.child.kill('SIGTERM');
  await server.ended;
  const files = readdirSync(server.dataFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  const texts = answers.map(({ text }) => text);
  const seen = [...texts, ...files, JSON.stringify(stored), server.stdout(), server.stderr()];
  // The check has written what it was given into its log.
  expect(files.join()).toContain('MQ_RUN_ID=');
  expect(stored.length).toBeGreaterThan(5);
  for (const secret of [token, password]) for (const one of seen) expect(one).not.toContain(secret);
});
