import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrapHolder, type Followed, type FollowRequest, type RepoRef, webhookKeeper } from '@mq/core';
import { webhookEventTypes } from '@mq/http';
import { pgDatabase, postgresWebhookStore } from '@mq/store-postgres';
import { startPostgres, type TestPostgres } from '@mq/test-postgres';
import { publicTargets, webhookSender } from '@mq/webhooks';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freshDatabase } from './fresh-database.js';
import { makeRepository, type Server, startedWith, temporaryFolder } from './server-process.js';
import { until } from './until.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Taken {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Event {
  readonly type: string;
  readonly queueId: string;
  readonly sequence: number;
  readonly pr_number?: number;
}

const RECEIVER = fileURLToPath(new URL('webhook-receiver.mjs', import.meta.url));

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const receiverOn = (port: number, file: string): ChildProcess => {
  const child = spawn(process.execPath, [RECEIVER, String(port), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

const listens = async (child: ChildProcess): Promise<void> => {
  const ready = new Promise((resolve) => child.stdout?.once('data', resolve));
  child.stdin?.write('listen\n');
  await ready;
};

const kill = async (child: ChildProcess): Promise<void> => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
};

/** The signatures of a delivery that fit a secret. */
const verifiedBy = ({ headers, body }: Taken, secret: string): boolean => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const right = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return headers['webhook-signature']?.split(' ').includes(right) === true;
};

/** A busy machine makes a server refuse a request, before anything is done. */
const call = async (server: Server, operation: string, body: object = {}) => {
  const answer = await until(
    () => server.call(operation, body),
    ({ status }) => status !== 503,
  );
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

const stream = (server: Server, query: string, signal: AbortSignal): Promise<Response> =>
  until(
    () => fetch(`${server.url}/v1/events${query}`, { headers: { 'x-api-token': server.token }, signal }),
    ({ ok }) => ok,
  );

/** The events behind a cursor, until one of these is met. */
const streamed = async (
  server: Server,
  after: string,
  isLast: (event: Event) => boolean,
): Promise<readonly Event[]> => {
  const end = new AbortController();
  const query = after === '' ? '' : `?after=${encodeURIComponent(after)}`;
  const response = await stream(server, query, end.signal);
  const events: Event[] = [];
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) events.push(JSON.parse(data));
    }
    if (events.some(isLast)) break;
  }
  end.abort();
  return events;
};

/** Where the stream stands now. */
const cursorNow = async (server: Server): Promise<string> => {
  const end = new AbortController();
  const response = await stream(server, '', end.signal);
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (/^id: (.*)$/m.test(text) && text.includes('\n\n')) break;
  }
  end.abort();
  return /^id: (.*)$/m.exec(text)?.[1] ?? '';
};

test('T-O04 while servers and the receiver are killed in turn, every event is delivered in order, signed with both secrets of a rotation', async () => {
  const [dataFolder, notes] = [temporaryFolder(), temporaryFolder()];
  const file = join(notes, 'taken');
  const taken = (): readonly Taken[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const port = await freePort();
  await makeRepository(dataFolder, 'true', { one: '1\n', two: '2\n', three: '3\n', four: '4\n' });
  const config = join(notes, 'mq.config.json');
  const webhooks = { allowHttp: true, allowPorts: [port], allowRanges: ['127.0.0.0/8'] };
  writeFileSync(config, JSON.stringify({ webhooks }));
  const env = {
    ...{ MQ_DATA: dataFolder, MQ_CONFIG: config, MQ_TOKEN: 'shared' },
    DATABASE_URL: (await freshDatabase(postgres.url)).href,
  };
  const [receiver, second] = [receiverOn(port, file), receiverOn(port, file)];
  await listens(receiver);
  const [first, other] = await Promise.all([startedWith(env), startedWith(env)]);
  let one = first;
  await call(one, 'createQueue');
  // The first row of the queue may be committed after its creation: the webhook begins behind it, and so does the stream.
  const cursor = await until(
    () => cursorNow(one),
    (id) => !Buffer.from(id, 'base64url').toString().includes('""'),
  );
  const at = (path: string) => ({ url: `http://127.0.0.1:${port}${path}` });
  const made = await call(one, 'createWebhook', at('/hook'));
  for (const path of ['/slow', '/redirect']) await call(one, 'createWebhook', at(path));
  const { webhookId, secret: old } = made.json;
  const submit = (server: Server, number: number) => call(server, 'submitPullRequest', { pr: { number } });

  await submit(one, 1);
  await until(
    async () => taken().length,
    (count) => count > 0,
  );
  const rotated = await call(one, 'updateWebhook', { webhookId, rotateSecret: true });
  const current: string = rotated.json.secret;
  await submit(one, 2);
  const isOf = (pr: number) => taken().some(({ body }) => JSON.parse(body).pr_number === pr);
  await until(async () => isOf(2), Boolean);
  expect(existsSync(`${file}.refused`)).toBe(true);
  await kill(receiver);
  await listens(second);
  await submit(one, 3);
  await kill(one.child);
  one = await startedWith(env);
  await kill(other.child);
  await submit(one, 4);

  const isLast = ({ type, pr_number: pr }: Event) => type === 'pull_request.merged' && pr === 4;
  const all = await streamed(one, cursor, isLast);
  const nameOf = ({ type, queueId, sequence, pr_number: pr }: Event) =>
    [queueId, sequence, type, pr].join(' ');
  const expected = all
    .filter(({ type }) => (webhookEventTypes as readonly string[]).includes(type))
    .map(nameOf);
  const hooked = () => taken().filter(({ path }) => path === '/hook');
  const firsts = () => [...new Map(hooked().map((each) => [each.headers['webhook-id'], each])).values()];
  await until(
    async () => firsts().length,
    (count) => count >= expected.length,
  );

  const delivered = firsts().map(({ body }) => JSON.parse(body) as Event);
  expect(delivered.map(nameOf).sort()).toEqual([...expected].sort());
  for (const pr of [1, 2, 3, 4]) {
    const sequences = delivered
      .filter(({ pr_number: number }) => number === pr)
      .map(({ sequence }) => sequence);
    expect(sequences, `of #${pr}`).toEqual([...sequences].sort((a, b) => a - b));
  }
  expect(taken().some(({ path }) => path === '/redirected')).toBe(false);
  expect(hooked().every((each) => verifiedBy(each, old) || verifiedBy(each, current))).toBe(true);
  const ofFour = hooked().filter(({ body }) => JSON.parse(body).pr_number === 4);
  expect(ofFour.every((each) => verifiedBy(each, old) && verifiedBy(each, current))).toBe(true);
  // After two kills, only deliveries that were under way come a second time.
  expect(hooked().length - firsts().length).toBeLessThanOrEqual(16);
  const log = await call(one, 'listDeliveries', { webhookId, take: 100 });
  expect(log.json.deliveries.every(({ state }: { state: string }) => state === 'delivered')).toBe(true);
  expect(log.text).not.toContain('"answer":"');
});

test('T-O02 on PostgreSQL a webhook without a success for five days is disabled', async () => {
  const pool = new Pool({ connectionString: (await freshDatabase(postgres.url)).href });
  const database = pgDatabase(pool);
  const kept = await postgresWebhookStore({ database });
  onTestFinished(async () => {
    await kept.close();
    await pool.end();
  });
  let aheadMs = 0;
  const store = { ...kept, now: async () => (await kept.now()) + aheadMs };
  const mq = {
    follow: async function* ({ signal }: FollowRequest): AsyncGenerator<Followed> {
      yield { type: 'started', cursor: Buffer.from('{}').toString('base64url') };
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    },
    canonicalRepo: (repo: RepoRef) => repo,
    listQueues: async () => ({ items: [], next: null }),
    getRun: () => Promise.reject(new Error('there is no test run')),
    listExpectedChecks: async () => [],
  };
  const key = Buffer.alloc(32);
  const keeper = webhookKeeper({ store, mq, key, urlFault: () => null });
  const { webhook } = await keeper.create(bootstrapHolder, { url: 'https://receiver.example/' });
  await keeper.test(bootstrapHolder, { webhookId: webhook.id });
  const tries: number[] = [];
  const sender = webhookSender({
    ...{ store, mq, key, policy: publicTargets, tokens: { token: async () => null } },
    ...{ eventsOf: () => [], pageOf: () => '' },
    post: async () => {
      tries.push(aheadMs);
      return { status: 500, error: 'It answered 500.', answer: null, retryAfterMs: null };
    },
  });
  sender.start();
  onTestFinished(() => sender.close());
  const disabled = async () => (await kept.webhook(webhook.id))?.webhook.disabled ?? null;
  await until(
    async () => tries.length,
    (count) => count === 1,
  );
  expect(await disabled()).toBe(null);
  aheadMs = 5 * 86_400_000;
  expect((await until(disabled, (value) => value !== null))?.reason).toBe('failing');
  expect(tries).toEqual([0, aheadMs]);
});
