import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { APP_FOLDER, buildApp } from '../packages/page/src/build/build-app.js';
import { usedBrowser } from '../packages/page/test/browser.js';
import { freshDatabase } from '../packages/server/test/fresh-database.js';
import { argvOf } from '../packages/server/test/program.js';
import { makeRepository, serverWith, temporaryFolder } from '../packages/server/test/server-process.js';
import { until } from '../packages/server/test/until.js';
import { startPostgres } from '../packages/test-postgres/src/index.js';

const { open } = usedBrowser();
const QUEUE = '/local/acme/widgets/main';
const SEEN_MS = 20_000;
/** The step of the slider. */
const STEP_MS = 1_000;

const newestIn = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(folder, name)).mtimeMs,
    ),
  );

/** Servers take the page from where the build leaves it. */
beforeAll(async () => {
  const manifest = join(APP_FOLDER, 'manifest.json');
  const isNew =
    existsSync(manifest) && statSync(manifest).mtimeMs > newestIn(join(APP_FOLDER, '../../src/app'));
  if (!isNew) await buildApp(APP_FOLDER);
});

/** The server on a terminal of its own. */
const onTerminal = async () => {
  const MQ_DATA = temporaryFolder();
  await makeRepository(MQ_DATA, 'true', { one: '1\n' });
  const command = ['exec', ...[process.execPath, ...argvOf('main')].map((word) => `'${word}'`)].join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), MQ_DATA, PORT: '0' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const link = await until(
    async () => /(http:\S+)(\/#code=[\w-]{22}) in a browser/.exec(text),
    (found) => found !== null,
  );
  const [, url = '', path = ''] = link ?? [];
  const token = /Token {3}(\S+)/.exec(text)?.[1] ?? '';
  const interrupt = async (): Promise<number | null> => {
    child.stdin.write('\u0003');
    return ended;
  };
  return { url, path, token, interrupt };
};

test('the link that a start prints on a terminal signs in once, with a token of its own', async () => {
  const { url, path, token, interrupt } = await onTerminal();
  const options = { token: null, isStill: false };
  const page = await open({ url }, path, options);
  await page.getByText('There is no queue yet.').waitFor({ timeout: SEEN_MS });
  expect(page.url()).toBe(`${url}/`);
  const own = String(await page.evaluate('sessionStorage.getItem("mq-token")'));
  expect(own).toMatch(/^mqt_/);
  expect(own).not.toBe(token);

  const second = await open({ url }, path, { ...options, expectedErrors: /status of 401/ });
  await second.getByRole('alert').getByText('This link was used').waitFor({ timeout: SEEN_MS });
  expect(second.url()).toBe(`${url}/`);
  await Promise.all([page.context().close(), second.context().close()]);
  expect(await interrupt()).toBe(0);
});

test('the slider shows the queue of a real server as it was while a pull request was tested', async () => {
  const go = join(temporaryFolder(), 'go');
  const server = await serverWith();
  const command = `while ! test -f ${go}; do sleep 0.1; done`;
  await makeRepository(server.dataFolder, command, { one: '1\n', two: '2\n' });
  const { createdAt } = (await server.call('createQueue')).json;
  for (const number of [1, 2]) await server.call('submitPullRequest', { pr: { number } });
  const stateOf = async (number: number) =>
    (await server.call('getSubmittedPullRequest', { pr: { number } })).json;
  const { stateChangedAt } = await until(
    () => stateOf(1),
    ({ state }) => state === 'testing',
  );
  const { submittedAt } = await stateOf(2);
  const begin = Date.parse(createdAt);
  const both = Math.max(Date.parse(stateChangedAt), Date.parse(submittedAt));
  const steps = Math.ceil((both - begin) / STEP_MS);
  const moment = begin + (steps + 1) * STEP_MS;
  await until(
    async () => Date.now(),
    (now) => now > moment + STEP_MS,
  );
  writeFileSync(go, '');
  for (const number of [1, 2])
    await until(
      () => stateOf(number),
      ({ state }) => state === 'merged',
    );

  const page = await open(server, `${QUEUE}/history`, { token: server.token, isStill: false });
  await page.getByText('0 pull requests in line, 0 test runs').waitFor({ timeout: SEEN_MS });
  await page.locator('#moment').fill(String(moment));
  await page.getByText('2 pull requests in line, 1 test run').waitFor({ timeout: SEEN_MS });
  const line = page.getByRole('table', { name: 'Line at that moment' });
  const rows = (await line.getByRole('row').allTextContents()).slice(1);
  expect(rows).toEqual([
    expect.stringMatching(/^1#1 Write one.*testing/i),
    expect.stringContaining('#2 Write two'),
  ]);
});

test('a page of two replicas behind one address continues with the other when one dies, and misses nothing', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const dataFolder = temporaryFolder();
  await makeRepository(dataFolder, 'sleep 600', { one: '1\n', two: '2\n', three: '3\n' });
  const DATABASE_URL = (await freshDatabase(postgres.url)).href;
  const env = { MQ_DATA: dataFolder, DATABASE_URL, MQ_TOKEN: 'shared' };
  const [first, second] = await Promise.all([serverWith(env), serverWith(env)]);
  await first.call('createQueue', { concurrency: 1 });
  await first.call('submitPullRequest', { pr: { number: 1 } });
  let target = first;
  const sockets = new Set<Socket>();
  const address = createServer((client) => {
    const server = connect(Number(new URL(target.url).port), '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    address.close();
  });
  await new Promise<void>((resolve) => address.listen(0, '127.0.0.1', resolve));
  const bound = address.address();
  const url = `http://127.0.0.1:${bound !== null && typeof bound === 'object' ? bound.port : 0}`;

  const page = await open({ url }, QUEUE, {
    token: 'shared',
    isStill: false,
    expectedErrors: /ERR_(CONNECTION|INCOMPLETE|EMPTY)/,
  });
  await page.getByText('Write one').first().waitFor({ timeout: SEEN_MS });
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  await second.call('submitPullRequest', { pr: { number: 2 } });
  await page.getByText('Write two').first().waitFor({ timeout: SEEN_MS });

  const resumed = page.waitForResponse('**/v1/events**');
  target = second;
  first.child.kill('SIGKILL');
  await first.ended;
  await second.call('submitPullRequest', { pr: { number: 3 } });
  const answer = await resumed;
  expect([answer.status(), (await answer.request().allHeaders())['last-event-id']]).toEqual([
    200,
    expect.stringMatching(/./),
  ]);
  await page.getByText('Live', { exact: true }).waitFor({ timeout: SEEN_MS });
  await page.getByText('Write three').first().waitFor({ timeout: SEEN_MS });
});
