import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@mq/client';
import { webhookEventTypes } from '@mq/http';
import { Random } from '@mq/random';
import { expect, onTestFinished, test } from 'vitest';
import { makeRepository, queueRef, type Server, serverWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

const SEED = 1;
const RECEIVER = fileURLToPath(new URL('webhook-receiver.py', import.meta.url));

interface Event {
  readonly type: string;
  readonly queueId: string;
  readonly sequence: number;
  readonly pr_number?: number;
  readonly settings?: { readonly concurrency?: number };
}

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const call = async (server: Server, operation: string, body: object = {}) => {
  const answer = await until(
    () => server.call(operation, body),
    ({ status }) => status !== 503,
  );
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

const submit = (server: Server, number: number) => call(server, 'submitPullRequest', { pr: { number } });

const isMerged = (server: Server, number: number) =>
  until(
    async () => (await server.call('getSubmittedPullRequest', { pr: { number } })).json?.state,
    (state) => state === 'merged',
  );

const nameOf = ({ type, queueId, sequence, pr_number: pr }: Event): string =>
  [queueId, sequence, type, pr].join(' ');

/** The events of the stream from the first one, until one is the last. */
const streamed = async (
  url: string,
  token: string,
  isLast: (event: Event) => boolean,
  signal?: AbortSignal,
) => {
  const events: Event[] = [];
  const client = createClient({ url, token });
  const from = Buffer.from('{}').toString('base64url');
  for await (const { type, data } of client.events(
    { ...queueRef, after: from },
    signal === undefined ? {} : { signal },
  )) {
    const event = { ...(data as Omit<Event, 'type'>), type };
    events.push(event);
    if (isLast(event)) break;
  }
  return events;
};

test('a receiver in Python verifies every delivery, refuses a forged one, and misses none while it and the server are killed', async () => {
  const [dataFolder, notes] = [temporaryFolder(), temporaryFolder()];
  const [file, secretFile, config] = ['taken', 'secret', 'mq.config.json'].map((name) =>
    join(notes, name),
  ) as [string, string, string];
  const port = await freePort();
  const receiver = async (): Promise<ChildProcess> => {
    const child = spawn('python3', [RECEIVER, String(port), file, secretFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return child;
  };
  const taken = (): readonly Event[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { readonly event: Event }).event)
      : [];
  await makeRepository(dataFolder, 'true', { one: '1\n', two: '2\n', three: '3\n' });
  const webhooks = { allowHttp: true, allowPorts: [port], allowRanges: ['127.0.0.0/8'] };
  writeFileSync(config, JSON.stringify({ webhooks }));
  const env = { MQ_DATA: dataFolder, MQ_CONFIG: config, MQ_TOKEN: 'shared' };
  let server = await serverWith(env);
  const url = `http://127.0.0.1:${port}/hook`;
  const { webhookId, secret } = (await call(server, 'createWebhook', { url })).json;
  writeFileSync(secretFile, secret);
  const python = await receiver();
  await call(server, 'createQueue');
  await submit(server, 1);
  await until(
    async () => taken().length,
    (count) => count > 0,
  );

  const before = taken().length;
  const forged = { 'webhook-id': 'msg_forged', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
  for (const signature of ['', 'v1,AAAA', `v1a,${'A'.repeat(44)}`]) {
    const headers = { ...forged, 'webhook-signature': signature };
    expect((await fetch(url, { method: 'POST', headers, body: '{"type":"alarm"}' })).status).toBe(401);
  }

  await isMerged(server, 1);
  // The next one listens at once: after a second try that fails, a delivery waits for minutes.
  const ended = new Promise((resolve) => python.once('exit', resolve));
  python.kill('SIGKILL');
  await ended;
  await receiver();
  await submit(server, 2);
  server.child.kill('SIGKILL');
  await server.ended;
  server = await serverWith(env);
  await submit(server, 3);

  const isLast = (event: Event) => event.type === 'pull_request.merged' && event.pr_number === 3;
  const all = await streamed(server.url, server.token, isLast);
  const expected = all
    .filter(({ type }) => (webhookEventTypes as readonly string[]).includes(type))
    .map(nameOf);
  await expect.poll(() => taken().map(nameOf).sort()).toEqual([...expected].sort());
  expect(taken().some(({ type }) => type === 'alarm')).toBe(false);
  expect(taken().length).toBeGreaterThan(before);
  for (const pr of [1, 2, 3]) {
    const sequences = taken()
      .filter(({ pr_number: number }) => number === pr)
      .map(({ sequence }) => sequence);
    expect(sequences, `of #${pr}`).toEqual([...sequences].sort((a, b) => a - b));
  }
  // The receiver takes an event before the server stores its answer.
  const states = async () => {
    const { json } = await call(server, 'listDeliveries', { webhookId, take: 100 });
    return [...new Set(json.deliveries.map(({ state }: { state: string }) => state))];
  };
  await expect.poll(states).toEqual(['delivered']);
});

/** An address that cuts each connection after a number of answered bytes that the seed determines. */
const cuttingAddress = async (target: string, random: Random) => {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const address = createServer((client) => {
    const server = connect(Number(new URL(target).port), '127.0.0.1');
    let left = random.int(300, 6_000);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(server);
    server.on('data', (bytes: Buffer) => {
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left > 0) return;
      cuts += 1;
      client.end();
      server.destroy();
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroySoon());
  });
  await new Promise<void>((resolve) => address.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    address.close();
  });
  return { url: `http://127.0.0.1:${(address.address() as AddressInfo).port}`, cuts: () => cuts };
};

test('no event is lost or doubled on streams whose connections are cut at random', async () => {
  const server = await serverWith();
  const branches = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, `${name}\n`]));
  await makeRepository(server.dataFolder, 'true', branches);
  await call(server, 'createQueue', { batch: true, batchingMinSize: 3, batchingMaxWaitTimeMinutes: 1 });
  const { url, cuts } = await cuttingAddress(server.url, new Random(SEED));
  const isLast = (event: Event) => event.type === 'queue.changed' && event.settings?.concurrency === 99;
  const cut = Promise.all(Array.from({ length: 4 }, () => streamed(url, server.token, isLast)));
  for (const number of [1, 2, 3, 4, 5, 6]) await submit(server, number);
  for (const number of [1, 2, 3, 4, 5, 6]) await isMerged(server, number);
  await call(server, 'updateQueue', { concurrency: 99 });

  const whole = (await streamed(server.url, server.token, isLast)).map(nameOf);
  for (const events of await cut) expect(events.map(nameOf)).toEqual(whole);
  expect(new Set(whole).size).toBe(whole.length);
  expect(cuts()).toBeGreaterThan(8);
});
