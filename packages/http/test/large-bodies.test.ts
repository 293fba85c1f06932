import { connect, type Socket } from 'node:net';
import type { ReportGrant, Scope } from '@mq/core';
import type { FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import {
  isLarge,
  LARGE_BODIES_LIMIT,
  LARGE_BODIES_PER_TOKEN,
  LARGE_BODIES_WAITING_LIMIT,
  LARGE_BODIES_WAITING_PER_TOKEN,
  LARGE_BODY_BYTES,
  LargeBodies,
  senderOf,
} from '../src/large-bodies.js';
import { headers, listening, small, talk } from './raw-talk.js';
import { everything, queueRef, scriptedQueue, serverWith } from './world.js';

/** Each request has a token of its own. */
const authenticate = (token: string) => ({ ...everything, id: token });

const settledAs = async (entering: Promise<() => void>): Promise<string> =>
  Promise.race([
    entering.then(
      () => 'in',
      (error) => error.code,
    ),
    new Promise<string>((tell) => setImmediate(tell, 'waits')),
  ]);

test('a limited number of large bodies is read at once, and the next one waits for a slot', async () => {
  const bodies = new LargeBodies();
  const places = await Promise.all(
    Array.from({ length: LARGE_BODIES_LIMIT }, (_, index) => bodies.enter(`token-${index}`)),
  );
  const next = bodies.enter('next');
  expect(await settledAs(next)).toBe('waits');
  places[0]?.();
  expect(await settledAs(next)).toBe('in');
});

test.each([
  [{}, false],
  [{ 'content-length': String(LARGE_BODY_BYTES) }, false],
  [{ 'content-length': String(LARGE_BODY_BYTES + 1) }, true],
  [{ 'transfer-encoding': 'chunked' }, true],
])('a request with %j counts as having a large body: %s', (headers, large) => {
  expect(isLarge({ headers } as FastifyRequest)).toBe(large);
});

test('the request that has waited longest gets the next slot', async () => {
  const bodies = new LargeBodies();
  const [place] = await Promise.all(
    Array.from({ length: LARGE_BODIES_LIMIT }, (_, index) => bodies.enter(`token-${index}`)),
  );
  const [first, second] = [bodies.enter('first'), bodies.enter('second')];
  place?.();

  expect([await settledAs(first), await settledAs(second)]).toEqual(['in', 'waits']);
});

test('a waiting request takes the released slot, and no second slot is released with it', async () => {
  const bodies = new LargeBodies();
  const [place] = await Promise.all(
    Array.from({ length: LARGE_BODIES_LIMIT }, (_, index) => bodies.enter(`token-${index}`)),
  );
  const waited = bodies.enter('next');
  place?.();
  await waited;

  expect(await settledAs(bodies.enter('next'))).toBe('waits');
});

test('releasing a slot twice frees one slot', async () => {
  const bodies = new LargeBodies();
  const places = await Promise.all(
    Array.from({ length: LARGE_BODIES_LIMIT }, (_, index) => bodies.enter(`token-${index}`)),
  );
  places[0]?.();
  places[0]?.();
  expect(await settledAs(bodies.enter('next'))).toBe('in');
  expect(await settledAs(bodies.enter('another'))).toBe('waits');
});

test('a token at its limit waits for its own slots, and another token is admitted', async () => {
  const bodies = new LargeBodies();
  const enter = (count: number) => Promise.all(Array.from({ length: count }, () => bodies.enter('greedy')));
  const [place] = await enter(LARGE_BODIES_PER_TOKEN);
  const waiting = bodies.enter('greedy');
  expect(await settledAs(waiting)).toBe('waits');
  expect(await settledAs(bodies.enter('other'))).toBe('in');
  place?.();
  expect(await settledAs(waiting)).toBe('in');
});

test('the token with the fewest slots is admitted first, however long another waits', async () => {
  const bodies = new LargeBodies();
  const greedy = [bodies.enter('greedy'), bodies.enter('greedy'), bodies.enter('greedy')];
  const [, second] = [await bodies.enter('one'), await bodies.enter('two')];
  const [waits, next] = [bodies.enter('one'), bodies.enter('three')];
  second();
  expect([await settledAs(waits), await settledAs(next)]).toEqual(['waits', 'in']);
  expect(await settledAs(greedy[2] ?? next)).toBe('waits');
});

test('a token with too many waiting requests is refused, and another may still wait', async () => {
  const bodies = new LargeBodies();
  for (let count = 0; count < LARGE_BODIES_PER_TOKEN + LARGE_BODIES_WAITING_PER_TOKEN; count += 1)
    void bodies.enter('greedy');
  expect(await settledAs(bodies.enter('greedy'))).toBe('OVERLOADED');
  for (let count = LARGE_BODIES_PER_TOKEN; count < LARGE_BODIES_LIMIT; count += 1)
    await bodies.enter(`token-${count}`);
  expect(await settledAs(bodies.enter('other'))).toBe('waits');
});

test('all report tokens of a reporter count as one sender', () => {
  const reports = ['run-1', 'run-2'].map((testRunId) => ({
    id: `report/${testRunId}`,
    name: 'ci',
    scopes: new Set<Scope>(['checks']),
    reporting: { testRunId } as ReportGrant,
  }));
  expect(new Set(reports.map(senderOf)).size).toBe(1);
});

test('a request is refused when too many large requests wait', async () => {
  const bodies = new LargeBodies();
  const all = LARGE_BODIES_LIMIT + LARGE_BODIES_WAITING_LIMIT;
  for (let count = 0; count < all; count += 1) void bodies.enter(`token-${count}`);
  expect(await settledAs(bodies.enter('next'))).toBe('OVERLOADED');
});

test('a large request waits unread while all slots are in use, and a small one is served', async () => {
  const finish: (() => void)[] = [];
  const served: string[] = [];
  let tellFull: () => void = () => undefined;
  const full = new Promise<void>((resolve) => {
    tellFull = resolve;
  });
  const { mq } = scriptedQueue({
    deleteQueue: ({ targetBranch: branch }) =>
      new Promise<void>((resolve) => {
        served.push(branch);
        if (branch === 'small') resolve();
        else finish.push(resolve);
        if (served.length === LARGE_BODIES_LIMIT) tellFull();
      }),
  });
  const app = await serverWith({ mq, authenticate });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = (targetBranch: string, bytes: number) =>
    fetch(`${url}/v1/deleteQueue`, {
      method: 'POST',
      headers: { 'x-api-token': targetBranch, 'content-type': 'application/json' },
      body: JSON.stringify({ ...queueRef, targetBranch, padding: 'x'.repeat(bytes) }),
    }).then(({ status }) => status);

  const first = Array.from({ length: LARGE_BODIES_LIMIT }, (_, index) =>
    ask(`large-${index}`, LARGE_BODY_BYTES),
  );
  await full;
  const next = ask('next', LARGE_BODY_BYTES);
  expect(await ask('small', 10)).toBe(200);
  expect(served).not.toContain('next');
  finish.shift()?.();
  await expect.poll(() => served).toContain('next');
  for (const end of finish) end();
  expect(await Promise.all([...first, next])).toEqual(
    Array.from({ length: LARGE_BODIES_LIMIT + 1 }, () => 200),
  );
});

/** Fills all slots with large requests that are served until they are ended, and can send one more. */
const fullHouse = async () => {
  const served = new Map<string, () => void>();
  const { mq } = scriptedQueue({
    deleteQueue: ({ targetBranch: branch }) => new Promise<void>((resolve) => served.set(branch, resolve)),
  });
  const app = await serverWith({ mq, authenticate });
  const connections: Socket[] = [];
  let over = 0;
  app.server.on('request', ({ socket }, response) => {
    connections.push(socket);
    response.once('close', () => {
      over += 1;
    });
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ask = (targetBranch: string, signal?: AbortSignal) =>
    fetch(`${url}/v1/deleteQueue`, {
      method: 'POST',
      headers: { 'x-api-token': targetBranch, 'content-type': 'application/json' },
      body: JSON.stringify({ ...queueRef, targetBranch, padding: 'x'.repeat(LARGE_BODY_BYTES) }),
      ...(signal === undefined ? {} : { signal }),
    }).then(
      ({ status }) => status,
      () => 'gone',
    );
  const leaving = new AbortController();
  const first = Array.from({ length: LARGE_BODIES_LIMIT }, (_, index) =>
    ask(`large-${index}`, index === 0 ? leaving.signal : undefined),
  );
  await expect.poll(() => served.size).toBe(LARGE_BODIES_LIMIT);
  onTestFinished(async () => {
    for (const end of served.values()) end();
    await Promise.all(first);
  });
  return { served, ask, leave: () => leaving.abort(), connections, over: () => over };
};

test('a client that disconnects while it is served releases its slot', async () => {
  const { served, ask, leave } = await fullHouse();
  leave();
  const next = ask('next');

  await expect.poll(() => [...served.keys()]).toContain('next');
  served.get('next')?.();
  expect(await next).toBe(200);
});

test('a waiting request whose connection ended takes no slot from those behind it', async () => {
  const { served, ask, connections, over } = await fullHouse();
  const gone = ask('gone');
  await expect.poll(() => connections.length).toBe(LARGE_BODIES_LIMIT + 1);
  connections.at(-1)?.destroy();
  await expect.poll(over).toBe(1);
  served.get('large-1')?.();
  const next = ask('next');

  await expect.poll(() => [...served.keys()]).toContain('next');
  served.get('next')?.();
  expect([await gone, await next]).toEqual(['gone', 200]);
  expect(served.has('gone')).toBe(false);
});

const ofKnownLength = `${headers([`Content-Length: ${small.length}`])}${small}`;
const ofUnknownLength = `${headers(['Transfer-Encoding: chunked'])}${small.length.toString(16)}\r\n${small}\r\n0\r\n\r\n`;

test('large requests behind a slow answer release their slots when their connection is cut, and so do waiting ones', async () => {
  const held: (() => void)[] = [];
  let isSlow = true;
  const { app, port } = await listening({
    onAsked: () => (isSlow ? new Promise<void>((resolve) => held.push(resolve)) : undefined),
  });
  const cut = new Promise((resolve) =>
    app.server.once('connection', (socket) => socket.once('close', resolve)),
  );
  const client = connect(port, '127.0.0.1');
  client.write(ofKnownLength + ofUnknownLength.repeat(2 * LARGE_BODIES_LIMIT));
  await expect.poll(() => held.length).toBe(1 + LARGE_BODIES_PER_TOKEN);
  client.resetAndDestroy();
  await cut;
  isSlow = false;
  for (const end of held) end();
  let said = '';
  void talk(port, { first: ofUnknownLength }).then(({ text }) => {
    said = text;
  });

  await expect.poll(() => said).toContain('HTTP/1.1 200 OK');
});

test('a keep-alive connection keeps no listeners of its answered large requests', async () => {
  const { app, port } = await listening();
  const connected = new Promise<Socket>((resolve) => app.server.once('connection', resolve));
  const client = connect(port, '127.0.0.1');
  onTestFinished(() => void client.destroy());
  const socket = await connected;
  let text = '';
  client.on('data', (bytes) => {
    text += bytes;
  });
  const answered = async (count: number) => {
    client.write(ofUnknownLength);
    await expect.poll(() => text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(count);
    return socket.listenerCount('close');
  };

  expect(await answered(1)).toBe(await answered(2));
});
